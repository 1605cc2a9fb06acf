/* Makes a table of the kinds of findings from findings.def. */
#ifndef GPU_FINDING_KINDS_H
#define GPU_FINDING_KINDS_H

#include <stdbool.h>
#include <stddef.h>

struct finding_kind {
    const char *id;       /* such as "bank-conflict" */
    const char *tool;     /* "counters", "runtime", "grader", or a tool of compute-sanitizer */
    const char *severity; /* "error", "warning" or "note" */
    bool has_example;
    const char *title; /* the finding in one line */
    const char *help;  /* a fix to try, in one line */
    const char *text;  /* the explanation, one paragraph */
};

extern const struct finding_kind emu_finding_kinds[];
extern const size_t emu_finding_kind_count;

/* Returns the kind of finding whose id is ID, or NULL if there is none. */
const struct finding_kind *emu_finding_kind(const char *id);

#endif
