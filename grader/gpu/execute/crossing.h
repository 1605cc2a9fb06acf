/* Which registers cross between a warp's frame and a translation. On entry: those that it needs
 * before its exits. On exit: those that it may have changed. So a warp that runs from one
 * barrier to the next moves only the registers in use between them. */
#ifndef GPU_EXECUTE_CROSSING_H
#define GPU_EXECUTE_CROSSING_H

#include "gpu/analyse/operands.h"
#include "gpu/execute/kernel.h"

struct crossing {
    const struct image *image;
    const struct kernel *kernel;
    const bool *translated; /* by the kernel's instructions */
    uint32_t *rows; /* of each instruction of the image, and of its end: NO_ROW without sets */
    uint32_t row_count;
    uint32_t words;    /* of one set: bit n stands for register n */
    uint64_t *live;    /* matters before the instruction, */
    uint64_t *changed; /* may have been written since the translation was entered, */
    uint64_t *needed;  /* is read before it is written, or is written back */
};

/* For the TRANSLATED instructions of an image. False: out of memory; free it all the same. */
bool crossing_find(struct crossing *crossing, const struct kernel *kernel,
                   const struct image *image, const bool *translated);
void crossing_free(struct crossing *crossing);

/* Calls VISIT with each register that the translation must read on entry at PC. */
void crossing_in(const struct crossing *crossing, uint32_t pc, operands_visit *visit,
                 void *context);
/* Calls VISIT with each register that must be written back on exit at PC. */
void crossing_out(const struct crossing *crossing, uint32_t pc, operands_visit *visit,
                  void *context);

#endif
