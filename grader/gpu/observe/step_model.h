/* The model holds the registers and the memory that the reader of a recording knows at each step.
 * The recorder keeps the same model, to leave out values that the reader can work out.
 *
 * A register of at most 4 bytes has 32 words in the model, one for each lane; a register of 8 or 16
 * bytes has 2 or 4 times as many, with the low words of all lanes first. A predicate is one
 * word. */
#ifndef GPU_OBSERVE_STEP_MODEL_H
#define GPU_OBSERVE_STEP_MODEL_H

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

#define STEP_NONE    UINT32_MAX /* no register */
#define STEP_DESTS   32u        /* most registers that one instruction writes */
#define STEP_SOURCES 4u
#define STEP_WORDS   (4 * WARP) /* most words of a register */
#define STEP_CHUNK   128u       /* bytes of global memory that the model keeps together */

/* The operations by which the reader computes an instruction's result. STEP_COPY to STEP_SUB and
 * STEP_AND to STEP_SHL have results of 4 or, if the register is that wide, 8 bytes. The comparisons
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
    STEP_SHR,      /* of an unsigned number */
    STEP_SAR,      /* of a signed number */
    STEP_UNSIGNED, /* an unsigned number to a float */
    STEP_SIGNED,   /* a signed number to a float */
    STEP_FETCH,    /* the word before an atomic addition */
    STEP_WIDE_U,   /* the product, of 8 bytes, of two unsigned numbers */
    STEP_WIDE_S,   /* the product, of 8 bytes, of two signed numbers */
    STEP_HIGH_U,   /* the upper 4 bytes of such products */
    STEP_HIGH_S,
    STEP_EQUAL,
    STEP_DIFFERS,
    STEP_LESS_U,
    STEP_LESS_S,
    STEP_AT_MOST_U,
    STEP_AT_MOST_S,
};

/* A register of the model, or a value. */
struct step_operand {
    uint32_t reg; /* STEP_NONE if the operand is the value */
    uint64_t value;
};

/* Properties of an instruction that the reader knows. */
struct step_code {
    uint32_t function; /* the number of its function */
    uint32_t base;     /* the model's number of its function's first register */
    uint8_t op;        /* enum step_op */
    uint8_t dest_count, source_count;
    bool is_load, is_store, is_atomic; /* a load or store of up to 4 values of up to 8 bytes */
    bool adds;                         /* an atomic addition to words */
    bool is_barrier, is_call;
    bool sweeps; /* may change shared memory without an access by this instruction */
    uint32_t dest[STEP_DESTS];
    struct step_operand source[STEP_SOURCES];
    /* for memory, the size of one value, its sign extension, the address as a register and an
     * offset */
    uint8_t element;
    bool is_signed;
    uint32_t address; /* STEP_NONE if unknown */
    int64_t offset;
};

/* Describes all instructions. *WIDTHS gets the width of each register of the model, *COUNT their
 * number. The caller frees the results. Returns NULL when out of memory. */
struct step_code *step_describe(const struct launch_view *launch, uint32_t **widths,
                                uint32_t *count);

struct step_model {
    uint32_t warp_words;
    uint32_t *at;    /* the index of each register's first word */
    uint32_t *words; /* the words of all warps */
    uint32_t *shared, shared_words;
    /* global memory, as an open hash table of chunks; a key is the chunk's number plus 1, or 0 if
     * free */
    uint64_t *keys;
    uint32_t (*chunks)[STEP_CHUNK / 4];
    size_t count, room; /* room is a power of two */
    size_t latest;      /* the place that was asked for last */
    bool failed;        /* memory ran out: predictions are wrong, and nothing may be recorded */
};

bool step_model_open(struct step_model *model, const struct launch_view *launch,
                     const uint32_t *widths, uint32_t registers);
void step_model_close(struct step_model *model);

static inline uint32_t *step_register(const struct step_model *model, uint32_t warp, uint32_t reg)
{
    return model->words + (size_t)warp * model->warp_words + model->at[reg];
}

/* Return the word at ADDR, a multiple of 4, in global memory, or in one of both memories. Unknown
 * words are 0. */
uint32_t step_global_word(struct step_model *model, uint64_t addr);
static inline uint32_t step_word(struct step_model *model, bool shared, uint64_t addr)
{
    if (!shared)
        return step_global_word(model, addr);
    return addr / 4 < model->shared_words ? model->shared[addr / 4] : 0;
}

void step_set_word(struct step_model *model, bool shared, uint64_t addr, uint32_t value);
/* Writes the low BYTES, at most 8, of LOW and HIGH. */
void step_store(struct step_model *model, bool shared, uint64_t addr, unsigned bytes, uint32_t low,
                uint32_t high);

/* Predicts the values that an instruction writes to its register number K, of WIDTH bytes, in the
 * lanes of MASK. ADDR has the addresses of a load or an atomic addition. Returns false if there is
 * no prediction. */
bool step_predict(struct step_model *model, const struct step_code *code, uint32_t warp, unsigned k,
                  uint32_t width, uint32_t mask, bool shared, const uint64_t *addr,
                  uint32_t words[STEP_WORDS]);

/* Returns a register of WIDTH bytes of the machine in the model's form: BYTES itself, or a copy in
 * ROOM. */
const uint32_t *step_read_register(const uint8_t *bytes, uint32_t width, uint32_t room[STEP_WORDS]);

/* Stores the values that lane LANE of a store or an atomic addition writes. */
void step_store_lane(struct step_model *model, const struct step_code *code, uint32_t warp,
                     unsigned lane, bool shared, uint64_t addr);

#endif
