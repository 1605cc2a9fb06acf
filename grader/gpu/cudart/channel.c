/* Makes channel descriptors, which are plain values that describe an element of an array or a
 * texture. */
#include "gpu/cudart/rt.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    RT_CALLED();
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = kind};
}
