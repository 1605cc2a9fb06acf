/* Finds the line of the student's source that an instruction belongs to. */
#ifndef GPU_ANALYSE_LINES_H
#define GPU_ANALYSE_LINES_H

#include "gpu/ptx/module.h"

struct source_line {
    uint32_t file, line, column; /* `file` is a .file id; `line` is 0 if unknown */
};

/* Returns the source line of the instruction at PC. Code inlined from a header, such as
 * atomicAdd(), has the line that calls it. In a chain of calls, this is the innermost call in the
 * kernel's own file, or the outermost call if none is in that file. In a kernel of CUDA's
 * libraries, it is the innermost line of another file, such as a functor's, if there is one. */
struct source_line analyse_line(const struct ptx_module *module,
                                const struct ptx_function *function, uint32_t pc);
/* Returns the same for the last instruction of a function that the parser has read only in part. */
struct source_line analyse_last_line(const struct ptx_module *module,
                                     const struct ptx_function *function);
/* Does the same as analyse_line(), but ignores calls: for inlined code, the result is the line in
 * the header. */
struct source_line analyse_inner_line(const struct ptx_function *function, uint32_t pc);

/* Returns whether FILE is a header of the libraries that come with CUDA: Thrust, CUB and the
 * like. */
bool analyse_is_library(const struct ptx_module *module, uint32_t file);
/* returns whether FILE belongs to cooperative groups */
bool analyse_is_groups(const struct ptx_module *module, uint32_t file);

#endif
