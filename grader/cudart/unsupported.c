/* One function for each name in unsupported.def. CUDA's headers are not included: here every function
 * takes whatever comes and returns an error number, which the calling convention allows. */
#include <stdatomic.h>
#include <stdbool.h>

extern int rt_unsupported(const char *what);
extern int rt_remember(int error);

/* A program may call it in a loop: it is reported once. */
static int tell(const char *name, atomic_bool *told)
{
    enum { NOT_SUPPORTED = 801 };
    if (atomic_exchange(told, true))
        return rt_remember(NOT_SUPPORTED);
    return rt_remember(rt_unsupported(name));
}

#define U(name)                                                                                    \
    int name(void)                                                                                 \
    {                                                                                              \
        static atomic_bool told;                                                                   \
        return tell(#name, &told);                                                                 \
    }
#include "cudart/unsupported.def"
