/* Says more about a finding than the observers of the emulator can, since they know neither the
 * student's source nor the case. */
#ifndef CHECKS_DEDUCE_H
#define CHECKS_DEDUCE_H

#include <jansson.h>
#include <stdbool.h>

struct check;

/* Returns whether an observer has made DEDUCTION (gpu/deductions.h) about FINDING. */
bool check_has_deduced(const json_t *finding, const char *deduction);

/* Replaces the help of FINDING, which comes from RECORD, if the source of the submission or the
 * latest case tells more. */
void check_deduce(const struct check *check, const json_t *record, json_t *finding);

#endif
