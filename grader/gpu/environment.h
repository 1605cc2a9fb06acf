/* The device's options as LANEWISE_* variables: how those who start a program, or its device, tell them.
 *
 *   LANEWISE_WORKERS, _DETERMINISTIC, _MAX_INSTRUCTIONS, _MEMORY, _POISON   numbers, as in emu_options
 *   LANEWISE_BACKWARDS=1                        the last CTA goes first, and its last warp
 *   LANEWISE_TOOLS=racecheck,initcheck          LANEWISE_RECORD=file, to which the record is appended
 *   LANEWISE_RECORD_BYTES                       a number: in a longer one, nothing more is written
 *   LANEWISE_TRACE=FILE:LINE, or *              LANEWISE_TRACE_BLOCK, _WARP, _STEP   numbers
 *   LANEWISE_RULES=sector, gt200 or g80 */
#ifndef GPU_ENVIRONMENT_H
#define GPU_ENVIRONMENT_H

#include "gpu/device.h"

/* What is not set is as if it were 0 or absent. A variable that makes no sense ends the process with
 * code 2 and a line on stderr. */
void emu_read_environment(struct emu_options *options);

#endif
