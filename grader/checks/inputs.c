/* Random inputs, cases, and numbers in words. */
#include "checks/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SplitMix64: a counter that goes through a bijective mixer. Any state is a good one, so a state can
 * be made from a seed and a name. */
uint64_t check_random_next(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

uint64_t check_random_start(uint64_t seed, const char *id)
{
    uint64_t state = seed;
    for (; *id; ++id)
        state = check_random_next(&state) + (unsigned char)*id;
    return state;
}

static int random_int(uint64_t *state, int low, int high)
{
    uint64_t span = (uint64_t)((int64_t)high - low) + 1;
    /* The upper half of a 64 x 64 bit product: 0 to span - 1, as even as 64 bits allow. */
    uint64_t offset = (uint64_t)((unsigned __int128)check_random_next(state) * span >> 64);
    return (int)((int64_t)low + (int64_t)offset);
}

int check_random_int(struct check *check, int low, int high)
{
    return random_int(&check->random, low, high);
}

void *check_memory(struct check *check, size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory || check->block_count == CHECK_MAX_BLOCKS) {
        fprintf(stderr, "check %s: no memory for its input\n", check->info->id);
        abort(); /* a Criterion test that crashes is the grader's failure */
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
        /* 0 to 1 - 2^-24, a float each; the sum may round to HIGH. */
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
        fprintf(stderr, "check %s: no memory for its case\n", check->info->id);
        abort();
    }
    check->cases[check->case_count++] = input;
    va_start(arguments, format);
    vsnprintf(check->context, sizeof check->context, format, arguments);
    va_end(arguments);
    return input;
}

/* --- what main() is shown --------------------------------------------------------------------------- */

enum {
    SHORTEST = 16, /* elements of an array that is worth hiding */
    DRAWS = 64,
    MOST_EQUAL = DRAWS / 6, /* of 16 different elements, 4 draws of two are the same one */
    PIECE = 16,             /* bytes: remote/views.h */
    /* Pieces of an input that has at least four times as many. With the fewer, the more of it must be looked at
     * by who wants to find one; but of ten million honest programs only one is to have none at all. */
    SPOILT = 16,
};

/* The bits of one of ARRAY's elements. */
static uint64_t pick(const struct case_array *array, uint64_t *random)
{
    size_t at = (size_t)((unsigned __int128)check_random_next(random) * array->count >> 64);
    return case_type_size(array->type) == 4 ? ((const uint32_t *)array->values)[at]
                                            : ((const uint64_t *)array->values)[at];
}

/* Whether neighbours tell where they are: two of its elements are rarely equal. */
static bool is_telling(const struct case_array *array, uint64_t *random)
{
    unsigned equal = 0;
    for (int i = 0; i < DRAWS && array->count >= SHORTEST; ++i)
        equal += pick(array, random) == pick(array, random);
    return array->count >= SHORTEST && equal <= MOST_EQUAL;
}

/* As many elements, each of them one of ARRAY's. Zeros are left out as far as possible: programs put them between
 * rows, and behind them. */
static void draw(const struct case_array *array, uint64_t *random, void *to)
{
    bool small = case_type_size(array->type) == 4;
    for (size_t i = 0; i < array->count; ++i) {
        uint64_t bits = pick(array, random);
        for (int more = 16; more > 0 && bits == 0; --more)
            bits = pick(array, random);
        if (small)
            ((uint32_t *)to)[i] = (uint32_t)bits;
        else
            ((uint64_t *)to)[i] = bits;
    }
}

struct case_data *check_other_case(const struct case_data *input, uint64_t *random)
{
    struct case_data *other = case_new();
    const struct case_array *array;
    bool good = other, differs = false;
    for (size_t i = 0; good && (array = case_at(input, i)); ++i) {
        bool draws = is_telling(array, random);
        void *values = draws ? malloc(array->count * case_type_size(array->type)) : NULL;
        if (values)
            draw(array, random, values);
        good = draws == (values != NULL) && case_add(other, array->name, array->type,
                                                     values ? values : array->values, array->count);
        differs |= draws;
        free(values);
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
    if (fabs(n) < 100 && n != floor(n)) { /* a ratio */
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
