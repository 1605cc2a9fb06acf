/* Special registers and parameters: their values for each lane. */
#ifndef GPU_EXECUTE_VALUES_H
#define GPU_EXECUTE_VALUES_H

#include <stdbool.h>

#include "gpu/execute/kernel.h"

struct cta;
struct launch;

/* Returns the bank that holds SPECIAL, which must be a static special register: one that does not
 * change while a warp runs. */
enum bank values_bank(enum ptx_special special);
/* These functions fill the banks. The first one also allocates its bank; false: out of memory. */
bool values_of_launch(struct launch *launch);
void values_of_cta(struct cta *cta);
void values_of_warp(struct warp *warp);

#endif
