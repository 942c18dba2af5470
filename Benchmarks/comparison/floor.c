// The floor of the machine: what an answer costs that is only a read, a look for the end of the head, and a send.
//
//   floor PORT FILE…
//
// One loop on libevent, as ours. It parses nothing, keeps nothing and checks nothing: a target that contains the name of
// a FILE gets that file behind a constant head, by one sendmsg.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <event2/event.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

struct answer { const char *name; char head[256]; char *body; size_t head_length, length; };
struct client { struct event *event; struct iovec rest[2]; };

static struct answer answers[8];
static int answer_count;
static struct event_base *base;
static char input[65536];

static void leave(int fd, struct client *client) {
    event_free(client->event);
    close(fd);
    free(client);
}

// Sends what is left; nonzero while the kernel takes no more.
static int push(int fd, struct client *client) {
    struct msghdr message = {.msg_iov = client->rest, .msg_iovlen = 2};
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    for (int i = 0; i < 2 && sent > 0; i++) {
        size_t part = (size_t)sent < client->rest[i].iov_len ? (size_t)sent : client->rest[i].iov_len;
        client->rest[i].iov_base = (char *)client->rest[i].iov_base + part;
        client->rest[i].iov_len -= part;
        sent -= part;
    }
    return client->rest[1].iov_len > 0;
}

static void ready(int fd, short what, void *context) {
    struct client *client = context;
    if (what & EV_READ) {
        ssize_t got = recv(fd, input, sizeof input - 1, 0);
        if (got <= 0) return leave(fd, client);
        input[got] = 0;
        if (!strstr(input, "\r\n\r\n")) return leave(fd, client);
        *strchr(input, '\r') = 0;
        struct answer *answer = answers;
        for (int i = 0; i < answer_count; i++)
            if (strstr(input, answers[i].name)) answer = &answers[i];
        client->rest[0] = (struct iovec){answer->head, answer->head_length};
        client->rest[1] = (struct iovec){answer->body, answer->length};
    }
    short wanted = (push(fd, client) ? EV_WRITE : EV_READ) | EV_PERSIST;
    if (wanted == (event_get_events(client->event) & ~EV_TIMEOUT)) return;
    event_del(client->event);
    event_assign(client->event, base, fd, wanted, ready, client);
    event_add(client->event, NULL);
}

static void accepted(int listener, short what, void *context) {
    (void)what, (void)context;
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK), on = 1;
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct client *client = calloc(1, sizeof *client);
    client->event = event_new(base, fd, EV_READ | EV_PERSIST, ready, client);
    event_add(client->event, NULL);
}

static void load(char *path) {
    struct answer *answer = &answers[answer_count++];
    FILE *file = fopen(path, "rb");
    answer->body = malloc(1 << 22);
    answer->length = fread(answer->body, 1, 1 << 22, file);
    fclose(file);
    answer->name = strrchr(path, '/');
    answer->head_length = snprintf(answer->head, sizeof answer->head, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
        "Content-Length: %zu\r\nCache-Control: max-age=3600\r\nETag: \"floor\"\r\nDate: Tue, 01 Dec 2026 00:00:00 GMT\r\n"
        "Age: 1\r\nCache-Status: floor; hit\r\n\r\n", answer->length);
}

int main(int count, char **arguments) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 2; i < count && i < 10; i++) load(arguments[i]);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) return 1;
    base = event_base_new();
    event_add(event_new(base, listener, EV_READ | EV_PERSIST, accepted, NULL), NULL);
    return event_base_dispatch(base);
}
