/* What watches kernels beside the counters, by the names of compute-sanitizer's tools. */
#ifndef GPU_TOOLS_H
#define GPU_TOOLS_H

#include <stdbool.h>

enum emu_tool {
    EMU_MEMCHECK = 1,  /* always on: without it no fault could be explained */
    EMU_SYNCCHECK = 4, /* so is this */
    EMU_INITCHECK = 8, /* one worker here too */
    EMU_ORIGINS = 16,  /* and here: tells which bytes that the host reads were made by kernels */
    EMU_ONLY = 32,     /* nothing watches that is not named, not even what is always on */
    EMU_COUNTERS = 64 | EMU_ONLY,
    EMU_RACECHECK = 2, /* one worker then runs a launch: see observe/racecheck.c */
};

/* The names, as a message lists them; "origins" is for gradings, "none" and "counters" (EMU_ONLY) for
 * measuring what watching costs. */
#define EMU_TOOL_NAMES "memcheck, synccheck, racecheck, initcheck"

/* *TOOLS becomes what LIST names, with commas between. False: something in it is no tool. */
bool emu_find_tools(const char *list, unsigned *tools);

#endif
