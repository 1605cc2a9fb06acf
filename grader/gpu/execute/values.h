/* Special registers and parameters: their values, lane by lane. */
#ifndef GPU_EXECUTE_VALUES_H
#define GPU_EXECUTE_VALUES_H

#include <stdbool.h>

#include "gpu/execute/kernel.h"

struct cta;
struct launch;

/* The bank of a special register that does not change while a warp runs. */
enum bank values_bank(enum ptx_special special);
/* These fill the banks. The first also allocates its bank; false: out of memory. */
bool values_of_launch(struct launch *launch);
void values_of_cta(struct cta *cta);
void values_of_warp(struct warp *warp);

#endif
