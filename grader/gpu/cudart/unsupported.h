/* Declares functions that programs can link to, but that only report "not supported". They are
 * defined without CUDA's headers and without parameters. This is possible because the calling
 * convention allows a function to ignore its arguments. */
#ifndef GPU_CUDART_UNSUPPORTED_H
#define GPU_CUDART_UNSUPPORTED_H

#include <stdatomic.h>

/* Reports a call of NAME, unless *REPORTED says that a call has been reported already. Returns
 * cudaErrorNotSupported. */
int rt_report_unsupported(const char *name, atomic_bool *reported);

#define RT_UNSUPPORTED(name)                                                                       \
    int name(void)                                                                                 \
    {                                                                                              \
        static atomic_bool reported;                                                               \
        return rt_report_unsupported(#name, &reported);                                            \
    }

#endif
