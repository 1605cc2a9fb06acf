/* Defines the sizes of warps and blocks, and attributes for functions that loop over lanes. All
 * folders of the emulator include this header. */
#ifndef GPU_LANES_H
#define GPU_LANES_H

#define WARP      32u /* lanes */
#define ALL_LANES 0xffffffffu
#define MAX_WARPS 32u /* warps per CTA */
#define BARRIERS  16u /* barriers per CTA */

/* Makes the compiler build three versions of a function that loops over lanes: for AVX-512, for
 * AVX2 and for any other CPU. The loader picks one of them. Sanitizers do not support this. */
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__) || !defined(__x86_64__)
#define LANES_CLONES
#else
#define LANES_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif

/* Marks functions that are called by functions with LANES_CLONES. The compiler inlines them, so it
 * compiles them for the same CPU as their caller. */
#define LANES_INLINE static inline __attribute__((always_inline))

#endif
