/* Native code: kernels that run long are translated to C, which a compiler makes vector instructions of while the
 * interpreter goes on. A core of 2.5 GHz was seen to spend half a nanosecond on an integer addition of 32 lanes
 * then, instead of seven.
 *
 * Nothing else changes: the same results, counts and order of warps, whenever the translation is ready. Without a
 * compiler on the machine, nothing is translated. */
#ifndef GPU_EXECUTE_NATIVE_H
#define GPU_EXECUTE_NATIVE_H

#include <stdio.h>

#include "gpu/execute/state.h"

/* Executes LANES of a warp from PC on, up to MEET at most; of their instructions it may execute *SLICE, which goes down.
 * Returns where the interpreter is to go on; that instruction has not been executed. */
typedef uint32_t native_fn(struct warp *warp, uint32_t pc, int64_t *slice, uint32_t lanes,
                           uint32_t meet);

/* A translation: read-only once it is there. */
struct native_code {
    native_fn *enter;
    bool *enters; /* the instructions where it may be entered, */
    bool parts;   /* also by a part of a warp */
    const struct emu_compiler *compiler;
    void *library; /* the compiler's */
};

/* What is known of a kernel's translation. */
struct native {
    _Atomic(const struct native_code *) code; /* NULL: not yet, or never */
    atomic_bool asked;
    atomic_uint holders;
    /* Of launches that have ended: warp instructions; until it is asked for, how often each of them was executed. */
    atomic_uint_fast64_t executed;
    struct profile *profile;
};

struct native *native_new(void); /* NULL: out of memory */
/* NULL is allowed. A translation that is under way is not waited for. */
void native_free(struct native *native);
/* How much a worker of the launch executes before it asks for a translation: warp instructions. */
uint64_t native_threshold(const struct launch *launch);
/* Begins to translate what WORKER has executed most, if that is worth it and nobody has begun; else it may say when to
 * ask again. */
void native_ask(struct worker *worker);
/* The launch is over, and ALL has what its workers did, by stretches. Kernels that are short, but often launched, are
 * looked at here, all launches so far together: a warp's first turn, or one launch, may show little of what they do. */
void native_end(struct worker *all);

/* To enter and to leave costs as much as some instructions: where only few are executed in between, the interpreter does
 * better. */
struct native_use {
    uint32_t times;
    uint64_t executed; /* warp instructions in all of them */
};
#define NATIVE_TRIES 256u /* times, before it is judged */
#define NATIVE_LEAST 24u  /* warp instructions each time */

static inline bool native_is_worth(const struct warp *warp, uint32_t pc)
{
    const struct native_use *uses = warp->cta->worker->uses;
    return !uses || uses[pc].times < NATIVE_TRIES ||
           uses[pc].executed >= (uint64_t)uses[pc].times * NATIVE_LEAST;
}

/* Is it likely that the translation brings a warp of the kernel from its beginning to its end? */
static inline bool native_goes_through(const struct worker *worker)
{
    return worker->tries < NATIVE_TRIES || worker->throughs > worker->tries / 4;
}

/* Goes on in the translation with the lanes of TOP. Returns where it ends; see native_fn. */
uint32_t native_run(struct warp *warp, const struct native_code *native,
                    const struct path_entry *top, uint32_t pc, int64_t *slice);

/* native_text.c: writes the C text of those instructions of WORKER's kernel that are HOT, also for PARTS of warps, and where
 * it may be entered; how their accesses have gone for the worker tells what is worth writing. False: out of memory. */
bool native_write(const struct worker *worker, const bool *hot, bool parts, bool *enters,
                  FILE *out);

#endif
