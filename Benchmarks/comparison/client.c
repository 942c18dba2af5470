// A fixed number of GET requests over keep-alive connections, from one thread.
//
//   client PORT CONNECTIONS COUNT FIRST TARGET
//
// A `{}` in TARGET becomes FIRST, FIRST + 1, and so on. All connections are made before the first request is sent, so
// that CONNECTIONS = COUNT is a crowd that asks at one moment. Prints a line of JSON; `began` and `ended` are seconds of
// CLOCK_MONOTONIC.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
    int fd;
    double sent;        // when its request went out
    size_t head;        // bytes of the head so far
    long long left;     // bytes of the body to come; -1 while the head is read
    int failed;         // status other than 200
    char buffer[4096];  // the head
};

static int port, count, first, started, finished, failures;
static const char *target;
static double *latencies;
static char body[1 << 18];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "client: %s after %d answers: %s\n", what, finished, strerror(errno));
    exit(1);
}

static int connected(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (fd < 0) fail("socket");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
    return fd;
}

static void ask(struct connection *connection) {
    char request[4096];
    const char *number = strstr(target, "{}");
    int length;
    if (number) {
        length = snprintf(request, sizeof request, "GET %.*s%d%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                          (int)(number - target), target, first + started, number + 2, port);
    } else {
        length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", target, port);
    }
    started++;
    connection->head = 0;
    connection->left = -1;
    connection->sent = now();
    if (send(connection->fd, request, length, MSG_NOSIGNAL) != length) fail("send");
}

// Reads the head out of the buffer, once it is there.
static void parse(struct connection *connection) {
    connection->buffer[connection->head] = 0;
    char *end = strstr(connection->buffer, "\r\n\r\n");
    if (!end) {
        if (connection->head == sizeof connection->buffer - 1) fail("head too large");
        return;
    }
    char *length = strcasestr(connection->buffer, "\r\nContent-Length:");
    if (!length || length > end) fail("answer without a length");
    connection->failed = strncmp(connection->buffer, "HTTP/1.1 200 ", 13) != 0;
    connection->left = atoll(length + 17) - (long long)(connection->buffer + connection->head - (end + 4));
}

// Takes what has arrived; 1 when the answer is complete.
static int advance(struct connection *connection) {
    for (;;) {
        int head = connection->left < 0;
        void *into = head ? connection->buffer + connection->head : body;
        size_t room = head ? sizeof connection->buffer - 1 - connection->head : sizeof body;
        ssize_t got = recv(connection->fd, into, room, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
        if (got <= 0) fail("connection closed in mid-answer");
        if (head) {
            connection->head += got;
            parse(connection);
        } else {
            connection->left -= got;
        }
        if (connection->left == 0) return 1;
    }
}

static int ascending(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

int main(int arguments, char **argument) {
    if (arguments != 6) return 2;
    int connections = atoi(argument[2]);
    port = atoi(argument[1]), count = atoi(argument[3]), first = atoi(argument[4]), target = argument[5];
    struct connection *all = calloc(connections, sizeof *all);
    latencies = calloc(count, sizeof *latencies);
    if (!all || !latencies || connections > count) return 2;
    alarm(120);
    int queue = epoll_create1(0);
    for (int i = 0; i < connections; i++) {
        all[i].fd = connected();
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[i]};
        epoll_ctl(queue, EPOLL_CTL_ADD, all[i].fd, &event);
    }
    double began = now(), ended = began;
    for (int i = 0; i < connections; i++) ask(&all[i]);
    while (finished < count) {
        struct epoll_event events[256];
        int ready = epoll_wait(queue, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (!advance(connection)) continue;
            ended = now();
            latencies[finished++] = ended - connection->sent;
            failures += connection->failed;
            if (started < count) ask(connection);
        }
    }
    qsort(latencies, count, sizeof *latencies, ascending);
    printf("{\"requests\": %d, \"failures\": %d, \"began\": %.9f, \"ended\": %.9f, \"p50\": %.9f, \"p99\": %.9f}\n", count,
           failures, began, ended, latencies[count / 2], latencies[(int)(count * 0.99)]);
    return 0;
}
