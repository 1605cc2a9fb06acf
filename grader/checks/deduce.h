/* Adds details to the emulator's findings. The emulator knows neither the student's source nor the
 * case; this module does. */
#ifndef CHECKS_DEDUCE_H
#define CHECKS_DEDUCE_H

#include <jansson.h>
#include <stdbool.h>

struct check;

/* Returns whether an observer of the emulator has drawn the conclusion DEDUCTION (gpu/deductions.h)
 * about FINDING. */
bool check_has_deduced(const json_t *finding, const char *deduction);

/* Replaces the help of FINDING, which comes from RECORD, if the submission's source or the latest
 * case allows better help. */
void check_deduce(const struct check *check, const json_t *record, json_t *finding);

#endif
