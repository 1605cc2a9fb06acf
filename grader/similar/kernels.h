/* Computes the fingerprint of compiled kernels from their PTX. The functions have no side effects.
 *
 * Students can easily change names, layout and comments, but PTX does not contain them. A
 * fingerprint is made from windows of WINDOW consecutive instructions. Inside a window, registers,
 * labels and names are numbered in the order in which they appear. So code that was renamed, or
 * moved as a whole, has the same windows:
 *
 *     ld.global.u32 %r7, [%rd9];  mad.lo.s32 %r8, %r7, %r7, %r8;
 *       -> ld.global.u32 a,[b];mad.lo.s32 c,a,a,c
 *
 * Only some of the windows' hashes become marks. They are chosen so that any WINDOW + STEP - 1
 * equal consecutive instructions leave at least one equal mark ("winnowing", Schleimer, Wilkerson
 * and Aiken 2003). */
#ifndef SIMILAR_KERNELS_H
#define SIMILAR_KERNELS_H

#include "similar/fingerprint.h"

#define KERNELS_MOST_PTX (4u << 20) /* maximum number of bytes; no student writes as many */

/* Adds the marks of PTX (SIZE bytes). If memory runs out or the text is too long, returns false and
 * leaves FINGERPRINT unchanged. */
bool fingerprint_add_ptx(struct fingerprint *fingerprint, const char *ptx, size_t size);

#endif
