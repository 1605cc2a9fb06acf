/* What findings call threads and memory. TEXT gets at most SIZE bytes. */
#ifndef GPU_OBSERVE_WORDS_H
#define GPU_OBSERVE_WORDS_H

#include "gpu/observe/view.h"

/* "thread 5", or "thread (5,1,0)" where there is more than one dimension; with its block, such as "thread 5
 * of block 3", if NAMES_BLOCK and there is more than one. */
void words_thread(char *text, size_t size, const struct launch_view *launch, uint32_t thread,
                  uint64_t cta, bool names_block);
/* The same of who made a fault. */
void words_fault_thread(char *text, size_t size, const struct launch_view *launch,
                        const struct obs_fault *fault);

/* The variable at ADDR of shared or global memory: "s"; "" for memory without a name. */
void words_variable(char *text, size_t size, const struct launch_view *launch, bool is_shared,
                    uint64_t addr);
#endif
