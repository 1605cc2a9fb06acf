/* Makes pages of `lanewise step`, and runs scripts that test them in a browser (support/browser.h).
 * The pages are in the test's folder, which submission_init() must have prepared. */
#ifndef TESTS_SUPPORT_STEP_PAGES_H
#define TESTS_SUPPORT_STEP_PAGES_H

#include <jansson.h>
#include <stdbool.h>

/* The program to run. If LAB is set, it is the lab's solution with the mutant MUTANT; the solution
 * itself if MUTANT is ""; or the skeleton if MUTANT is NULL. If LAB is NULL, MUTANT has options and
 * the path of a program. */
struct step_program {
    const char *name, *lab, *mutant;
};

/* Writes NAME.html for PROGRAM, and NAME.truth with the machine's state after 50 random steps, in
 * random order. NAME is the program's name. Returns false if the program launches no kernel. */
bool step_page_make(const struct step_program *program);

/* Makes NAME.probe.html, a copy of page NAME that also runs the script PROBE of
 * grader/tests/report/. The script gets the states in NAME.truth. */
void step_page_probe(const char *name, const char *probe);

/* Returns the JSON document inside of page FILE. The caller releases it. */
json_t *step_page_meta(const char *file);

/* Returns the number of the block that a page with document META shows. */
long long step_page_block(const json_t *meta);

/* Compares the states that the pages of PROGRAMS show with the machine's states. step_page_make()
 * has made the pages. */
void step_page_compare(const struct step_program *programs, size_t count);

#endif
