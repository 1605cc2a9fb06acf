/* The state of the stepper. stepper.c manages it, and step_record.c writes records from it. */
#ifndef GPU_OBSERVE_STEP_STATE_H
#define GPU_OBSERVE_STEP_STATE_H

#include "gpu/observe/step_write.h"
#include "gpu/observe/stepper.h"

/* an instruction makes at most this many accesses; a generic address can make it access several
 * memory spaces */
#define MOST_ACCESSES 64u
#define MOST_FAULTS   32u

/* The data in the latest record of a warp. The next record leaves out data that have not
 * changed. */
struct progress {
    uint32_t pc, lanes;
    struct obs_group groups[WARP];
    unsigned group_count;
    /* pc of the barrier at which the warp waits, if that barrier writes a result, otherwise
     * NO_PC */
    uint32_t barrier;
};

/* The latest access of an instruction, and its cost. Another access costs the same if all its
 * addresses differ from these by the same multiple of SECTOR_BYTES or, in shared memory,
 * BANK_BYTES. */
#define BANK_BYTES   4u
#define SECTOR_BYTES 32u
struct measured {
    uint64_t addr[WARP];
    uint32_t mask, cost, ideal;
    uint8_t space, kind, bytes;
};

struct step_state {
    const struct launch_view *launch;
    const struct emu_steps *wanted;
    struct obs_steps *steps; /* NULL if this worker does not run the block, or not yet */
    struct step_model model;
    /* The stream, and the two parts of its last segment: `out` has the records, `values` the words
     * that belong to them. */
    struct step_buffer stream, out, values;
    struct step_buffer extras, body, results;
    struct progress progress[MAX_WARPS];
    struct obs_access accesses[MOST_ACCESSES];
    uint32_t access_count, fault_count;
    struct obs_fault faults[MOST_FAULTS];
    /* for each pc, the addresses of the latest access that was written as ADDRESS_RAW */
    uint64_t (*patterns)[WARP];
    struct measured *measured; /* for each pc */
    /* `actual`: the values that the current instruction wrote, in the model's form; `copies`:
     * buffers for values that had to be converted */
    const uint32_t *actual[STEP_DESTS];
    uint32_t copies[STEP_DESTS][STEP_WORDS];
    uint64_t seen; /* number of executed instructions of the block */
    uint32_t warp; /* warp of the latest record */
    bool sweeps;   /* other CTAs may have changed this block's shared memory */
};

/* Write the record of an instruction, or of a barrier that has opened. */
void step_record_instruction(struct step_state *state, const struct obs_state *now);
void step_record_opening(struct step_state *state, const struct obs_state *now);

/* Returns the number that stands for a memory space in recordings. */
unsigned step_space(uint8_t space);

/* Returns whether an access has a cost in sectors or wavefronts. */
static inline bool step_has_cost(const struct obs_access *access)
{
    return access->space == PTX_GLOBAL ||
           (access->space == PTX_SHARED && access->kind <= OBS_STORE);
}

/* Writes the latest step, and the emulator's state after it, to emu_steps.dump_fd as one line of
 * JSON. */
void step_dump(const struct step_state *state, const struct obs_state *now);

#endif
