/* Do two gradings of one submission agree? Pure comparisons of results (grader/report/RESULTS.md). */
#ifndef GRADE_AGREE_H
#define GRADE_AGREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Is RESULT a lanewise/result/v1, as far as the functions below and a replay need it to be? */
bool agree_is_sound(const json_t *result);

/* Compares two gradings by one device with one seed: points, counters, messages, findings, lines, byte for
 * byte. What may differ is left out: times, where the build came from, the sandbox, what graded and the
 * seal; and of a check that ran out of time all but its points. False: WHAT (SIZE bytes) is one line that
 * names the first thing that matters most. */
bool agree_same(const json_t *recorded, const json_t *now, char *what, size_t size);

/* Compares a grading on the emulator with one on a GPU. Returns an array with one object for each check
 * that both have, done on its own device, and that was right on one of them only:
 * {"id", "title", "right_on", "wrong_on", "status", "message"}; the last two are of the wrong one. A
 * submission that only one of them could build is an object without "id". Its points are not compared:
 * they stand for counters on one, for times on the other. NULL when out of memory. */
json_t *agree_devices(const json_t *on_emulator, const json_t *on_gpu);

#endif
