/* Functions that programs may link with and that only say "not supported". No CUDA header is included: such a
 * function takes whatever comes and returns an error number, which the calling convention allows. */
#ifndef GPU_CUDART_UNSUPPORTED_H
#define GPU_CUDART_UNSUPPORTED_H

#include <stdatomic.h>

/* Reports the call of NAME, once for each TOLD. Returns cudaErrorNotSupported. */
int rt_tell_unsupported(const char *name, atomic_bool *told);

#define RT_UNSUPPORTED(name)                                                                       \
    int name(void)                                                                                 \
    {                                                                                              \
        static atomic_bool told;                                                                   \
        return rt_tell_unsupported(#name, &told);                                                  \
    }

#endif
