/* The decoy input that main() sees instead of the input that a lab's checks.c makes. */
#ifndef CHECKS_INPUTS_H
#define CHECKS_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "checks/random.h"
#include "record/case.h"

struct check;

/* Another case of INPUT's shape: its long arrays have elements drawn from INPUT's, none of them 0.
 * NULL: no array of INPUT has elements by which 16 bytes would tell their place, or out of memory.
 * */
struct case_data *check_other_case(const struct case_data *input, struct check_random *random);
/* N, so that spoiling one of N pieces spoils some 16 pieces of INPUT. 0: INPUT is too short; the
 * answer may not depend on the few that would be spoilt. */
size_t check_spoil_rate(const struct case_data *input);

/* Frees everything that cases and inputs of the check hold. */
void check_free_inputs(struct check *check);

#endif
