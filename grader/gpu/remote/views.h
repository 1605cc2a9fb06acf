/* Two views of the input: main() is shown other numbers than the answer is judged by.
 *
 *     shown    what the program reads from its case file
 *     judged   another case of the same shape, which the program's process never gets
 *
 * Whatever goes from the program to the GPU passes views_swap(), which puts the judged numbers in
 * the place of the shown ones. They are told by what they are: 16 bytes or more of the shown case,
 * wherever they lie in it, rows with gaps between them included. What kernels then make of them
 * goes back to main() as they would have made it of the shown ones (server.c has two devices for
 * that), and is shown, too: if main() hands it to the GPU again, as it is, it becomes the judged
 * once more. So a program that leaves the work to kernels notices nothing, and one that works in
 * main() works on the wrong numbers.
 *
 * Where a program prepares its numbers before it copies them, nothing is told: views_missing() says
 * so. */
#ifndef GPU_REMOTE_VIEWS_H
#define GPU_REMOTE_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct views {
    uint8_t *shown, *judged; /* the input, then what was learned */
    size_t size, input;      /* bytes: of all, of the input */
    size_t next;             /* where the piece that was found last ends */
    uint8_t *arrived;        /* a bit for each byte of the input: the GPU has got it */
};

/* Takes the input from two files of one size. False: that is not what they are, or memory is out.
 * */
bool views_open(struct views *views, const char *shown, const char *judged);
void views_close(struct views *views); /* all zeros are allowed */

/* From now on SHOWN stands for JUDGED, too. */
void views_learn(struct views *views, const uint8_t *shown, const uint8_t *judged, size_t size);
/* Makes what is shown in BYTES judged. */
void views_swap(struct views *views, uint8_t *bytes, size_t size);
/* How many bytes of the input that are not the same in both views the GPU has never got. */
size_t views_missing(const struct views *views);

/* The rest is for programs that prepare their numbers. Of BYTES, 16 at a time, one in EVERY becomes
 * random: an answer that is made from all of them becomes another one. STATE, not 0, changes. */
void views_spoil(uint64_t *state, uint64_t every, uint8_t *bytes, size_t size);

#endif
