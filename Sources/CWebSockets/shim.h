// The whole public interface of libwebsockets: its headers depend on each other and cannot be included one by one.
#include <libwebsockets.h>
