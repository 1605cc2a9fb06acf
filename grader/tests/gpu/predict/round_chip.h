/* A chip with round numbers, on which a prediction can be computed by hand. */
#ifndef TESTS_ROUND_CHIP_H
#define TESTS_ROUND_CHIP_H

#include <jansson.h>

#include "gpu/chips.h"
#include "tests/support/emulator_fixture.h"

struct emu_chip round_chip(void);

/* Launches the kernel "k" of the loaded module. Returns its prediction; the caller calls
 * json_decref(). */
json_t *round_predict(struct fixture *f, struct fixture_launch launch);

/* Returns the number NAME of OBJECT, which must have it. */
double round_number(const json_t *object, const char *name);

#endif
