/* Defines the functions that unsupported.def lists. */
#include "gpu/cudart/unsupported.h"

#include <stdbool.h>

extern int rt_unsupported(const char *what);
extern int rt_remember(int error);

/* Reports an unsupported function at its first call only, because a program may call it in a
 * loop. */
int rt_report_unsupported(const char *name, atomic_bool *reported)
{
    enum { NOT_SUPPORTED = 801 }; /* cudaErrorNotSupported */
    if (atomic_exchange(reported, true))
        return rt_remember(NOT_SUPPORTED);
    return rt_remember(rt_unsupported(name));
}

#define U RT_UNSUPPORTED
#include "gpu/cudart/unsupported.def"
