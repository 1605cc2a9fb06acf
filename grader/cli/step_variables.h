/* Finds the names of a program's variables in the debug information that nvcc -G writes into
 * PTX. */
#ifndef CLI_STEP_VARIABLES_H
#define CLI_STEP_VARIABLES_H

#include <jansson.h>

/* Returns the variables of the functions of STEPS (gpu/record/steps.h), a recording of a launch of
 * PROGRAM:
 *
 *   [{"name", "fn": its function's number, "type": "int", "unsigned" or "float",
 *     "bytes": size of an element, "count": number of elements,
 *     "places": [[first pc, last pc, "r", register] or [first pc, last pc, "l", address in local
 *     memory] or [first pc, last pc, "p", number of the parameter]]}]
 *
 * A place holds the variable while a lane is at an instruction from the first to the last pc.
 * Variables of outer scopes come before variables of inner scopes. The list is empty if PROGRAM was
 * built without -G. */
json_t *step_variables(const char *program, const json_t *steps);

#endif
