/* The name and the limits of the virtual GPU that programs see: those of compute capability 9.0.
 * More limits are in gpu/device.h and gpu/occupancy.h. This header includes no others, so reports
 * can include it just for the name. */
#ifndef GPU_VIRTUAL_GPU_H
#define GPU_VIRTUAL_GPU_H

#define RT_NAME             "Lanewise virtual GPU"
#define RT_ARCH             90u /* compute capability 9.0 */
#define RT_MAX_BLOCK_X      1024u
#define RT_MAX_BLOCK_Y      1024u
#define RT_MAX_BLOCK_Z      64u
#define RT_MAX_GRID_X       2147483647u
#define RT_MAX_GRID_Y       65535u
#define RT_MAX_GRID_Z       65535u
#define RT_SHARED_PER_BLOCK 49152u
#define RT_SHARED_OPTIN     EMU_MAX_SHARED
#define RT_PORTABLE_CLUSTER 8u /* blocks; a program must opt in to more */
#define RT_MAX_PITCH        2147483647u
#define RT_PERSISTING_L2    32768000u /* bytes of the L2 cache that can be set aside */

#endif
