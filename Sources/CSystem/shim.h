#ifndef CSYSTEM_SHIM_H
#define CSYSTEM_SHIM_H
// _GNU_SOURCE must not be defined here: it changes fd_set, which the modules of Glibc and libevent define too.
// What glibc declares only under it is declared below by hand.
#include <sys/types.h>
#include <sys/time.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

ssize_t preadv2(int fd, const struct iovec *vector, int count, off_t offset, int flags);
static inline ssize_t csystem_preadv2_nowait(int fd, const struct iovec *vector, int count, off_t offset) {
    return preadv2(fd, vector, count, offset, 0x00000008 /* RWF_NOWAIT */);
}

// cachestat(2), Linux 6.5; glibc has no name for it yet. The number is the same everywhere.
struct csystem_cachestat_range { unsigned long long offset, length; };
struct csystem_cachestat { unsigned long long cached, dirty, writeback, evicted, recently_evicted; };
static inline long csystem_cachestat(int fd, struct csystem_cachestat_range *range, struct csystem_cachestat *result) {
    return syscall(451, fd, range, result, 0);
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
static inline int csystem_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int pthread_setname_np(pthread_t thread, const char *name);
static inline int csystem_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

// Of the scheduler's policies this one alone keeps a thread that wakes from taking the core of the one that woke it: a loop
// hands a file over and goes on to send its answer. Shares of time stay equal.
static inline int csystem_yield_to_wakers(void) {
    struct sched_param none = {0};
    return sched_setscheduler(0, 3 /* SCHED_BATCH */, &none);
}

static inline int csystem_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int memfd_create(const char *name, unsigned int flags);
static inline int csystem_memory_file(const char *name) { return memfd_create(name, 0x0001U /* MFD_CLOEXEC */); }

int fallocate(int fd, int mode, off_t offset, off_t length);
static inline int csystem_punch_hole(int fd, off_t offset, off_t length) {
    int result;
    do result = fallocate(fd, 0x01 | 0x02 /* KEEP_SIZE, PUNCH_HOLE */, offset, length);
    while (result != 0 && errno == EINTR);
    return result;
}

// A macro that Swift does not import.
static inline int csystem_map_allocations_above(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }
#endif
