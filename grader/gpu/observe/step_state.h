/* The state of the stepper. stepper.c keeps it, and step_record.c writes records from it. */
#ifndef GPU_OBSERVE_STEP_STATE_H
#define GPU_OBSERVE_STEP_STATE_H

#include "gpu/observe/step_write.h"
#include "gpu/observe/stepper.h"

/* most accesses of one instruction; generic addresses can make several accesses */
#define MOST_ACCESSES 64u
#define MOST_FAULTS   32u

/* A warp's state in its latest record. The next record leaves out the parts that are unchanged. */
struct progress {
    uint32_t pc, lanes;
    struct obs_group groups[WARP];
    unsigned group_count;
    uint32_t barrier; /* pc of the barrier at which it waits, if the barrier has a result */
};

/* An instruction's latest access and its cost. Accesses cost the same if all their addresses differ
 * by the same number of banks, or of sectors. */
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
    struct obs_steps *steps; /* NULL if the block runs elsewhere, or later */
    struct step_model model;
    /* the stream, and the two parts of its last piece: the records, and their words */
    struct step_buffer stream, out, values;
    struct step_buffer extras, body, results;
    struct progress progress[MAX_WARPS];
    struct obs_access accesses[MOST_ACCESSES];
    uint32_t access_count, fault_count;
    struct obs_fault faults[MOST_FAULTS];
    uint64_t (*patterns)[WARP]; /* the address differences of each pc's latest access */
    struct measured *measured;  /* an entry for each pc */
    /* the values that the current instruction has written, and room for those that the machine has
     * in another form */
    const uint32_t *actual[STEP_DESTS];
    uint32_t copies[STEP_DESTS][STEP_WORDS];
    uint64_t seen; /* number of instructions so far */
    uint32_t warp; /* the warp of the latest record */
    bool sweeps;   /* other CTAs may have changed shared memory */
};

/* Write the record of an instruction, and of a barrier that has opened. */
void step_record_instruction(struct step_state *state, const struct obs_state *now);
void step_record_opening(struct step_state *state, const struct obs_state *now);

/* Returns the number of a memory space in recordings. */
unsigned step_space(uint8_t space);

/* Returns whether an access has a cost in sectors or wavefronts. */
static inline bool step_has_cost(const struct obs_access *access)
{
    return access->space == PTX_GLOBAL ||
           (access->space == PTX_SHARED && access->kind <= OBS_STORE);
}

/* Writes the step that was recorded last and the machine's state after it, as one line of JSON, to
 * the file of emu_steps. */
void step_dump(const struct step_state *state, const struct obs_state *now);

#endif
