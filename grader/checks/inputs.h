/* Makes the decoy input that main() sees instead of the input that a lab's checks.c makes. */
#ifndef CHECKS_INPUTS_H
#define CHECKS_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "checks/random.h"
#include "record/case.h"

struct check;

/* Makes another case of INPUT's shape. Its long arrays hold nonzero elements drawn from INPUT's.
 * Returns NULL when out of memory, or if no array of INPUT is so varied that 16 of its bytes
 * identify their place. */
struct case_data *check_other_case(const struct case_data *input, struct check_random *random);
/* Returns N such that spoiling one in N pieces spoils about 16 pieces of INPUT. Returns 0 if INPUT
 * is too short, so the answer might not depend on the few pieces that would be spoilt. */
size_t check_spoil_rate(const struct case_data *input);

/* Frees all cases and inputs of the check. */
void check_free_inputs(struct check *check);

#endif
