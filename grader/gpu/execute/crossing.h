/* Which registers go from the frame to the text of a translation and back: where it is entered, those that are needed
 * before it is left; where it is left, those that it may have changed. A warp that comes from one barrier and goes to the next
 * moves what it works with in between, and nothing else. */
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
    uint64_t *changed; /* and may have been written since the text was entered */
    uint64_t *needed;  /* is read before it is written, or shown */
};

/* For the instructions TRANSLATED of an image. False: out of memory; free it all the same. */
bool crossing_find(struct crossing *crossing, const struct kernel *kernel,
                   const struct image *image, const bool *translated);
void crossing_free(struct crossing *crossing);

/* Calls VISIT with each register that the text must have where it is entered at PC. */
void crossing_in(const struct crossing *crossing, uint32_t pc, operands_visit *visit,
                 void *context);
/* And with each that the frame must get where the text is left for PC. */
void crossing_out(const struct crossing *crossing, uint32_t pc, operands_visit *visit,
                  void *context);

#endif
