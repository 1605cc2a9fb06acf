/* Runs one access pattern in a kernel, for tests of counters. */
#ifndef TESTS_GPU_OBSERVE_PATTERN_H
#define TESTS_GPU_OBSERVE_PATTERN_H

#include "gpu/counters.h"

#define VALUE(counters, name) ((unsigned long)(counters).value[EMU_##name])

/* A kernel that executes ACCESS once per thread. ACCESS can use t = tid.x; i = scale * t + shift
 * (bytes); 64 KiB of global memory (g, and gi = g + i); 32 KiB of shared (s, si) and of local
 * memory (l, li); 4 KiB of constant memory (c, ci); and registers for values (v, w, v1 to v3). */
struct pattern {
    const char *name, *access;
    unsigned scale, shift;
    unsigned threads; /* 0 stands for 32 */
    unsigned want[4]; /* requests, sectors or wavefronts, ideal, lines or conflicts */
};

void run_pattern(const struct pattern *p, struct emu_counters *counters);

#endif
