/* Checks the rules for a lab's files. `lanewise lab-check` applies them before it grades
 * anything. */
#ifndef CLI_LAB_RULES_H
#define CLI_LAB_RULES_H

#include "course/lab.h"
#include "grade/mutant.h"

#define LAB_SKELETON_LINES 150
#define LAB_LEAST_HINTS    3
#define LAB_LEAST_MUTANTS  4

/* The violations in one lab. lab_violates() prints a violation as one line and counts it. */
struct lab_findings {
    const char *lab; /* the lab's name, which begins each line */
    unsigned count;  /* number of violations */
};
void lab_violates(struct lab_findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The parts of a lab, which are read only once. */
struct lab_parts {
    struct lab lab;
    struct text skeleton, solution;
    struct mutant *mutants; /* the mutants that could be read */
    size_t mutant_count;
};

/* Reads the parts of lab NAME. A missing part is a violation. Returns false if the lab cannot be
 * checked without the missing parts. */
bool lab_read_parts(const char *name, struct lab_parts *parts, struct lab_findings *findings);
void lab_free_parts(struct lab_parts *parts);

/* Checks all rules and reports violations. */
void lab_apply_rules(const struct lab_parts *parts, struct lab_findings *findings);

unsigned lab_count_lines(const char *text);

#endif
