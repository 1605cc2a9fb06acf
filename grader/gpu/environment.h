/* Reads the device's options from environment variables LANEWISE_*.
 *
 *   LANEWISE_WORKERS, _DETERMINISTIC, _MAX_INSTRUCTIONS, _MEMORY, _POISON   as in emu_options
 *   LANEWISE_BACKWARDS=1                        CTAs and their warps start in reverse order
 *   LANEWISE_SCRAMBLE=1                         loads from shared memory return wrong values
 *   LANEWISE_SCRAMBLE=2                         loads from constant memory return wrong values
 *   LANEWISE_WIDER_PITCH=N                      N * 512 bytes more for cudaMallocPitch()'s pitch
 *   LANEWISE_TOOLS=racecheck,initcheck          LANEWISE_RECORD=file: the record is appended to it
 *   LANEWISE_WATCH_BUDGET                       a number, as in emu_options
 *   LANEWISE_RECORD_BYTES                       a number: a record of this size gets no more lines
 *   LANEWISE_TRACE=FILE:LINE, or *              LANEWISE_TRACE_BLOCK, _WARP, _STEP   numbers
 *   LANEWISE_STEPS=file                         LANEWISE_STEPS_LAUNCH, _BLOCK, _FROM        numbers
 *   LANEWISE_STEPS_DUMP=file                    LANEWISE_STEPS_DUMP_AT=1,20,300: see emu_steps
 *   LANEWISE_RULES=sector, gt200 or g80
 *   LANEWISE_GPU=h200                           predicts the launches' times on this chip
 *   LANEWISE_CLOCK=predicted                    clocks and events show predicted time */
#ifndef GPU_ENVIRONMENT_H
#define GPU_ENVIRONMENT_H

#include "gpu/device.h"

/* The value of GLIBC_TUNABLES for programs that use the emulated GPU: memcpy() and memset() then
 * have no `rep movsb`. The order check executes some instructions of the host singly
 * (cudart/order/guard.c), and `rep movsb` one byte at a time. */
#ifdef __x86_64__
#define EMU_TUNABLES                                                                               \
    "glibc.cpu.x86_rep_movsb_threshold=1000000000000:"                                             \
    "glibc.cpu.x86_rep_stosb_threshold=1000000000000"
#else
#define EMU_TUNABLES ""
#endif

/* Reads the options. A variable that is not set counts as 0 or absent. An invalid value ends the
 * process with exit code 2 and a line on stderr. */
void emu_read_environment(struct emu_options *options);

#endif
