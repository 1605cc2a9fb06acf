/* Computes the values of special registers and parameters for each lane. */
#ifndef GPU_EXECUTE_VALUES_H
#define GPU_EXECUTE_VALUES_H

#include <stdbool.h>

#include "gpu/execute/kernel.h"

struct cta;
struct launch;

/* Returns the bank that holds SPECIAL. SPECIAL must be static: its value must not change while a
 * warp runs. */
enum bank values_bank(enum ptx_special special);
/* Fill the banks. values_of_launch() also allocates its bank; it returns false when out of
 * memory. */
bool values_of_launch(struct launch *launch);
void values_of_cta(struct cta *cta);
void values_of_warp(struct warp *warp);

#endif
