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

/* Compares two gradings on one device with one seed, byte for byte: points, counters, messages,
 * findings, lines. Ignores members that may differ: times, the build cache, the sandbox, the grader
 * and the seal. For a check that ran out of time, compares only the points. Returns false if they
 * differ; WHAT (SIZE bytes) names the most important difference in one line. */
bool agree_same(const json_t *recorded, const json_t *now, char *what, size_t size);

/* Compares a grading on the emulator with a grading on a GPU. Returns an array with one object for
 * each check that was right in only one of them: {"id", "title", "right_on", "wrong_on", "status",
 * "message"}. The last two come from the grading in which the check was wrong. Skips checks that
 * ran on the emulator both times. If only one grading could build the submission, returns one
 * object without "id". Does not compare points, which depend on counters on one device and on times
 * on the other. Returns NULL when out of memory. */
json_t *agree_devices(const json_t *on_emulator, const json_t *on_gpu);

#endif
