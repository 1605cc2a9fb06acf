#ifndef TESTS_GPU_EXECUTE_OPCODE_COMPARE_H
#define TESTS_GPU_EXECUTE_OPCODE_COMPARE_H

#include "opcode_rows.h"

/* The rows of setp and set with every comparison, combination and type. The table is built
 * once and never freed. */
struct opcode_table opcode_compare_table(void);

#endif
