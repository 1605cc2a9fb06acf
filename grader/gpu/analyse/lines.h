/* Finds the line of the student's source to which an instruction belongs. */
#ifndef GPU_ANALYSE_LINES_H
#define GPU_ANALYSE_LINES_H

#include "gpu/ptx/module.h"

struct source_line {
    uint32_t file, line, column; /* `file` is an id from ptx_file_id(); `line` is 0 if unknown */
};

/* Returns the source line of the instruction at PC. For code inlined from a header, such as
 * atomicAdd(), this is the line that calls it. In a chain of calls, it is the innermost call in the
 * kernel's own file, or the outermost call if no call is in that file. In a kernel of CUDA's
 * libraries, it is the innermost line outside of these libraries, such as a line of a functor, if
 * there is one. */
struct source_line analyse_line(const struct ptx_module *module,
                                const struct ptx_function *function, uint32_t pc);
/* Does the same for the last instruction that the parser has read before an error in FUNCTION. */
struct source_line analyse_last_line(const struct ptx_module *module,
                                     const struct ptx_function *function);
/* Does the same as analyse_line(), but for inlined code, returns the line in the header. */
struct source_line analyse_inner_line(const struct ptx_function *function, uint32_t pc);

/* Returns whether FILE is a header of the libraries that come with CUDA, such as Thrust and CUB. */
bool analyse_is_library(const struct ptx_module *module, uint32_t file);
/* Returns whether FILE belongs to cooperative groups. */
bool analyse_is_groups(const struct ptx_module *module, uint32_t file);

#endif
