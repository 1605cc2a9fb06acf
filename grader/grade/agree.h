/* Compares two gradings of one submission. The functions only read results
 * (grader/report/RESULTS.md). */
#ifndef GRADE_AGREE_H
#define GRADE_AGREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns true if RESULT is a lanewise/result/v1 with all members that replaying and the functions
 * below need. */
bool agree_is_sound(const json_t *result);

/* Compares the results of two gradings with the same device and seed: points, counters, messages,
 * findings, lines. Ignores members that may differ: times, the build cache, the sandbox, the grader
 * and the seal. If a check ran out of time, compares only its points. Returns false if the results
 * differ; WHAT (SIZE bytes) then describes the most important difference in one line. */
bool agree_same(const json_t *recorded, const json_t *now, char *what, size_t size);

/* Compares a grading on the emulator with a grading on a GPU. Returns an array with one object for
 * each check that was right in only one of them: {"id", "title", "right_on", "wrong_on", "status",
 * "message"}. "status" and "message" come from the grading in which the check was wrong. Skips
 * checks that ran on the emulator both times. If only one grading could build the submission,
 * returns one object without "id". Does not compare points, because they depend on counters on the
 * emulator and on times on a GPU. Returns NULL when out of memory. */
json_t *agree_devices(const json_t *on_emulator, const json_t *on_gpu);

#endif
