/* Appends numbers, words and the values of 32 lanes to the stream of a recording. */
#ifndef GPU_OBSERVE_STEP_WRITE_H
#define GPU_OBSERVE_STEP_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/lanes.h"

/* The forms in which the values of the lanes are written. */
enum step_form {
    STEP_PREDICTED, /* nothing follows: the model's prediction is right */
    STEP_UNIFORM,   /* one number, which all lanes have */
    STEP_AFFINE,    /* two signed numbers: lane l has first + l * stride */
    STEP_RAW,       /* the words of each active lane */
    STEP_MASK,      /* a predicate: one word with a bit for each lane */
    STEP_BYTES,     /* one byte for each active lane */
    STEP_HALVES,    /* two bytes for each active lane */
};

/* A growing array of bytes. `failed` is set when memory runs out. */
struct step_buffer {
    uint8_t *bytes;
    size_t size, room;
    bool failed;
};

/* Makes room for SIZE more bytes. Returns false when out of memory. */
bool step_make_room(struct step_buffer *to, size_t size);
static inline bool step_has_room(struct step_buffer *to, size_t size)
{
    return to->room - to->size >= size || step_make_room(to, size);
}

static inline void step_put_byte(struct step_buffer *to, unsigned byte)
{
    if (step_has_room(to, 1))
        to->bytes[to->size++] = (uint8_t)byte;
}
void step_put_word(struct step_buffer *to, uint32_t word);
void step_put_number(struct step_buffer *to, uint64_t number); /* NUMBER must be less than 2^53 */
/* the absolute value of NUMBER must be less than 2^52 */
void step_put_signed(struct step_buffer *to, int64_t number);
void step_put_bytes(struct step_buffer *to, const struct step_buffer *from);

/* Writes the values of a register of WIDTH bytes for the lanes in MASK. WORDS is in the model's
 * form. The words of single lanes go to VALUES, everything else to TO. */
void step_put_values(struct step_buffer *to, struct step_buffer *values, const uint32_t *words,
                     uint32_t width, uint32_t mask);

#endif
