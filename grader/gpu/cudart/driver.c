/* Implements requests for driver functions by name. Lanewise has no driver, but it has the driver's
 * functions that encode tensor maps. For all other names, the result is that the function does not
 * exist. */
#include <string.h>

#include "gpu/cudart/rt.h"
#include "gpu/cudart/tensor_map.h"

#define FIRST_VERSION 12000u /* version of CUDA that introduced tensor maps */

typedef void any_function(void);

static const struct {
    const char *name;
    any_function *function;
} functions[] = {
    {"cuTensorMapEncodeTiled", (any_function *)rt_tensor_map_encode},
    {"cuTensorMapReplaceAddress", (any_function *)rt_tensor_map_replace},
};

static any_function *find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    rt_finding("unsupported-call", NULL, "the driver's %s() is not supported by Lanewise", name);
    return NULL;
}

static cudaError_t look_up(const char *symbol, void **function, unsigned version,
                           unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
    if (!symbol || !function || flags > cudaEnablePerThreadDefaultStream)
        return cudaErrorInvalidValue;
    any_function *found = find(symbol);
    bool is_old = found && version < FIRST_VERSION;
    if (is_old)
        found = NULL;
    memcpy(function, &found, sizeof found);
    if (!status)
        return found ? cudaSuccess : cudaErrorSymbolNotFound;
    *status = found    ? cudaDriverEntryPointSuccess
              : is_old ? cudaDriverEntryPointVersionNotSufficent
                       : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    return rt_return(look_up(symbol, function, version, flags, status));
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    return rt_return(look_up(symbol, function, CUDART_VERSION, flags, status));
}
