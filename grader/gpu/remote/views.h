/* Keeps two views of the input, because main() sees other numbers than those by which its answer is
 * judged.
 *
 *     shown    the numbers that the program reads from its case file
 *     judged   another case of the same shape, which the program's process never receives
 *
 * All data from the program to the GPU passes through views_swap(), which replaces the shown
 * numbers by the judged ones. It recognises the shown numbers by their contents: 16 bytes or more
 * from any place of the shown case, including rows with gaps between them, and structures of 12
 * bytes that the program has padded to 16. main() reads back the results that kernels compute from
 * the shown numbers; a second device computes the judged results (twin.h). views_learn() adds these
 * pairs of results: if main() sends a result to the GPU unchanged, it is replaced by the judged
 * result. So a program that leaves the work to kernels notices no difference. A program that works
 * in main() uses the wrong numbers.
 *
 * If a program changes its numbers before it copies them, views_swap() cannot recognise them, which
 * views_missing() reports. */
#ifndef GPU_REMOTE_VIEWS_H
#define GPU_REMOTE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct views {
    uint8_t *shown, *judged; /* the input, followed by learned bytes */
    size_t size, input;      /* bytes of each view, and of the input in it */
    size_t next;             /* end of the last piece found, where the next search begins */
    /* a bit for each byte of the input, which is set once the byte has reached the GPU */
    uint8_t *arrived;
};

/* Opens the input in two files of the same size. Returns false if the sizes differ, a file cannot
 * be mapped, or memory runs out. */
bool views_open(struct views *views, const char *shown, const char *judged);
void views_close(struct views *views); /* *VIEWS may be all zeros */

/* Makes views_swap() also replace SHOWN by JUDGED from now on. */
void views_learn(struct views *views, const uint8_t *shown, const uint8_t *judged, size_t size);
/* Replaces the shown numbers in BYTES by the judged numbers. */
void views_swap(struct views *views, uint8_t *bytes, size_t size);
/* Returns the number of bytes of the input that differ between the views and have never reached the
 * GPU. */
size_t views_missing(const struct views *views);

/* Overwrites about one in EVERY pieces of 16 bytes with random bytes. This detects programs that
 * change their numbers before they copy them, because an answer that depends on all BYTES changes.
 * *STATE is the random generator's state and must not be 0. */
void views_spoil(uint64_t *state, uint64_t every, uint8_t *bytes, size_t size);

#endif
