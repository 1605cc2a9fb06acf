/* Functions that programs can link with, but that only report "not supported". They are defined
 * without CUDA's headers: the calling convention lets a function ignore its arguments and return an
 * error number. */
#ifndef GPU_CUDART_UNSUPPORTED_H
#define GPU_CUDART_UNSUPPORTED_H

#include <stdatomic.h>

/* Reports the call of NAME, unless *REPORTED says that it was already reported. Returns
 * cudaErrorNotSupported. */
int rt_report_unsupported(const char *name, atomic_bool *reported);

#define RT_UNSUPPORTED(name)                                                                       \
    int name(void)                                                                                 \
    {                                                                                              \
        static atomic_bool reported;                                                               \
        return rt_report_unsupported(#name, &reported);                                            \
    }

#endif
