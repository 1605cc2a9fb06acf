#include "gpu/observe/shape.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 32u
#define BANKS 32u
/* a message has at most this many characters, so that it fits a line of the terminal when it is
 * indented */
#define LONGEST 92u

/* The active lanes, from the lowest to the highest. */
struct lanes {
    unsigned count, lane[LANES];
    uint64_t addr[LANES];
};

static struct lanes active_lanes(const struct shape_access *access)
{
    struct lanes lanes = {0};
    for (unsigned l = 0; l < LANES; l++) {
        if (!(access->mask >> l & 1))
            continue;
        lanes.lane[lanes.count] = l;
        lanes.addr[lanes.count++] = access->addr[l];
    }
    return lanes;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* --- finding the rule ------------------------------------------------------------------------- */

/* Sets *STEP to the distance in bytes between active lane I and the next active lane, divided by
 * the number of lanes between them. Returns false if the result is not a whole number. */
static bool step_at(const struct lanes *lanes, unsigned i, int64_t *step)
{
    int64_t far = (int64_t)(lanes->addr[i + 1] - lanes->addr[i]);
    int64_t gap = (int64_t)(lanes->lane[i + 1] - lanes->lane[i]);
    *step = far / gap;
    return far % gap == 0;
}

static bool is_stride(const struct lanes *lanes, unsigned bytes, struct shape *shape)
{
    int64_t step;
    if (!step_at(lanes, 0, &shape->step) || shape->step % bytes)
        return false;
    for (unsigned i = 1; i + 1 < lanes->count; i++)
        if (!step_at(lanes, i, &step) || step != shape->step)
            return false;
    return true;
}

/* Does the same as is_stride(), but counts only active lanes. Example: lanes 0, 2, 4, ... access
 * words 0, 1, 2, ... */
static bool is_packed_stride(const struct lanes *lanes, struct shape *shape)
{
    shape->step = (int64_t)(lanes->addr[1] - lanes->addr[0]);
    for (unsigned i = 1; i + 1 < lanes->count; i++)
        if ((int64_t)(lanes->addr[i + 1] - lanes->addr[i]) != shape->step)
            return false;
    shape->packed = true;
    return true;
}

/* Returns whether the addresses form rows of WIDTH lanes. FIRST is the number of lanes in the first
 * row, which is less than WIDTH if that row began in the previous warp. */
static bool fits_rows(const struct lanes *lanes, unsigned first, unsigned width,
                      struct shape *shape)
{
    bool step_known = false, jump_known = false;
    unsigned phase = width - first;
    for (unsigned i = 0; i + 1 < lanes->count; i++) {
        unsigned one = lanes->lane[i] + phase, next = lanes->lane[i + 1] + phase;
        int64_t far = (int64_t)(lanes->addr[i + 1] - lanes->addr[i]);
        int64_t *want = one / width == next / width ? &shape->step : &shape->jump;
        bool *known = one / width == next / width ? &step_known : &jump_known;
        if (!*known)
            *want = far;
        *known = true;
        if (*want != far)
            return false;
    }
    /* until here, `jump` is the distance from the last lane of a row to the first lane of the next
     * row */
    shape->jump += (int64_t)(width - 1) * shape->step;
    shape->width = width;
    return step_known && jump_known;
}

/* Returns whether the addresses form a stride that wraps around: from one lane to the next, the
 * address changes by STEP or, where it wraps, by STEP - JUMP. */
static bool is_wrap(const struct lanes *lanes, struct shape *shape)
{
    int64_t up = 0, down = 0;
    for (unsigned i = 0; i + 1 < lanes->count; i++) {
        int64_t far = (int64_t)(lanes->addr[i + 1] - lanes->addr[i]);
        int64_t *way = far > 0 ? &up : &down;
        if (far == 0 || (*way && *way != far))
            return false;
        *way = far;
    }
    shape->kind = SHAPE_WRAP;
    shape->step = up;
    shape->jump = up - down;
    return up && down && shape->span <= (uint64_t)shape->jump;
}

/* Returns how many lanes have a lower address than the previous lane. */
static unsigned count_falls(const struct lanes *lanes)
{
    unsigned falls = 0;
    for (unsigned i = 0; i + 1 < lanes->count; i++)
        falls += lanes->addr[i + 1] < lanes->addr[i];
    return falls;
}

/* Finds rows if the active lanes are the lowest lanes without a gap. At least one row must be
 * complete. If there are no rows, tries a stride that wraps around, and then two pieces
 * (shape.h). */
static bool is_rows(const struct lanes *lanes, unsigned bytes, struct shape *shape)
{
    unsigned count = lanes->count;
    if (lanes->lane[count - 1] != count - 1 || count < 3)
        return false;
    shape->kind = SHAPE_ROWS;
    for (unsigned width = 2; width < count; width++)
        for (unsigned first = width; first > 0; first--)
            if ((first == width || first + width < count) && fits_rows(lanes, first, width, shape))
                return true;
    if (is_wrap(lanes, shape) && shape->jump % bytes == 0 && shape->step % bytes == 0 &&
        count_falls(lanes) > 1)
        return true;
    shape->kind = SHAPE_PIECES;
    for (unsigned first = 1; first < count; first++)
        if (fits_rows(lanes, first, count, shape)) {
            shape->jump -= (int64_t)(count - 1) * shape->step;
            shape->width = first;
            return true;
        }
    return false;
}

/* Computes the span of the addresses and the number of distinct addresses. */
static void measure(const struct lanes *lanes, unsigned bytes, struct shape *shape)
{
    uint64_t sorted[LANES];
    memcpy(sorted, lanes->addr, sizeof sorted);
    qsort(sorted, lanes->count, sizeof *sorted, by_value);
    shape->distinct = 1;
    for (unsigned i = 1; i < lanes->count; i++)
        shape->distinct += sorted[i] != sorted[i - 1];
    shape->low = sorted[0];
    shape->span = sorted[lanes->count - 1] - sorted[0] + bytes;
    shape->dense = shape->span <= (uint64_t)shape->distinct * bytes;
}

struct shape shape_find(const struct shape_access *access)
{
    struct lanes lanes = active_lanes(access);
    struct shape shape = {.kind = SHAPE_SINGLE};
    measure(&lanes, access->bytes, &shape);
    if (lanes.count == 1)
        return shape;
    if (shape.distinct == 1)
        shape.kind = SHAPE_SAME;
    else if (is_stride(&lanes, access->bytes, &shape) || is_packed_stride(&lanes, &shape))
        shape.kind = SHAPE_STRIDE;
    else if (!is_rows(&lanes, access->bytes, &shape))
        shape.kind = shape.dense ? SHAPE_MIXED : SHAPE_SCATTERED;
    return shape;
}

/* --- texts for global memory ------------------------------------------------------------------ */

/* Writes ", starting 4 bytes into a sector" if the words do not start at a sector, otherwise "". */
static const char *describe_start(char text[64], const struct shape *shape)
{
    *text = '\0';
    if (shape->low % 32)
        snprintf(text, 64, ", starting %u byte%s into a sector", (unsigned)(shape->low % 32),
                 shape->low % 32 == 1 ? "" : "s");
    return text;
}

static uint64_t sectors(uint64_t bytes)
{
    return (bytes + 31) / 32;
}

/* Returns whether neighbouring lanes access neighbouring words, but need extra sectors because of
 * inactive lanes in between. */
static bool is_thin(const struct shape_access *access, const struct shape *shape)
{
    return shape->kind == SHAPE_STRIDE && !shape->packed &&
           llabs(shape->step) == (int64_t)access->bytes &&
           sectors((uint64_t)shape->distinct * access->bytes) < sectors(shape->span);
}

/* Writes "one lane in 2" or "8 of 32 lanes" for the active lanes in MASK. */
static void describe_few(char text[40], uint32_t mask)
{
    unsigned count = (unsigned)__builtin_popcount(mask), first = (unsigned)__builtin_ctz(mask);
    unsigned last = LANES - 1 - (unsigned)__builtin_clz(mask), gap = 1;
    while (first + gap <= last && !(mask >> (first + gap) & 1))
        gap++;
    uint32_t regular = 0;
    for (unsigned l = first % gap; l < LANES; l += gap)
        regular |= 1u << l;
    if (count > 1 && mask == regular)
        snprintf(text, 40, "one lane in %u", gap);
    else
        snprintf(text, 40, "%u of 32 lanes", count);
}

/* Describes an access to neighbouring words. Some lanes may be inactive, and the words may begin in
 * the middle of a sector. */
static void describe_neighbours(char *text, size_t size, const struct shape_access *access,
                                const struct shape *shape, const char *verb)
{
    char start[64], few[40];
    describe_start(start, shape);
    describe_few(few, access->mask);
    if (!is_thin(access, shape))
        snprintf(text, size, "lanes %s neighbouring words%s%s", verb,
                 shape->step < 0 ? ", backwards" : "", start);
    else
        snprintf(text, size, *few == 'o' ? "only %s %ss its word%s" : "only %s %s their words%s",
                 few, verb, shape->low % 32 + shape->span > 32 * sectors(shape->span) ? start : "");
}

static void describe_stride(char *text, size_t size, const struct shape_access *access,
                            const struct shape *shape, const char *verb)
{
    unsigned bytes = access->bytes;
    uint64_t step = (uint64_t)llabs(shape->step);
    const char *back = shape->step < 0 ? ", backwards" : "";
    const char *who = shape->packed ? "active lanes" : "neighbouring lanes";
    if (step == bytes)
        describe_neighbours(text, size, access, shape, verb);
    else if (step % bytes == 0 && step <= 128)
        snprintf(text, size,
                 "each lane %ss %u of every %" PRIu64 " bytes (stride %" PRIu64 " elements%s)",
                 verb, bytes, step, step / bytes, back);
    else
        snprintf(text, size, "%s %s words %" PRIu64 " bytes apart (stride %" PRIu64 " elements%s)",
                 who, verb, step, step / bytes, back);
}

static void describe_rows(char *text, size_t size, const struct shape_access *access,
                          const struct shape *shape, const char *verb)
{
    if (shape->step == 0)
        snprintf(text, size,
                 "each group of %u lanes %ss the same word; the next group's word is %" PRId64
                 " bytes away",
                 shape->width, verb, shape->jump);
    else if (shape->jump == 0)
        snprintf(text, size,
                 "lanes %s words %" PRId64
                 " bytes apart; after %u lanes the same words repeat (modulo %u)",
                 verb, shape->step, shape->width, shape->width);
    else if (shape->step == (int64_t)access->bytes)
        snprintf(text, size,
                 "each group of %u lanes %ss neighbouring words; the next group is %" PRId64
                 " bytes away",
                 shape->width, verb, shape->jump);
    else
        snprintf(text, size,
                 "each group of %u lanes %ss words %" PRId64
                 " bytes apart; the next group is %" PRId64 " bytes away",
                 shape->width, verb, shape->step, shape->jump);
}

/* Describes two pieces (shape.h): parts of two rows whose width is unknown. */
static void describe_pieces(char *text, size_t size, const struct shape_access *access,
                            const struct shape *shape, const char *verb)
{
    unsigned second = shape->width, last = 31u - (unsigned)__builtin_clz(access->mask);
    snprintf(text, size,
             "lanes 0 to %u and %u to %u %s two pieces, with a jump of %" PRId64
             " bytes from lane %u to %u",
             second - 1, second, last, verb, shape->jump, second - 1, second);
}

/* Describes an access to neighbouring words in mixed order. On today's GPUs, the order costs
 * nothing. */
static void describe_dense(char *text, size_t size, const struct shape *shape, const char *verb)
{
    char start[64];
    describe_start(start, shape);
    snprintf(text, size, "lanes %s neighbouring words%s%s", verb,
             *start ? "" : ", but out of order", start);
}

static void describe_scattered(char *text, size_t size, const struct shape_access *access,
                               const struct shape *shape, const char *verb)
{
    if (shape->distinct == (unsigned)__builtin_popcount(access->mask))
        snprintf(text, size, "each lane %ss a different word, spread over %" PRIu64 " bytes", verb,
                 shape->span);
    else
        snprintf(text, size, "the lanes %s %u different words, spread over %" PRIu64 " bytes", verb,
                 shape->distinct, shape->span);
}

void shape_describe_global(char *text, size_t size, const struct shape_access *access,
                           const char *verb)
{
    struct shape shape = shape_find(access);
    if (shape.kind == SHAPE_STRIDE)
        describe_stride(text, size, access, &shape, verb);
    else if (shape.distinct == 1) /* this access is already as good as possible */
        snprintf(text, size, "all lanes %s the same word", verb);
    else if (shape.dense)
        describe_dense(text, size, &shape, verb);
    else if (shape.kind == SHAPE_ROWS)
        describe_rows(text, size, access, &shape, verb);
    else if (shape.kind == SHAPE_WRAP)
        snprintf(text, size,
                 "lanes %s words %" PRId64 " bytes apart, beginning again after %" PRId64
                 " bytes (modulo %" PRId64 " elements)",
                 verb, shape.step, shape.jump, shape.jump / access->bytes);
    else if (shape.kind == SHAPE_PIECES)
        describe_pieces(text, size, access, &shape, verb);
    else
        describe_scattered(text, size, access, &shape, verb);
}

const char *shape_help_global(const struct shape_access *access)
{
    struct shape shape = shape_find(access);
    bool neighbours =
        shape.kind == SHAPE_STRIDE && !shape.packed && llabs(shape.step) == (int64_t)access->bytes;
    if (is_thin(access, &shape))
        return "let all lanes of a warp take part: memory moves the words of idle lanes, too";
    if (neighbours || shape.dense)
        return "let a warp's words begin at a multiple of 32 bytes; cudaMallocPitch() does this for rows";
    if (shape.kind == SHAPE_SCATTERED)
        return "if possible, order the work so that neighbouring threads have neighbouring indices";
    return NULL;
}

/* --- texts for shared memory ------------------------------------------------------------------ */

/* For each distinct word that is accessed in the bank with the most words: the word, and a lane
 * that accesses it. */
struct collision {
    unsigned count, lane[LANES], bank;
    uint32_t word[LANES]; /* a word's index in shared memory, address / 4 */
};

static bool has_word(const struct collision *hit, uint32_t word)
{
    for (unsigned i = 0; i < hit->count; i++)
        if (hit->word[i] == word)
            return true;
    return false;
}

/* Returns the collision in the fullest column of banks, among COUNT lanes from FIRST on. A column
 * is as wide as a lane's access, but at least one word. */
static struct collision collide(const struct shape_access *access, unsigned first, unsigned count)
{
    unsigned shift = access->bytes > 4 ? (unsigned)__builtin_ctz(access->bytes) : 2;
    unsigned columns = BANKS * 4 >> shift;
    struct collision hits[BANKS] = {0}, *most = &hits[0];
    for (unsigned l = first; l < first + count; l++) {
        uint32_t piece = (uint32_t)access->addr[l] >> shift, word = piece << shift >> 2;
        struct collision *hit = &hits[piece & (columns - 1)];
        if (!(access->mask >> l & 1) || has_word(hit, word))
            continue;
        hit->bank = word % BANKS;
        hit->lane[hit->count] = l;
        hit->word[hit->count++] = word;
        most = hit->count > most->count ? hit : most;
    }
    return *most;
}

static struct collision worst_collision(const struct shape_access *access)
{
    if (access->bytes < 16)
        return collide(access, 0, LANES);
    struct collision low = collide(access, 0, LANES / 2),
                     high = collide(access, LANES / 2, LANES / 2);
    return high.count > low.count ? high : low;
}

/* Writes the numbers, but at most MOST of them: "0, 4, 8, ..." if MOST is 3. */
static void list(char text[48], const unsigned *numbers, unsigned count, unsigned most)
{
    size_t used = 0;
    for (unsigned i = 0; i < count && i < most; i++)
        used += (size_t)snprintf(text + used, 48 - used, "%s%u", i ? ", " : "", numbers[i]);
    if (count > most)
        snprintf(text + used, 48 - used, ", ...");
}

/* Writes the rule of the addresses, such as " (stride 8 words)", or "" if there is none. */
static void describe_rule(char text[64], const struct shape_access *access)
{
    struct shape shape = shape_find(access);
    int64_t step = shape.step / 4, jump = shape.jump / 4;
    bool rows = shape.kind == SHAPE_ROWS && shape.step % 4 == 0 && shape.jump % 4 == 0;
    *text = '\0';
    if (shape.packed)
        return;
    if (shape.kind == SHAPE_STRIDE && shape.step % 4 == 0)
        snprintf(text, 64, " (stride %" PRId64 " words)", step);
    else if (shape.kind == SHAPE_STRIDE)
        snprintf(text, 64, " (stride %" PRId64 " bytes)", shape.step);
    else if (rows && step == 0)
        snprintf(text, 64, " (%u lanes per word, %" PRId64 " words apart)", shape.width, jump);
    else if (rows && shape.step == (int64_t)access->bytes)
        snprintf(text, 64, " (groups of %u lanes, %" PRId64 " words apart)", shape.width, jump);
    else if (rows)
        snprintf(text, 64, " (stride %" PRId64 " words in groups of %u lanes)", step, shape.width);
}

/* Describes an access to shared memory by two lists of three numbers and the rule of its addresses.
 * If the text is too long, shortens the lists to two numbers, because the rule is more useful than
 * a third number. If that is still too long, leaves out the rule. */
void shape_describe_shared(char *text, size_t size, const struct shape_access *access,
                           const char *verb)
{
    char lanes[48], words[48], rule[64];
    struct collision hit = worst_collision(access);
    if (hit.count < 2) {
        snprintf(text, size, "lanes %s more words than the banks can serve in one pass", verb);
        return;
    }
    describe_rule(rule, access);
    for (unsigned most = 3;; most = most == 3 && *rule ? 2 : 3) {
        list(lanes, hit.lane, hit.count, most);
        list(words, hit.word, hit.count, most);
        int length = snprintf(text, size, "lanes %s %s words %s: all in bank %u%s", lanes, verb,
                              words, hit.bank, rule);
        if (length <= (int)LONGEST || !*rule)
            return;
        if (most == 2)
            *rule = '\0';
    }
}

const char *shape_help_shared(const struct shape_access *access)
{
    struct shape shape = shape_find(access);
    if (shape.kind == SHAPE_ROWS && llabs(shape.step) == (int64_t)access->bytes)
        return "put all lanes of a warp in one row: make blocks 32 threads wide";
    if (shape.kind == SHAPE_SCATTERED)
        return "spread the lanes over more banks: keep several copies, or reorder the words";
    return NULL;
}
