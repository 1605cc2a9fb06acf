/* The line of the student's source that an instruction belongs to. */
#ifndef GPU_ANALYSE_LINES_H
#define GPU_ANALYSE_LINES_H

#include "gpu/ptx/module.h"

struct source_line {
    uint32_t file, line, column; /* file: a .file id; line 0: unknown */
};

/* The source line of instruction PC. A function inlined from a header, such as atomicAdd(), counts
 * as the line that calls it: of the calls that .loc names, the innermost one in the kernel's own
 * file, or else the outermost one. */
struct source_line analyse_line(const struct ptx_function *function, uint32_t pc);

#endif
