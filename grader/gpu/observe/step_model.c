/* Implements the model that the recorder of a block shares with the reader of the recording
 * (step_model.h). The reader is grader/report/step/read.js. Every change here needs the same change
 * there. */
#include "gpu/observe/step_model.h"

#include <stdlib.h>
#include <string.h>

/* --- registers -------------------------------------------------------------------------------- */

static uint32_t words_of(uint32_t width)
{
    return !width ? 1 : width <= 4 ? WARP : width / 4 * WARP;
}

bool step_model_open(struct step_model *model, const struct launch_view *launch,
                     const uint32_t *widths, uint32_t registers)
{
    *model = (struct step_model){.room = 4096};
    model->at = calloc((size_t)registers + 1, sizeof *model->at);
    for (uint32_t i = 0; i < registers && model->at; i++) {
        model->at[i] = model->warp_words;
        model->warp_words += words_of(widths[i]);
    }
    model->shared_words = (launch->shared_bytes + 3) / 4;
    model->words = calloc((size_t)model->warp_words * launch->warps + 1, sizeof *model->words);
    model->shared = malloc(((size_t)model->shared_words + 1) * sizeof *model->shared);
    model->keys = calloc(model->room, sizeof *model->keys);
    model->chunks = calloc(model->room, sizeof *model->chunks);
    if (model->at && model->words && model->shared && model->keys && model->chunks) {
        memset(model->shared, (int)(launch->memory->poison & 0xff),
               (size_t)model->shared_words * sizeof *model->shared);
        model->shared[model->shared_words] = 0;
        return true;
    }
    step_model_close(model);
    return false;
}

void step_model_close(struct step_model *model)
{
    free(model->at);
    free(model->words);
    free(model->shared);
    free(model->keys);
    free(model->chunks);
    *model = (struct step_model){0};
}

const uint32_t *step_read_register(const uint8_t *bytes, uint32_t width, uint32_t room[STEP_WORDS])
{
    if (!width || width == 4)
        return (const uint32_t *)(const void *)bytes;
    for (unsigned l = 0; l < WARP; l++) {
        if (width == 16) /* first the lower halves of all lanes, then the upper halves */
            for (unsigned k = 0; k < 4; k++)
                memcpy(&room[k * WARP + l], bytes + k / 2 * 8 * WARP + 8 * l + 4 * (k % 2), 4);
        else if (width == 8)
            for (unsigned k = 0; k < 2; k++)
                memcpy(&room[k * WARP + l], bytes + 8 * l + 4 * k, 4);
        else
            room[l] = 0, memcpy(&room[l], bytes + (size_t)width * l, width);
    }
    return room;
}

/* --- memory ----------------------------------------------------------------------------------- */

static size_t search(struct step_model *model, uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 20) & (model->room - 1);
    while (model->keys[at] && model->keys[at] != key)
        at = (at + 1) & (model->room - 1);
    return model->latest = at;
}

/* Returns the index of the entry that holds the chunk KEY or, if there is none, of a free entry for
 * it. Accesses often stay in the same chunk. */
LANES_INLINE size_t place_of(struct step_model *model, uint64_t key)
{
    return model->keys[model->latest] == key ? model->latest : search(model, key);
}

static void grow(struct step_model *model)
{
    struct step_model old = *model;
    model->room *= 2;
    model->latest = 0;
    model->keys = calloc(model->room, sizeof *model->keys);
    model->chunks = calloc(model->room, sizeof *model->chunks);
    if (!model->keys || !model->chunks) {
        free(model->keys);
        free(model->chunks);
        *model = old;
        model->failed = true;
        return;
    }
    for (size_t i = 0; i < old.room; i++) {
        if (!old.keys[i])
            continue;
        size_t at = place_of(model, old.keys[i]);
        model->keys[at] = old.keys[i];
        memcpy(model->chunks[at], old.chunks[i], sizeof *old.chunks);
    }
    free(old.keys);
    free(old.chunks);
}

static uint64_t key_of(uint64_t addr)
{
    return addr / STEP_CHUNK + 1;
}

uint32_t step_global_word(struct step_model *model, uint64_t addr)
{
    size_t at = place_of(model, key_of(addr));
    return model->keys[at] ? model->chunks[at][addr % STEP_CHUNK / 4] : 0;
}

void step_set_word(struct step_model *model, bool shared, uint64_t addr, uint32_t value)
{
    if (shared) {
        if (addr / 4 < model->shared_words)
            model->shared[addr / 4] = value;
        return;
    }
    if (4 * model->count > 3 * model->room)
        grow(model);
    if (!addr || model->failed)
        return;
    size_t at = place_of(model, key_of(addr));
    model->count += !model->keys[at];
    model->keys[at] = key_of(addr);
    model->chunks[at][addr % STEP_CHUNK / 4] = value;
}

void step_store(struct step_model *model, bool shared, uint64_t addr, unsigned bytes, uint32_t low,
                uint32_t high)
{
    uint64_t word = addr & ~(uint64_t)3;
    if (bytes >= 4) {
        step_set_word(model, shared, word, low);
        if (bytes == 8)
            step_set_word(model, shared, word + 4, high);
        return;
    }
    unsigned shift = 8 * (unsigned)(addr & 3);
    uint32_t bits = ((1u << 8 * bytes) - 1) << shift;
    uint32_t old = step_word(model, shared, word);
    step_set_word(model, shared, word, (old & ~bits) | (low << shift & bits));
}

/* --- predictions ------------------------------------------------------------------------------ */

/* Returns the words of an operand: the low words of all lanes and, if it has 8 bytes, their high
 * words. ROOM is a buffer, which is used if the operand is a constant. */
LANES_INLINE const uint32_t *operand(const struct step_model *model, const struct step_operand *op,
                                     uint32_t warp, uint32_t room[2 * WARP])
{
    if (op->reg != STEP_NONE)
        return step_register(model, warp, op->reg);
    for (unsigned l = 0; l < WARP; l++) {
        room[l] = (uint32_t)op->value;
        room[WARP + l] = (uint32_t)(op->value >> 32);
    }
    return room;
}

LANES_INLINE float single(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

LANES_INLINE uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Computes the result of a float operation as the reader does: in double precision, rounded once to
 * float. This differs from the emulator's result only for a few fused multiply-adds. Those results
 * are recorded. */
LANES_INLINE uint32_t compute_float(uint8_t op, uint32_t x, uint32_t y, uint32_t z)
{
    double a = single(x), b = single(y), c = single(z);
    double exact = op == STEP_FADD ? a + b : op == STEP_FSUB ? a - b : a * b;
    float value = (float)(op == STEP_FMA ? exact + c : exact);
    /* the reader cannot tell NaNs apart, so all NaNs become this one */
    return value != value ? 0x7fc00000u : bits_of(value);
}

/* Each operation has its own loop, so that the compiler can process several lanes at once. */
#define EACH_LANE(result)                                                                          \
    for (unsigned l = 0; l < WARP; l++)                                                            \
        words[l] = result;                                                                         \
    break

LANES_CLONES static void compute(const struct step_model *model, const struct step_code *code,
                                 uint32_t warp, uint32_t *restrict words)
{
    static const uint32_t none[WARP];
    uint32_t room[3][2 * WARP];
    const uint32_t *source[3] = {none, none, none};
    for (unsigned i = 0; i < code->source_count && i < 3; i++)
        source[i] = operand(model, &code->source[i], warp, room[i]);
    const uint32_t *a = source[0], *b = source[1], *c = source[2];
    switch (code->op) {
    case STEP_COPY:
        EACH_LANE(a[l]);
    case STEP_ADD:
        EACH_LANE(a[l] + b[l]);
    case STEP_SUB:
        EACH_LANE(a[l] - b[l]);
    case STEP_MUL:
        EACH_LANE(a[l] * b[l]);
    case STEP_MAD:
        EACH_LANE(a[l] * b[l] + c[l]);
    case STEP_FADD:
        EACH_LANE(compute_float(STEP_FADD, a[l], b[l], 0));
    case STEP_FSUB:
        EACH_LANE(compute_float(STEP_FSUB, a[l], b[l], 0));
    case STEP_FMUL:
        EACH_LANE(compute_float(STEP_FMUL, a[l], b[l], 0));
    case STEP_FMA:
        EACH_LANE(compute_float(STEP_FMA, a[l], b[l], c[l]));
    case STEP_AND:
        EACH_LANE(a[l] & b[l]);
    case STEP_OR:
        EACH_LANE(a[l] | b[l]);
    case STEP_XOR:
        EACH_LANE(a[l] ^ b[l]);
    case STEP_SHL:
        EACH_LANE(b[l] > 31 ? 0 : a[l] << (b[l] & 31));
    case STEP_SHR:
        EACH_LANE(b[l] > 31 ? 0 : a[l] >> (b[l] & 31));
    case STEP_SAR:
        EACH_LANE((uint32_t)((int32_t)a[l] >> (b[l] > 31 ? 31 : b[l])));
    case STEP_HIGH_U:
        EACH_LANE((uint32_t)((uint64_t)a[l] * b[l] >> 32));
    case STEP_HIGH_S:
        EACH_LANE((uint32_t)((uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]) >> 32));
    case STEP_UNSIGNED:
        EACH_LANE(bits_of((float)a[l]));
    default:
        EACH_LANE(bits_of((float)(int32_t)a[l]));
    }
}

LANES_INLINE uint64_t both(const uint32_t *words, unsigned l)
{
    return words[l] | (uint64_t)words[WARP + l] << 32;
}

#define EACH_LONG(result)                                                                          \
    for (unsigned l = 0; l < WARP; l++) {                                                          \
        uint64_t value = result;                                                                   \
        words[l] = (uint32_t)value;                                                                \
        words[WARP + l] = (uint32_t)(value >> 32);                                                 \
    }                                                                                              \
    return true

/* Computes a result of 8 bytes. Returns false if the reader cannot compute the result, so that it
 * must be recorded. */
LANES_CLONES static bool compute_long(const struct step_model *model, const struct step_code *code,
                                      uint32_t warp, uint32_t *restrict words)
{
    uint32_t room[2][2 * WARP];
    const uint32_t *a = operand(model, &code->source[0], warp, room[0]);
    const uint32_t *b =
        code->source_count > 1 ? operand(model, &code->source[1], warp, room[1]) : a;
    switch (code->op) {
    case STEP_COPY:
        EACH_LONG(both(a, l));
    case STEP_ADD:
        EACH_LONG(both(a, l) + both(b, l));
    case STEP_SUB:
        EACH_LONG(both(a, l) - both(b, l));
    case STEP_AND:
        EACH_LONG(both(a, l) & both(b, l));
    case STEP_OR:
        EACH_LONG(both(a, l) | both(b, l));
    case STEP_XOR:
        EACH_LONG(both(a, l) ^ both(b, l));
    case STEP_SHL: /* the second operand has 4 bytes */
        EACH_LONG(b[l] > 63 ? 0 : both(a, l) << (b[l] & 63));
    case STEP_WIDE_U:
        EACH_LONG((uint64_t)a[l] * b[l]);
    case STEP_WIDE_S:
        EACH_LONG((uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]));
    default:
        return false;
    }
}

#define EACH_BIT(condition)                                                                        \
    for (unsigned l = 0; l < WARP; l++)                                                            \
        bits |= (uint32_t)(condition) << l;                                                        \
    return bits

/* Returns the predicate that a comparison computes. */
LANES_CLONES static uint32_t compare(const struct step_model *model, const struct step_code *code,
                                     uint32_t warp)
{
    uint32_t room[2][2 * WARP], bits = 0;
    const uint32_t *a = operand(model, &code->source[0], warp, room[0]);
    const uint32_t *b = operand(model, &code->source[1], warp, room[1]);
    switch (code->op) {
    case STEP_EQUAL:
        EACH_BIT(a[l] == b[l]);
    case STEP_DIFFERS:
        EACH_BIT(a[l] != b[l]);
    case STEP_LESS_U:
        EACH_BIT(a[l] < b[l]);
    case STEP_LESS_S:
        EACH_BIT((int32_t)a[l] < (int32_t)b[l]);
    case STEP_AT_MOST_U:
        EACH_BIT(a[l] <= b[l]);
    default:
        EACH_BIT((int32_t)a[l] <= (int32_t)b[l]);
    }
}

/* Loads a word from shared memory, which has COUNT words, for each lane. The word is word K from
 * the lane's address on. SHARED has one extra word, which stands for all words after the end. */
LANES_CLONES static void load_shared(const uint32_t *restrict shared, uint32_t count,
                                     const uint64_t *restrict addr, unsigned k,
                                     uint32_t *restrict words)
{
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t at = addr[l] / 4 + k;
        words[l] = shared[at < count ? at : count];
    }
}

static bool predict_load(struct step_model *model, const struct step_code *code, unsigned k,
                         uint32_t width, uint32_t mask, bool shared, const uint64_t *addr,
                         uint32_t *words)
{
    unsigned bytes = code->element, bits = 8 * bytes;
    if (bytes == 4 && width == 4 && shared) {
        load_shared(model->shared, model->shared_words, addr, k, words);
        return true;
    }
    if (bytes == 4 && width == 4) {
        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            words[l] = step_global_word(model, (addr[l] & ~(uint64_t)3) + 4 * (uint64_t)k);
        }
        return true;
    }
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t at = addr[l] + (uint64_t)k * bytes, word = at & ~(uint64_t)3;
        uint32_t low = step_word(model, shared, word), high = 0;
        if (bytes < 4) {
            low = low >> 8 * (at & 3) & ((1u << bits) - 1);
            if (code->is_signed && low >> (bits - 1) & 1)
                low |= ~((1u << bits) - 1);
            low &= width == 2 ? 0xffff : width == 1 ? 0xff : 0xffffffff;
        }
        if (bytes == 8)
            high = step_word(model, shared, word + 4);
        else if (code->is_signed && low >> 31)
            high = UINT32_MAX;
        words[l] = low;
        if (width == 8)
            words[WARP + l] = high;
    }
    return true;
}

/* Predicts the old values that an atomic addition returns. Assumes that lower lanes add first. */
static bool predict_fetch(struct step_model *model, const struct step_code *code, uint32_t warp,
                          uint32_t mask, bool shared, const uint64_t *addr, uint32_t *words)
{
    uint32_t room[2 * WARP];
    const uint32_t *added = operand(model, &code->source[0], warp, room);
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        words[l] = step_word(model, shared, addr[l] & ~(uint64_t)3);
        for (unsigned before = 0; before < l; before++)
            words[l] += addr[before] == addr[l] && mask >> before & 1 ? added[before] : 0;
    }
    return true;
}

bool step_predict(struct step_model *model, const struct step_code *code, uint32_t warp, unsigned k,
                  uint32_t width, uint32_t mask, bool shared, const uint64_t *addr,
                  uint32_t words[STEP_WORDS])
{
    bool compares = code->op >= STEP_EQUAL;
    if (code->op == STEP_UNKNOWN || compares != !width || width > 8)
        return false;
    if (compares) {
        words[0] = compare(model, code, warp);
        return true;
    }
    if (code->op == STEP_LOAD)
        return addr && predict_load(model, code, k, width, mask, shared, addr, words);
    if (code->op == STEP_FETCH)
        return addr && predict_fetch(model, code, warp, mask, shared, addr, words);
    if (width == 8)
        return compute_long(model, code, warp, words);
    compute(model, code, warp, words);
    return true;
}

void step_store_lane(struct step_model *model, const struct step_code *code, uint32_t warp,
                     unsigned lane, bool shared, uint64_t addr)
{
    for (unsigned k = 0; k < code->source_count; k++) {
        const struct step_operand *op = &code->source[k];
        uint32_t low = (uint32_t)op->value, high = (uint32_t)(op->value >> 32);
        if (op->reg != STEP_NONE) {
            const uint32_t *words = step_register(model, warp, op->reg);
            low = words[lane];
            high = code->element == 8 ? words[WARP + lane] : 0;
        }
        if (code->adds)
            low += step_word(model, shared, addr & ~(uint64_t)3);
        step_store(model, shared, addr + (uint64_t)k * code->element, code->element, low, high);
    }
}
