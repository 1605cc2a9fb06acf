/* Keeps two views of the input. The program's main() sees one view, and the grader judges the
 * program's results by the other view.
 *
 *     shown    the numbers that the program reads from its case file
 *     judged   another case of the same shape, which never reaches the program's process
 *
 * All data from the program to the GPU passes through views_swap(), which replaces shown numbers by
 * judged numbers. It recognises shown numbers by their bytes: any 16 or more consecutive bytes of
 * the shown case. The bytes can be in rows with gaps between them, or in structures of 12 bytes
 * that the program has padded to 16.
 *
 * main() reads back the results that kernels compute from the shown numbers, and a second device
 * computes the judged results (twin.h). views_learn() remembers each pair of results: if main()
 * sends a result to the GPU again, the judged result replaces it. So a program whose kernels do the
 * work gets the judged results, and a program that computes in main() uses the wrong numbers.
 *
 * views_swap() cannot recognise numbers that a program changes before it copies them.
 * views_missing() detects this: it counts the bytes of the input that never reached the GPU. */
#ifndef GPU_REMOTE_VIEWS_H
#define GPU_REMOTE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct views {
    uint8_t *shown, *judged; /* the input, followed by learned bytes */
    /* bytes of each view including learned bytes, and bytes of the input alone */
    size_t size, input;
    /* offset of the end of the last piece found, where the next search begins */
    size_t next;
    /* bit i is set once byte i of the input has reached the GPU */
    uint8_t *arrived;
};

/* Opens both views of the input from two files. Returns false if the files differ in size, a file
 * cannot be mapped, or memory runs out. */
bool views_open(struct views *views, const char *shown, const char *judged);
void views_close(struct views *views); /* *VIEWS may be all zeros */

/* From now on, views_swap() also replaces the SIZE bytes of SHOWN with JUDGED. */
void views_learn(struct views *views, const uint8_t *shown, const uint8_t *judged, size_t size);
/* Replaces the shown numbers among the SIZE BYTES with the judged numbers. */
void views_swap(struct views *views, uint8_t *bytes, size_t size);
/* Returns the number of bytes of the input that differ between the views and have never reached the
 * GPU. */
size_t views_missing(const struct views *views);

/* Divides BYTES into pieces of 16 bytes, and changes about one piece in EVERY at random. A result
 * that depends on all BYTES then differs. Used for programs that change their numbers before they
 * copy them. *STATE is the state of the random generator and must not be 0. */
void views_spoil(uint64_t *state, uint64_t every, uint8_t *bytes, size_t size);

#endif
