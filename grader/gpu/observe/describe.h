/* Writes the names of threads and variables for findings. TEXT gets at most SIZE bytes. */
#ifndef GPU_OBSERVE_DESCRIBE_H
#define GPU_OBSERVE_DESCRIBE_H

#include "gpu/observe/view.h"

/* Writes "thread 5", or "thread (5,1,0)" if the block has more than one dimension. If NAMES_BLOCK
 * is true and there are several blocks, also names the block: "thread 5 of block 3". */
void describe_thread(char *text, size_t size, const struct launch_view *launch, uint32_t thread,
                     uint64_t cta, bool names_block);
/* Writes the thread that caused FAULT, and its block if there are several. */
void describe_fault_thread(char *text, size_t size, const struct launch_view *launch,
                           const struct obs_fault *fault);

/* Writes the position of a kernel that still runs after SECONDS: "k still runs after 5 seconds:
 * line 12 of a.cu, thread 5 of block 3". */
void describe_running(char *text, size_t size, const struct launch_view *launch, uint32_t pc,
                      uint32_t thread, uint64_t cta, uint64_t seconds);

/* Writes the name of the variable at ADDR in shared or global memory, such as "s". Writes "" if no
 * variable is there. */
void describe_variable(char *text, size_t size, const struct launch_view *launch, bool is_shared,
                       uint64_t addr);
/* Writes NUMBER as "200,000,000" to the end of TEXT. Returns a pointer to the first digit. */
const char *describe_number(uint64_t number, char text[27]);
#endif
