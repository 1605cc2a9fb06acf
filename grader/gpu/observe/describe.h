/* How findings name threads and memory. TEXT gets at most SIZE bytes. */
#ifndef GPU_OBSERVE_DESCRIBE_H
#define GPU_OBSERVE_DESCRIBE_H

#include "gpu/observe/view.h"

/* "thread 5", or "thread (5,1,0)" if there is more than one dimension. NAMES_BLOCK adds the
 * block if there are several: "thread 5 of block 3". */
void describe_thread(char *text, size_t size, const struct launch_view *launch, uint32_t thread,
                     uint64_t cta, bool names_block);
/* The same for the thread that caused a fault. */
void describe_fault_thread(char *text, size_t size, const struct launch_view *launch,
                           const struct obs_fault *fault);

/* The variable at ADDR of shared or global memory, such as "s"; "" if it has no name. */
void describe_variable(char *text, size_t size, const struct launch_view *launch, bool is_shared,
                       uint64_t addr);
#endif
