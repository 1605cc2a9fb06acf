/* Makes the decoy input, which main() sees in place of the input from a lab's checks.c. */
#ifndef CHECKS_INPUTS_H
#define CHECKS_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "checks/random.h"
#include "record/case.h"

struct check;

/* Makes the decoy for INPUT: a case of the same shape, whose long arrays have nonzero elements
 * drawn from INPUT. Returns NULL when out of memory, or if no array in INPUT is varied enough that
 * any 16 bytes occur in it only once. */
struct case_data *check_other_case(const struct case_data *input, struct check_random *random);
/* A spoilt piece is 16 bytes of an input that are replaced by other numbers (gpu/remote/twin.h).
 * Returns N so that about 16 pieces of INPUT are spoilt if every Nth piece is, on average. Returns
 * 0 if INPUT is too short: then the answer might not depend on the few spoilt pieces. */
size_t check_spoil_rate(const struct case_data *input);

/* Frees all cases and inputs of the check. */
void check_free_inputs(struct check *check);

#endif
