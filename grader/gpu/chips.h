/* Finds the chips for which launch times can be predicted. A chip's numbers, with their sources,
 * are in a file in predict/chips/. chips.def gives the meaning of each number. */
#ifndef GPU_CHIPS_H
#define GPU_CHIPS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/limits.h"

struct emu_chip {
    char name[64];  /* name of the chip's file, such as "h200" */
    char title[64]; /* such as "NVIDIA H200" */
#define C(name, meaning) double name;
#include "gpu/chips.def"
#undef C
    const struct emu_limits *limits; /* limits of the chip's compute capability */
};

/* Finds the chip NAME: one of emu_chip_names(), or the path of a file if NAME contains a '/'. On
 * failure, returns false and writes the reason as one line to WHY (SIZE bytes). */
bool emu_find_chip(const char *name, struct emu_chip *chip, char *why, size_t size);

/* Returns the names of all chips that come with Lanewise, such as "a100, h100, h200". */
const char *emu_chip_names(void);

#endif
