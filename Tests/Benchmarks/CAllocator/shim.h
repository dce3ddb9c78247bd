// mallinfo2, which Swift's Glibc module leaves out: what the allocator has handed out.
#include <malloc.h>
