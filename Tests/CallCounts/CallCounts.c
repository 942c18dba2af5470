#define _GNU_SOURCE
#include "CallCounts.h"
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#ifdef CALL_COUNTS_OF_PROCESS
static struct call_counts counts;
#else
// In the block that every thread has from its start: reaching it never allocates.
static _Thread_local __attribute__((tls_model("initial-exec"))) struct call_counts counts;
#endif

const struct call_counts *call_counts_of_this_thread(void) { return &counts; }

static unsigned long value(const unsigned long *count) { return __atomic_load_n(count, __ATOMIC_RELAXED); }

struct call_counts call_counts_read(const struct call_counts *of) {
    return (struct call_counts){
        .allocations = value(&of->allocations), .allocated_bytes = value(&of->allocated_bytes),
        .freed_bytes = value(&of->freed_bytes), .receives = value(&of->receives), .sends = value(&of->sends),
        .waits = value(&of->waits), .reads = value(&of->reads), .writes = value(&of->writes),
        .file_reads = value(&of->file_reads), .file_sends = value(&of->file_sends),
        .copied_bytes = value(&of->copied_bytes)};
}

#ifdef HAS_SANITIZER
int call_counts_available(void) { return 0; }
#else
int call_counts_available(void) { return 1; }

#ifdef CALL_COUNTS_OF_PROCESS
// Preloaded into a program, for a benchmark: the counts of all threads together, told at the end.
static inline void add(unsigned long *count, unsigned long amount) {
    __atomic_fetch_add(count, amount, __ATOMIC_RELAXED);
}

static __attribute__((destructor)) void tell(void) {
    dprintf(2, "\nCALL COUNTS {\"allocations\": %lu, \"copied_bytes\": %lu}\n", counts.allocations,
            counts.copied_bytes);
}
#else
// The thread alone writes: a plain load and store.
static inline void add(unsigned long *count, unsigned long amount) {
    __atomic_store_n(count, *count + amount, __ATOMIC_RELAXED);
}
#endif

// MARK: The allocator

// The names under which glibc also exports its allocator: there from the first instruction on, unlike dlsym's answers.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static unsigned long weight(void *block) { return malloc_usable_size(block) + sizeof(size_t); }

static inline void *counted(void *block) {
    if (block) {
        add(&counts.allocations, 1);
        add(&counts.allocated_bytes, weight(block));
    }
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *block = counted(__libc_memalign(alignment, size));
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

void *realloc(void *block, size_t size) {
    unsigned long before = block ? weight(block) : 0;
    void *result = __libc_realloc(block, size);
    if (result || size == 0) add(&counts.freed_bytes, before);
    return counted(result);
}

void free(void *block) {
    if (block) add(&counts.freed_bytes, weight(block));
    __libc_free(block);
}

// MARK: The kernel

ssize_t recv(int fd, void *buffer, size_t size, int flags) {
    add(&counts.receives, 1);
    return syscall(SYS_recvfrom, fd, buffer, size, flags, NULL, NULL);
}

ssize_t send(int fd, const void *buffer, size_t size, int flags) {
    add(&counts.sends, 1);
    return syscall(SYS_sendto, fd, buffer, size, flags, NULL, 0);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    add(&counts.sends, 1);
    return syscall(SYS_sendmsg, fd, message, flags);
}

int epoll_wait(int fd, struct epoll_event *events, int maximum, int timeout) {
    add(&counts.waits, 1);
    return (int)syscall(SYS_epoll_pwait, fd, events, maximum, timeout, NULL, (size_t)8);
}

ssize_t read(int fd, void *buffer, size_t size) {
    add(&counts.reads, 1);
    return syscall(SYS_read, fd, buffer, size);
}

ssize_t write(int fd, const void *buffer, size_t size) {
    add(&counts.writes, 1);
    return syscall(SYS_write, fd, buffer, size);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset) {
    add(&counts.file_reads, 1);
    return syscall(SYS_pread64, fd, buffer, size, offset);
}

ssize_t preadv2(int fd, const struct iovec *vector, int count, off_t offset, int flags) {
    add(&counts.file_reads, 1);
    return syscall(SYS_preadv2, fd, vector, count, offset, 0L, flags);
}

ssize_t sendfile(int target, int source, off_t *offset, size_t size) {
    add(&counts.file_sends, 1);
    return syscall(SYS_sendfile, target, source, offset, size);
}

// MARK: Copies

// glibc's own choice for the processor, under a name that is not redefined; through a variable, so that no optimizer
// takes it for the memmove it stands in for.
void *__memmove_chk(void *target, const void *source, size_t size, size_t room);
static void *(*const volatile move)(void *, const void *, size_t, size_t) = __memmove_chk;

void *memcpy(void *restrict target, const void *restrict source, size_t size) {
    add(&counts.copied_bytes, size);
    return move(target, source, size, SIZE_MAX);
}

void *memmove(void *target, const void *source, size_t size) {
    add(&counts.copied_bytes, size);
    return move(target, source, size, SIZE_MAX);
}
#endif
