/* The kinds of findings: findings.def as a table. */
#ifndef GPU_FINDING_KINDS_H
#define GPU_FINDING_KINDS_H

#include <stdbool.h>
#include <stddef.h>

struct finding_kind {
    const char *id;       /* "bank-conflict" */
    const char *tool;     /* "counters", "memcheck", "synccheck", "racecheck" or "runtime" */
    const char *severity; /* "error" or "warning" */
    bool has_example;
    const char *title; /* what it is, in one line */
    const char *help;  /* what to try, in one line */
    const char *text;  /* the long form: a paragraph */
};

extern const struct finding_kind emu_finding_kinds[];
extern const size_t emu_finding_kind_count;

/* The kind called ID; NULL: there is none. */
const struct finding_kind *emu_finding_kind(const char *id);

#endif
