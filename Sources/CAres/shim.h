#ifndef CARES_SHIM_H
#define CARES_SHIM_H
#include <sys/types.h>
#include <sys/time.h>
#include <netdb.h>
#include <netinet/in.h>
#include <ares.h>
#endif
