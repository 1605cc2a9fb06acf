/* One function for each name in unsupported.def. */
#include "gpu/cudart/unsupported.h"

#include <stdbool.h>

extern int rt_unsupported(const char *what);
extern int rt_remember(int error);

/* A program may call it in a loop: it is reported once. */
int rt_tell_unsupported(const char *name, atomic_bool *told)
{
    enum { NOT_SUPPORTED = 801 };
    if (atomic_exchange(told, true))
        return rt_remember(NOT_SUPPORTED);
    return rt_remember(rt_unsupported(name));
}

#define U RT_UNSUPPORTED
#include "gpu/cudart/unsupported.def"
