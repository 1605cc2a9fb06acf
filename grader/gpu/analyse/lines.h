/* Which line of the student's source an instruction belongs to. */
#ifndef GPU_ANALYSE_LINES_H
#define GPU_ANALYSE_LINES_H

#include "gpu/ptx/module.h"

struct source_line {
    uint32_t file, line, column; /* file: a .file id; line 0: unknown */
};

/* The place of instruction PC. A function inlined from a header (atomicAdd, say) counts as the line
 * that called it: of the frames that .loc names, the innermost in the kernel's own file wins, and
 * the outermost if none is there. */
struct source_line analyse_line(const struct ptx_function *function, uint32_t pc);

#endif
