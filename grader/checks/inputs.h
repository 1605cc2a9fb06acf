/* Inputs of runs beyond what a lab's checks.c makes: seeds, and the decoy input that main() sees.
 * */
#ifndef CHECKS_INPUTS_H
#define CHECKS_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "record/case.h"

struct check;

/* Starts the random stream of SEED and ID. */
uint64_t check_random_start(uint64_t seed, const char *id);
/* A number, not 0, for PURPOSE in the next run. It follows from the seed of the grading. A program
 * that gets it cannot compute that seed, from which it could make the input that it must not see.
 * */
uint64_t check_random_apart(const struct check *check, const char *purpose);

/* Another case of INPUT's shape: its long arrays have elements drawn from INPUT's, none of them 0.
 * NULL: no array of INPUT has elements by which 16 bytes would tell their place, or out of memory.
 * */
struct case_data *check_other_case(const struct case_data *input, uint64_t *random);
/* N, so that spoiling one of N pieces spoils some 16 pieces of INPUT. 0: INPUT is too short; the
 * answer may not depend on the few that would be spoilt. */
size_t check_spoil_rate(const struct case_data *input);

/* Frees everything that cases and inputs of the check hold. */
void check_free_inputs(struct check *check);

#endif
