/* The name of the virtual GPU that programs see, and properties that are not in gpu/limits.h. This
 * header includes no others, because reports need only the name. */
#ifndef GPU_VIRTUAL_GPU_H
#define GPU_VIRTUAL_GPU_H

#define RT_NAME             "Lanewise virtual GPU"
#define RT_PORTABLE_CLUSTER 8u /* blocks; a program must opt in to larger clusters */
#define RT_MAX_PITCH        2147483647u
/* maximum bytes of the L2 cache that a program can reserve for persisting accesses */
#define RT_PERSISTING_L2 32768000u

#endif
