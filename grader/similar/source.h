/* Computes the fingerprint of a source. It stays the same when a student disguises a copy. The
 * functions have no side effects, and read C and CUDA.
 *
 * Compiled code (similar/kernels.h) reveals little about a lab whose answers are short. The source
 * reveals more, after all features that are easy to change have been removed from it:
 *
 *     for (int i = me; i < n; i += all)  { mine = mine + data[i]; }     // comment
 *     --> i = me | loop i < n | i += all | mine += data[i]              statements, in no order
 *
 * Layout, comments, braces, const and the types of integers are dropped. `while` becomes `for`,
 * each variable gets its own declaration, and ++i becomes i += 1. Names become numbers: within a
 * statement by their first use, and within a function also by how they are used. So a function in
 * which x and y are swapped has a different fingerprint.
 *
 * The result is a fingerprint of all statements, which shows how similar two programs are, and a
 * text hash, which is equal for programs that differ only in names. Changed names in functions that
 * are complete in the skeleton reveal a copy, because an honest student has no reason to change
 * them. */
#ifndef SIMILAR_SOURCE_H
#define SIMILAR_SOURCE_H

#include "similar/fingerprint.h"

#define SIMILAR_SOURCE_TEXT ((size_t)256 << 10) /* in bytes; longer sources are rejected */

/* A function, or the code outside of all functions. */
struct similar_function {
    uint64_t text;  /* hash of the function's text; does not change when names change */
    uint64_t names; /* hash of the names in the function */
    size_t statements;
};

/* A source that has been read. Must be initialised with {0}, and freed by similar_source_free(). */
struct similar_source {
    struct fingerprint statements;
    struct similar_function *functions;
    size_t function_count;
    uint64_t text; /* hash of the whole source; does not change when names change */
};

/* Reads TEXT (SIZE bytes), which may be malformed. If memory runs out or TEXT is too long, returns
 * false, and SOURCE is empty. */
bool similar_source_read(struct similar_source *source, const char *text, size_t size);
void similar_source_free(struct similar_source *source);

/* Compares SOURCE with SKELETON. Returns the total number of statements in those functions of
 * SOURCE that differ from a function of SKELETON only in names. */
size_t similar_source_renamed(const struct similar_source *source,
                              const struct similar_source *skeleton);

#endif
