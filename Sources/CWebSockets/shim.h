// The whole public interface of libwebsockets: its headers depend on each other and cannot be included one by one.
#include <libwebsockets.h>
// timerfd, which Swift's own module of the system leaves out.
#include <sys/timerfd.h>
// malloc_trim, likewise.
#include <malloc.h>
