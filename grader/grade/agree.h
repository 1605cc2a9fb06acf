/* Do two gradings of one submission agree? Pure comparisons of results
 * (grader/report/RESULTS.md). */
#ifndef GRADE_AGREE_H
#define GRADE_AGREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* True if RESULT is a lanewise/result/v1 with all members that replaying and the functions below
 * need. */
bool agree_is_sound(const json_t *result);

/* Compares two gradings on one device with one seed, byte for byte: points, counters, messages,
 * findings, lines. Ignores what may differ: times, the build cache, the sandbox, the grader and the
 * seal; and of a check that ran out of time, everything but its points. False: WHAT (SIZE bytes)
 * names the most important difference in one line. */
bool agree_same(const json_t *recorded, const json_t *now, char *what, size_t size);

/* Compares a grading on the emulator with one on a GPU. Returns an array with one object for each
 * check that was right on only one of them: {"id", "title", "right_on", "wrong_on", "status",
 * "message"}, where the last two come from the wrong one. Checks that ran on the emulator both
 * times are skipped. A submission that only one of them could build gives one object without "id".
 * Points are not compared, because they stand for counters on one device and for times on the
 * other. NULL when out of memory. */
json_t *agree_devices(const json_t *on_emulator, const json_t *on_gpu);

#endif
