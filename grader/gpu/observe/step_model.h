/* The model holds the registers and the memory that the reader of a recording knows at each step.
 * The recorder maintains the same model, so that it can leave out all values that the reader can
 * compute.
 *
 * In the model, a register of at most 4 bytes has one word for each of 32 lanes. A register of 8 or
 * 16 bytes has 2 or 4 words per lane: first come the lowest words of all lanes, then the next
 * words. A predicate is one word, with a bit for each lane. */
#ifndef GPU_OBSERVE_STEP_MODEL_H
#define GPU_OBSERVE_STEP_MODEL_H

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

#define STEP_NONE    UINT32_MAX /* no register */
#define STEP_DESTS   32u        /* an instruction writes at most this many registers */
#define STEP_SOURCES 4u
#define STEP_WORDS   (4 * WARP) /* a register of the model has at most this many words */
#define STEP_CHUNK   128u       /* bytes in a chunk of the model's global memory */

/* The operations by which the reader computes an instruction's result. STEP_COPY to STEP_SUB and
 * STEP_AND to STEP_SHL work on 4 bytes or, if the register is that wide, 8 bytes. The comparisons
 * come last; their result is a predicate. */
enum step_op {
    STEP_UNKNOWN,
    STEP_COPY,
    STEP_ADD,
    STEP_SUB,
    STEP_MUL,
    STEP_MAD,
    STEP_FADD,
    STEP_FSUB,
    STEP_FMUL,
    STEP_FMA,
    STEP_LOAD,
    STEP_AND,
    STEP_OR,
    STEP_XOR,
    STEP_SHL,
    STEP_SHR,      /* logical shift */
    STEP_SAR,      /* arithmetic shift */
    STEP_UNSIGNED, /* converts an unsigned integer to a float */
    STEP_SIGNED,   /* converts a signed integer to a float */
    STEP_FETCH,    /* the old word, which an atomic addition returns */
    STEP_WIDE_U,   /* the product, of 8 bytes, of two unsigned integers */
    STEP_WIDE_S,   /* the product, of 8 bytes, of two signed integers */
    STEP_HIGH_U,   /* the upper 4 bytes of these products */
    STEP_HIGH_S,
    STEP_EQUAL,
    STEP_DIFFERS,
    STEP_LESS_U,
    STEP_LESS_S,
    STEP_AT_MOST_U,
    STEP_AT_MOST_S,
};

/* An operand: a register of the model, or a constant. */
struct step_operand {
    uint32_t reg; /* STEP_NONE if the operand is a constant */
    uint64_t value;
};

/* How a recording describes an instruction to its reader. */
struct step_code {
    uint32_t function; /* index of the instruction's function */
    uint32_t base;     /* index in the model of the first register of that function */
    uint8_t op;        /* enum step_op */
    uint8_t dest_count, source_count;
    /* a load or store of at most 4 values, each of at most 8 bytes */
    bool is_load, is_store, is_atomic;
    bool adds; /* an atomic addition of 32-bit words */
    bool is_barrier, is_call;
    /* the instruction may change shared memory in ways that its accesses do not show */
    bool sweeps;
    uint32_t dest[STEP_DESTS];
    struct step_operand source[STEP_SOURCES];
    /* For a load, store or atomic: the size of one value, and whether it is signed. The address is
     * a register of the model plus an offset. If it is not, `address` is STEP_NONE. */
    uint8_t element;
    bool is_signed;
    uint32_t address;
    int64_t offset;
};

/* Describes all instructions, indexed by pc. Sets *COUNT to the number of registers of the model,
 * and *WIDTHS to the width of each in bytes. The caller frees both arrays. Returns NULL when out of
 * memory. */
struct step_code *step_describe(const struct launch_view *launch, uint32_t **widths,
                                uint32_t *count);

struct step_model {
    uint32_t warp_words;
    uint32_t *at;    /* for each register, the index of its first word among the words of a warp */
    uint32_t *words; /* `warp_words` words for each warp */
    uint32_t *shared, shared_words;
    /* hash table of chunks of global memory; a key is the index of a chunk plus 1, or 0 if the
     * entry is free */
    uint64_t *keys;
    uint32_t (*chunks)[STEP_CHUNK / 4];
    size_t count, room; /* number of used entries, and of all entries; `room` is a power of two */
    size_t latest;      /* index of the entry that was used last */
    bool failed;        /* memory ran out, so the model may be wrong and recording must stop */
};

bool step_model_open(struct step_model *model, const struct launch_view *launch,
                     const uint32_t *widths, uint32_t registers);
void step_model_close(struct step_model *model);

static inline uint32_t *step_register(const struct step_model *model, uint32_t warp, uint32_t reg)
{
    return model->words + (size_t)warp * model->warp_words + model->at[reg];
}

/* Return the word at ADDR, a multiple of 4: step_global_word() reads global memory, step_word()
 * shared or global memory. A word that the model does not know is 0. */
uint32_t step_global_word(struct step_model *model, uint64_t addr);
static inline uint32_t step_word(struct step_model *model, bool shared, uint64_t addr)
{
    if (!shared)
        return step_global_word(model, addr);
    return addr / 4 < model->shared_words ? model->shared[addr / 4] : 0;
}

void step_set_word(struct step_model *model, bool shared, uint64_t addr, uint32_t value);
/* Stores the lowest BYTES bytes of an 8-byte number. LOW and HIGH are its halves. */
void step_store(struct step_model *model, bool shared, uint64_t addr, unsigned bytes, uint32_t low,
                uint32_t high);

/* Predicts the value, of WIDTH bytes, that an instruction writes to its destination register number
 * K in the lanes of MASK. ADDR has the addresses of a load or an atomic addition. Returns false if
 * the value cannot be predicted. */
bool step_predict(struct step_model *model, const struct step_code *code, uint32_t warp, unsigned k,
                  uint32_t width, uint32_t mask, bool shared, const uint64_t *addr,
                  uint32_t words[STEP_WORDS]);

/* Converts BYTES, a register of the emulator with WIDTH bytes per lane, to the model's form.
 * Returns BYTES itself if both forms are the same, otherwise ROOM. */
const uint32_t *step_read_register(const uint8_t *bytes, uint32_t width, uint32_t room[STEP_WORDS]);

/* Applies a store or an atomic addition by LANE to the model's memory. */
void step_store_lane(struct step_model *model, const struct step_code *code, uint32_t warp,
                     unsigned lane, bool shared, uint64_t addr);

#endif
