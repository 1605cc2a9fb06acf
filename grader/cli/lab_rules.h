/* What can be said of a lab's files without grading anything: `lanewise lab-check` asks it first. */
#ifndef CLI_LAB_RULES_H
#define CLI_LAB_RULES_H

#include "course/lab.h"
#include "grade/mutant.h"

#define LAB_SKELETON_LINES 150
#define LAB_LEAST_HINTS    3
#define LAB_LEAST_MUTANTS  4

/* Where the violations of one kit go: a line each, at once; counted. */
struct lab_findings {
    const char *lab; /* its name, which begins each line */
    unsigned count;  /* of this lab */
};
void lab_violates(struct lab_findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The parts of a lab, read once. */
struct lab_parts {
    struct lab lab;
    struct text skeleton, solution;
    struct mutant *mutants; /* those that could be read */
    size_t mutant_count;
};

/* Reads the parts of lab NAME; what is missing is a violation. False: there is nothing to go on with. */
bool lab_read_parts(const char *name, struct lab_parts *parts, struct lab_findings *findings);
void lab_free_parts(struct lab_parts *parts);

/* Judges all that needs no grading. */
void lab_apply_rules(const struct lab_parts *parts, struct lab_findings *findings);

unsigned lab_count_lines(const char *text);

#endif
