/* The tools that watch kernels. They have the names of compute-sanitizer's tools. */
#ifndef GPU_TOOLS_H
#define GPU_TOOLS_H

#include <stdbool.h>

/* Bits. Memcheck and synccheck always run, and so do the counters where they are wanted, unless EMU_ONLY is set. */
enum emu_tool {
    EMU_ONLY = 32, /* only the tools run that are named */
#define T(tool, name, code, bits) EMU_##tool = bits,
#include "gpu/tools.def"
#undef T
};

/* The names that a message lists. "origins" is for gradings; "none" and "counters", which set EMU_ONLY, are for
 * measuring what the tools cost. */
#define EMU_TOOL_NAMES "memcheck, synccheck, racecheck, initcheck"

/* Sets *TOOLS to the tools that LIST names, separated by commas. False: LIST has an unknown name. */
bool emu_find_tools(const char *list, unsigned *tools);

#endif
