/* The tools that watch kernels, named like compute-sanitizer's tools. */
#ifndef GPU_TOOLS_H
#define GPU_TOOLS_H

#include <stdbool.h>

/* Bits. Memcheck and synccheck always run, and so do the counters if the caller wants them.
 * EMU_ONLY switches these off. */
enum emu_tool {
    EMU_ONLY = 32, /* run only the named tools */
#define T(tool, name, code, bits) EMU_##tool = bits,
#include "gpu/tools.def"
#undef T
};

/* The names for a message. "origins" and "rows" are for gradings. "none" and "counters", which set EMU_ONLY,
 * are for measuring the cost of the tools. */
#define EMU_TOOL_NAMES "memcheck, synccheck, racecheck, initcheck"

/* Sets *TOOLS to the tools in LIST, separated by commas. False: LIST has an unknown name. */
bool emu_find_tools(const char *list, unsigned *tools);

#endif
