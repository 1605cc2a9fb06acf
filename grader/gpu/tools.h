/* Names the tools that check or measure kernels. Most are modelled on the tools of
 * compute-sanitizer. */
#ifndef GPU_TOOLS_H
#define GPU_TOOLS_H

#include <stdbool.h>

/* The bits of a set of tools. Without EMU_ONLY, memcheck and synccheck always run, the counters run
 * if the caller asks for them, and the runtime library checks the order between streams and the
 * host (EMU_ORDERCHECK). For this check, the library requests a list of the memory that each launch
 * touches (see emu_launch.touches). */
enum emu_tool {
    EMU_ONLY = 32, /* run only the tools in the set */
#define T(tool, name, code, bits) EMU_##tool = bits,
#include "gpu/tools.def"
#undef T
};

/* The names of the tools that users can choose, for messages. emu_find_tools() accepts more names:
 * "origins", "rows" and "waits", which are only for grading, and "none" and "counters", which set
 * EMU_ONLY to measure the cost of tools. */
#define EMU_TOOL_NAMES "memcheck, synccheck, ordercheck, racecheck, initcheck"

/* Sets *TOOLS to the tools in LIST, whose names are separated by commas. Returns false if a name is
 * unknown. */
bool emu_find_tools(const char *list, unsigned *tools);

#endif
