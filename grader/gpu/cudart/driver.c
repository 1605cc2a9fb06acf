/* Answers requests for functions of the CUDA driver by name. Lanewise has no driver, so these calls
 * report that no function has the name. */
#include "gpu/cudart/rt.h"

static cudaError_t look_up(const char *symbol, void **function, unsigned long long flags,
                           enum cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !function || flags > cudaEnablePerThreadDefaultStream)
        return cudaErrorInvalidValue;
    rt_finding("unsupported-call", NULL, "the driver's %s() is not supported by Lanewise", symbol);
    *function = NULL;
    if (!status)
        return cudaErrorSymbolNotFound;
    *status = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    return rt_return(look_up(symbol, function, flags, status));
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    return rt_return(look_up(symbol, function, flags, status));
}
