/* Writes the stream of a recording: numbers, words, and the values of 32 lanes. */
#ifndef GPU_OBSERVE_STEP_WRITE_H
#define GPU_OBSERVE_STEP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/lanes.h"

/* The forms in which the values of the lanes are written. */
enum step_form {
    STEP_PREDICTED, /* the model predicts them */
    STEP_UNIFORM,   /* all lanes have the same number, which follows */
    STEP_AFFINE,    /* lane l has first + l * stride; both follow, signed */
    STEP_RAW,       /* the words of each active lane follow */
    STEP_MASK,      /* a predicate, as one word */
};

/* Bytes that grow; `failed` is set when memory runs out. */
struct step_buffer {
    uint8_t *bytes;
    size_t size, room;
    bool failed;
};

void step_put_byte(struct step_buffer *to, unsigned byte);
void step_put_word(struct step_buffer *to, uint32_t word);
void step_put_number(struct step_buffer *to, uint64_t number); /* NUMBER is below 2^53 */
/* the absolute value is below 2^52 */
void step_put_signed(struct step_buffer *to, int64_t number);
void step_put_bytes(struct step_buffer *to, const struct step_buffer *from);

/* Writes the values of the lanes of MASK in a register of WIDTH bytes, in the form that the model
 * uses. */
void step_put_values(struct step_buffer *to, const uint32_t *words, uint32_t width, uint32_t mask);

#endif
