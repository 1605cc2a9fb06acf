/* Makes random inputs, cases, the decoy input that main() sees, and numbers as text. */
#include "checks/inputs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/internal.h"

static int random_int(struct check_random *random, int low, int high)
{
    uint64_t span = (uint64_t)((int64_t)high - low) + 1;
    return (int)((int64_t)low + (int64_t)check_random_below(random, span));
}

int check_random_int(struct check *check, int low, int high)
{
    return random_int(&check->random, low, high);
}

void *check_memory(struct check *check, size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory || check->block_count == CHECK_MAX_BLOCKS) {
        fprintf(stderr, "check %s: out of memory for the input\n", check->info->id);
        abort(); /* a Criterion test that crashes counts as a failure of the grader */
    }
    return check->blocks[check->block_count++] = memory;
}

const int *check_random_ints(struct check *check, size_t count, int low, int high)
{
    int *values = check_memory(check, count, sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i] = random_int(&check->random, low, high);
    return values;
}

float *check_random_floats(struct check *check, size_t count, float low, float high)
{
    float *values = check_memory(check, count, sizeof *values);
    for (size_t i = 0; i < count; ++i) {
        /* SHARE is from 0 to 1 - 2^-24, so a float stores it exactly; the sum below can round up to
         * HIGH */
        float share = (float)(check_random_next(&check->random) >> 40) * 0x1p-24f;
        values[i] = low + (high - low) * share;
    }
    return values;
}

struct case_data *check_case(struct check *check, const char *format, ...)
{
    va_list arguments;
    struct case_data *input = case_new();
    if (!input || check->case_count == CHECK_MAX_BLOCKS) {
        fprintf(stderr, "check %s: out of memory for the case\n", check->info->id);
        abort();
    }
    check->cases[check->case_count++] = input;
    va_start(arguments, format);
    vsnprintf(check->context, sizeof check->context, format, arguments);
    va_end(arguments);
    return input;
}

/* --- the decoy input -------------------------------------------------------------------------- */

enum {
    /* The decoy replaces only arrays with at least this number of elements. */
    SHORTEST = 16,
    DRAWS = 64,
    /* Maximum number of equal pairs among DRAWS random pairs. If an array has 16 different
     * elements, 4 pairs are equal on average. */
    MOST_EQUAL = DRAWS / 6,
    PIECE = 16, /* bytes of a piece (gpu/remote/views.h) */
    /* Number of pieces that are spoilt (replaced by other numbers) in an input of at least 64
     * pieces. They are so few that a cheating program must inspect much of the input to find one.
     * They are so many that at most one of ten million honest programs reads none of them. */
    SPOILT = 16,
    POOL = 1 << 14, /* number of elements from which draw() chooses */
};

/* Picks one of COUNT elements of SIZE bytes at random, and returns its bits. */
static inline uint64_t pick(const char *elements, size_t size, size_t count,
                            struct check_random *random)
{
    uint64_t bits = 0;
    size_t at = (size_t)check_random_below(random, count);
    memcpy(&bits, elements + at * size, size);
    return bits;
}

/* Returns whether a few consecutive elements of ARRAY occur at only one place in it. This is very
 * likely if two random elements are seldom equal. */
static bool has_places(const struct case_array *array, struct check_random *random)
{
    size_t size = case_type_size(array->type), count = array->count;
    unsigned equal = 0;
    for (int i = 0; i < DRAWS && count >= SHORTEST; ++i)
        equal +=
            pick(array->values, size, count, random) == pick(array->values, size, count, random);
    return count >= SHORTEST && equal <= MOST_EQUAL;
}

/* Fills TO with COUNT elements, drawn at random from ELEMENTS (COUNT elements of SIZE bytes each).
 * Draws them from a pool of POOL of these elements, because random access to a large array is slow.
 * The pool is large enough that 16 consecutive bytes do not occur at another place by chance.
 * Avoids zeros if possible, because programs put zeros between and after rows. */
__attribute__((always_inline)) static inline void
draw(const char *elements, size_t size, size_t count, struct check_random *random, char *to)
{
    char pool[POOL * 8]; /* room for POOL elements of up to 8 bytes */
    for (size_t i = 0; i < POOL; ++i) {
        uint64_t bits = 0;
        for (int tries = 17; tries > 0 && bits == 0; --tries)
            bits = pick(elements, size, count, random);
        memcpy(pool + i * size, &bits, size);
    }
    for (size_t i = 0; i < count; ++i)
        memcpy(to + i * size, pool + check_random_next(random) % POOL * size, size);
}

/* Adds an array of the same name, type and size as ARRAY to OTHER. If DRAWS is true, its elements
 * are drawn at random from ARRAY; otherwise they are copied. */
static bool add_other(struct case_data *other, const struct case_array *array, bool draws,
                      struct check_random *random)
{
    size_t size = case_type_size(array->type), count = array->count;
    void *room = case_add_room(other, array->name, array->type, count);
    if (!room)
        return false;
    if (!draws)
        memcpy(room, array->values, count * size);
    else if (size == 1)
        draw(array->values, 1, count, random, room);
    else if (size == 4)
        draw(array->values, 4, count, random, room);
    else
        draw(array->values, 8, count, random, room);
    return true;
}

struct case_data *check_other_case(const struct case_data *input, struct check_random *random)
{
    struct case_data *other = case_new();
    const struct case_array *array;
    bool good = other, differs = false;
    for (size_t i = 0; good && (array = case_at(input, i)); ++i) {
        bool draws = has_places(array, random);
        good = add_other(other, array, draws, random);
        differs |= draws;
    }
    if (good && differs)
        return other;
    case_free(other);
    return NULL;
}

size_t check_spoil_rate(const struct case_data *input)
{
    size_t rate = case_bytes(input) / PIECE / SPOILT;
    return rate >= 4 ? rate : 0;
}

void check_free_inputs(struct check *check)
{
    for (unsigned i = 0; i < check->block_count; ++i)
        free(check->blocks[i]);
    for (unsigned i = 0; i < check->case_count; ++i)
        case_free(check->cases[i]);
    check->block_count = check->case_count = 0;
}

const char *check_number(double n)
{
    static char buffers[8][48];
    static unsigned next;
    char *buffer = buffers[next++ % 8], digits[40];
    if (fabs(n) < 100 && n != floor(n)) { /* N is a ratio, so show some decimals */
        snprintf(buffer, sizeof buffers[0], "%.2f", n);
        return buffer;
    }
    snprintf(digits, sizeof digits, "%.0f", n);
    char *to = buffer;
    for (const char *from = digits; *from && to < buffer + sizeof buffers[0] - 2; ++from) {
        *to++ = *from;
        size_t left = strlen(from + 1);
        if (*from != '-' && left > 0 && left % 3 == 0)
            *to++ = ',';
    }
    *to = 0;
    return buffer;
}

const char *check_count(double n, const char *noun)
{
    static char buffers[8][80];
    static unsigned next;
    char *buffer = buffers[next++ % 8];
    snprintf(buffer, sizeof buffers[0], "%s %s%s", check_number(n), noun, n == 1 ? "" : "s");
    return buffer;
}
