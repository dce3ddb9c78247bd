#ifndef EASEL_CMACHINE_SHIM_H
#define EASEL_CMACHINE_SHIM_H

// mallinfo2, which Swift's Glibc module leaves out: what the allocator has handed out.
#include <malloc.h>

// System calls by number, which are variadic and so not imported into Swift; sched_setaffinity has no other name there.
#include <sys/syscall.h>
#include <unistd.h>

// The processors the calling thread may run on, a bit each; the first 64 of them.
static inline unsigned long easel_processors(void) {
    unsigned long processors[16] = {0};
    syscall(SYS_sched_getaffinity, 0, sizeof processors, processors);
    return processors[0];
}

// Lets the calling thread, and what it starts from then on, run only there.
static inline void easel_run_on(unsigned long processors) {
    syscall(SYS_sched_setaffinity, 0, sizeof processors, &processors);
}

#endif
