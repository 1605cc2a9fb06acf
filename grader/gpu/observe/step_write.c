#include "gpu/observe/step_write.h"

#include <stdlib.h>
#include <string.h>

/* JavaScript's numbers are exact for integers up to 2^53. */
#define EXACT      ((uint64_t)1 << 53)
#define MOST_APART ((int64_t)1 << 32)

bool step_make_room(struct step_buffer *to, size_t size)
{
    size_t room = 2 * to->room + size + 4096;
    uint8_t *bytes = realloc(to->bytes, room);
    if (!bytes) {
        to->failed = true;
        return false;
    }
    to->bytes = bytes;
    to->room = room;
    return true;
}

void step_put_word(struct step_buffer *to, uint32_t word)
{
    if (!step_has_room(to, 4))
        return;
    for (unsigned i = 0; i < 4; i++)
        to->bytes[to->size++] = (uint8_t)(word >> 8 * i);
}

void step_put_number(struct step_buffer *to, uint64_t number)
{
    for (; number >= 128; number >>= 7)
        step_put_byte(to, (unsigned)(number & 127) | 128);
    step_put_byte(to, (unsigned)number);
}

void step_put_signed(struct step_buffer *to, int64_t number)
{
    step_put_number(to, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

void step_put_bytes(struct step_buffer *to, const struct step_buffer *from)
{
    if (!from->size || !step_has_room(to, from->size))
        return;
    memcpy(to->bytes + to->size, from->bytes, from->size);
    to->size += from->size;
}

static uint64_t value_of(const uint32_t *words, uint32_t width, unsigned lane)
{
    return words[lane] | (width == 8 ? (uint64_t)words[WARP + lane] << 32 : 0);
}

/* Returns whether each lane l has the value FIRST + l * STRIDE, modulo 2^32 for values of 4
 * bytes. */
static bool is_affine(const uint32_t *words, uint32_t width, uint32_t mask, int64_t *first,
                      int64_t *stride)
{
    unsigned low = (unsigned)__builtin_ctz(mask), high = 31 - (unsigned)__builtin_clz(mask);
    uint64_t a = value_of(words, width, low), b = value_of(words, width, high);
    int64_t apart = width == 8 ? (int64_t)(b - a) : (int32_t)(uint32_t)(b - a);
    int64_t steps = high > low ? high - low : 1;
    if (a >= EXACT / 4 || apart % steps || apart >= MOST_APART || apart <= -MOST_APART)
        return false;
    *stride = apart / steps;
    *first = (int64_t)a - (int64_t)low * *stride;
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t want = (uint64_t)(*first + (int64_t)l * *stride);
        uint64_t cut = width == 8 ? UINT64_MAX : UINT32_MAX;
        if (value_of(words, width, l) != (want & cut) || (width == 8 && want >= EXACT))
            return false;
    }
    return true;
}

/* Writes the words of each active lane. Uses one or two bytes per word if all values fit. */
static void put_raw(struct step_buffer *to, struct step_buffer *values, const uint32_t *words,
                    uint32_t width, uint32_t mask)
{
    unsigned count = width <= 4 ? 1 : width / 4;
    uint32_t all = count > 1 ? UINT32_MAX : 0;
    for (unsigned l = 0; l < WARP; l++)
        all |= words[l] & -(mask >> l & 1);
    unsigned bytes = all < 1 << 8 ? 1 : all < 1 << 16 ? 2 : 4;
    step_put_byte(to, bytes == 1 ? STEP_BYTES : bytes == 2 ? STEP_HALVES : STEP_RAW);
    if (!step_has_room(values, (size_t)count * WARP * bytes))
        return;
    uint8_t *at = values->bytes + values->size;
    for (unsigned k = 0; k < count; k++)
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t word = words[k * WARP + (unsigned)__builtin_ctz(left)];
            for (unsigned i = 0; i < bytes; i++)
                *at++ = (uint8_t)(word >> 8 * i);
        }
    values->size = (size_t)(at - values->bytes);
}

void step_put_values(struct step_buffer *to, struct step_buffer *values, const uint32_t *words,
                     uint32_t width, uint32_t mask)
{
    int64_t first = 0, stride = 0;
    if (!width) {
        step_put_byte(to, STEP_MASK);
        step_put_word(to, *words);
    } else if (width > 8 || (width != 4 && width != 8) ||
               !is_affine(words, width, mask, &first, &stride)) {
        put_raw(to, values, words, width, mask);
    } else if (!stride) {
        step_put_byte(to, STEP_UNIFORM);
        step_put_number(to, (uint64_t)first);
    } else {
        step_put_byte(to, STEP_AFFINE);
        step_put_signed(to, first);
        step_put_signed(to, stride);
    }
}
