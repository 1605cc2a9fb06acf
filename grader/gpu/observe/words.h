/* What findings call threads and memory. TEXT gets at most SIZE bytes. */
#ifndef GPU_OBSERVE_WORDS_H
#define GPU_OBSERVE_WORDS_H

#include "gpu/execute/machine.h"

/* "thread 5", or "thread (5,1,0)" where there is more than one dimension; with its block, such as "thread 5
 * of block 3", if NAMES_BLOCK and there is more than one. */
void words_thread(char *text, size_t size, const struct launch *launch, uint32_t thread,
                  uint64_t cta, bool names_block);
/* The same of who made a fault. */
void words_fault_thread(char *text, size_t size, const struct launch *launch,
                        const struct obs_fault *fault);

/* The variable at ADDR of shared or global memory: "s"; "" for memory without a name. */
void words_variable(char *text, size_t size, const struct launch *launch, bool is_shared,
                    uint64_t addr);
/* The same for a CTA's shared memory, where BEGIN gets its first byte's address; NULL if there is none. One
 * without a size goes on to the end. */
const struct ptx_variable *words_shared_variable(const struct kernel *kernel, uint64_t addr,
                                                 uint64_t *begin);

#endif
