/* Special registers and parameters: their values, lane by lane. */
#ifndef GPU_EXECUTE_VALUES_H
#define GPU_EXECUTE_VALUES_H

#include <stdbool.h>

#include "gpu/execute/kernel.h"

struct cta;
struct launch;

enum bank values_bank(enum ptx_special special); /* that of a static one */
bool values_of_launch(struct launch *launch);    /* makes room for them; false: out of memory */
void values_of_cta(struct cta *cta);
void values_of_warp(struct warp *warp);

#endif
