#ifndef CLIBEVENT_SHIM_H
#define CLIBEVENT_SHIM_H
// Both must come before event2/event.h, or debug builds fail over fd_set once CCurl is reachable too.
#include <sys/types.h>
#include <sys/time.h>
#include <event2/event.h>
#endif
