/* Makes a copy of a CUDA program as one who wants to hide that it is one: everything has another name, comments
 * and layout are gone, and the kernels come in the opposite order. It still compiles to the same code. */
#ifndef TESTS_SUPPORT_DISGUISE_H
#define TESTS_SUPPORT_DISGUISE_H

/* SOURCE so disguised; KNOWN is text whose words keep their names, such as the lab's header. To be freed. */
char *disguise(const char *source, const char *known);
/* SOURCE with `while` for each `for`, and `i += 1` for `++i`. To be freed. */
char *disguise_loops(const char *source);

#endif
