/* A recording of one block, step by step. From it, a page can show any moment: where all lanes are,
 * the registers, shared memory, and the global memory that the block accessed.
 *
 * A step is one instruction of one warp, or the opening of a barrier. The recording is a stream of
 * bytes that a reader decodes from its beginning. It leaves out all data that the reader can
 * compute: the reader keeps the same model of registers and memory as the recorder (step_model.h),
 * and most results follow from the model. An example is the value of a load from known memory.
 *
 * The stream consists of segments ("pieces" in the code) of STEP_MARK records. A segment has the
 * number of bytes of its records, the records, and then the words of single lanes that belong to
 * the records. These words are kept apart because they compress badly.
 *
 * A record has the following parts. Numbers are LEB128, signed numbers with zigzag encoding; words
 * are 4 bytes, lowest first.
 *
 *   a byte         which of the following parts exist, as bits of enum step_part
 *   STEP_WARP      the warp's number. If it is STEP_OPENED, a barrier has opened. Then follow a
 *                  mask of warps (word), the groups of each of these warps as for STEP_GROUPS, and
 *                  the extras. No other part follows.
 *   STEP_PC        signed: pc minus the expected pc, which is the pc of the warp's last step plus 1
 *   STEP_LANES     word: the path's lanes. If absent: the lanes of the warp's last step
 *   STEP_ACTIVE    word: the lanes that executed the instruction. If absent: the path's lanes
 *   STEP_ACCESSES  number of accesses, then each access: see put_access() in step_record.c
 *   STEP_VALUES    the values of each register that is written: see step_put_values()
 *   STEP_EXTRAS    corrections and faults ("extras"), each a byte of enum step_extra and its data,
 *                  then a zero byte
 *   STEP_GROUPS    number of groups, then of each group: lanes (word), pc, standing (byte). If
 *                  absent: the group that ran is at the next pc, and all other groups stay */
#ifndef GPU_OBSERVE_STEPPER_H
#define GPU_OBSERVE_STEPPER_H

#include "gpu/observe/step_model.h"
#include "gpu/observe/view.h"

enum step_part {
    STEP_WARP = 1,
    STEP_PC = 2,
    STEP_LANES = 4,
    STEP_ACTIVE = 8,
    STEP_GROUPS = 16,
    STEP_EXTRAS = 32,
    STEP_ACCESSES = 64,
    STEP_VALUES = 128,
};
#define STEP_OPENED 64u

enum step_extra {
    STEP_END,
    /* memory that differs from the model's prediction: space (1 for shared, 0 for global), number
     * of words, address, words */
    STEP_MEMORY,
    /* a register that differs from the model's prediction: warp, register, lanes (word), values */
    STEP_REGISTER,
    STEP_FAULT, /* a fault: kind (byte), thread, address */
    STEP_UNSET, /* uninitialised loads of global memory: lanes (word) */
};

#define STEP_MARK 1024u /* number of records in a segment */

/* The recording of one block. */
struct obs_steps {
    struct step_code *code; /* for each pc */
    /* for each register of the model, its bytes per lane, or 0 for a predicate */
    uint32_t *widths;
    uint32_t registers;
    uint64_t cta;
    uint8_t *bytes; /* the stream */
    size_t size, room;
    uint64_t steps;    /* number of records */
    uint64_t left_out; /* warp instructions before the first record */
    uint64_t executed; /* warp instructions of the whole block, or 0 if it did not end */
    bool is_cut;       /* the stream ends before the block does */
    size_t *marks;     /* for each segment, its offset in the stream */
    size_t mark_count, mark_room;
};

void stepper_free(struct obs_steps *steps); /* accepts NULL */

#endif
