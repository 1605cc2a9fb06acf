/* Defines ids of deductions. A deduction is a cause that an observer has found for a finding. The
 * grader, which also knows the source and the test case, uses deductions to show more lines of the
 * source or to give better advice. */
#ifndef GPU_DEDUCTIONS_H
#define GPU_DEDUCTIONS_H

/* --- accesses outside of an array ------------------------------------------------------------- */

/* the index is negative */
#define DEDUCED_NEGATIVE "negative-index"
/* the index is too large; nothing is known about the reason */
#define DEDUCED_TOO_FAR "index-too-large"
/* the size of the allocation in bytes equals the number of elements that it needs */
#define DEDUCED_NO_SIZEOF "allocation-without-sizeof"
/* the allocation is smaller than one element */
#define DEDUCED_TOO_SMALL "allocation-too-small"
/* the launch has x and y of the grid exchanged */
#define DEDUCED_SWAPPED_GRID "grid-swapped"
/* the launch passes the length of another array */
#define DEDUCED_OTHER_LENGTH "length-of-another-array"
/* the pitch of a matrix is used in a wrong way */
#define DEDUCED_PITCH "pitch"
/* the index is beyond the end of an array in shared memory; the array may be too short */
#define DEDUCED_SHORT_ARRAY "shared-array-too-short"
/* the launch may give the extern array too few bytes */
#define DEDUCED_SHORT_EXTERN "extern-array-too-short"
/* the launch gives the extern array N bytes instead of N elements */
#define DEDUCED_EXTERN_COUNT "extern-array-without-sizeof"
/* the address of a 4-byte access is not a multiple of 4, perhaps because the program computed an
 * offset in bytes as a number of elements */
#define DEDUCED_MISALIGNED "between-elements"

/* --- uninitialised reads ---------------------------------------------------------------------- */

/* kernels, not a copy, have written the allocation, and only its first part */
#define DEDUCED_KERNEL_PART "kernel-wrote-a-part"

/* --- races ------------------------------------------------------------------------------------ */

/* the finding's access reads the 4-byte word that the other access of the race writes */
#define DEDUCED_READ "reads"
/* several lanes of a warp execute one statement that stores different values to one address */
#define DEDUCED_LANES_STORE "lanes-store"
/* threads of different warps execute one statement that stores different values to one address */
#define DEDUCED_BOTH_STORE "threads-store"

#endif
