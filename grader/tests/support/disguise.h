/* Disguises a copy of a CUDA program, as a student does who hides copied code: every name changes,
 * comments and layout disappear, and the kernels are in reverse order. The copy still compiles to
 * the same code. */
#ifndef TESTS_SUPPORT_DISGUISE_H
#define TESTS_SUPPORT_DISGUISE_H

/* Returns the disguised SOURCE. Words in the text KNOWN, such as the lab's header, keep their
 * names. The caller frees it. */
char *disguise(const char *source, const char *known);
/* Returns SOURCE with each `for` loop as a `while` loop, and `i += 1` for `++i`. The caller frees
 * it. */
char *disguise_loops(const char *source);

#endif
