// What a thread asks of the allocator, of the kernel and of memcpy, counted.
//
// The functions that do this work are defined again in CallCounts.c. A definition in the program takes the place of the
// library's for the whole process, libraries included, so nothing has to be told to be counted.
#ifndef CALL_COUNTS_H
#define CALL_COUNTS_H

/// What one thread did since it began.
struct call_counts {
    unsigned long allocations;     ///< Calls that returned heap memory.
    unsigned long allocated_bytes; ///< What they returned, the allocator's own word a block included.
    unsigned long freed_bytes;     ///< What was given back, in the same measure.
    unsigned long receives;        ///< recv
    unsigned long sends;           ///< send, sendmsg
    unsigned long waits;           ///< epoll_wait
    unsigned long reads;           ///< read: on a loop, of its eventfd, so that it was woken by another thread
    unsigned long writes;          ///< write: of an eventfd, so that another thread was woken
    unsigned long file_reads;      ///< pread, preadv2
    unsigned long file_sends;      ///< sendfile
    unsigned long copied_bytes;    ///< By memcpy and memmove; what the compiler copies in place is not seen.
};

/// Whether anything is counted: sanitizers define these functions themselves.
int call_counts_available(void);

/// The counts of the calling thread, which another may read as long as the thread lives.
const struct call_counts *call_counts_of_this_thread(void);

/// Reads the counts of any thread.
struct call_counts call_counts_read(const struct call_counts *counts);
#endif
