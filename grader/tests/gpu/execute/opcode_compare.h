#ifndef TESTS_GPU_EXECUTE_OPCODE_COMPARE_H
#define TESTS_GPU_EXECUTE_OPCODE_COMPARE_H

#include "opcode_rows.h"

/* setp and set with every comparison, combination and type. Built once, never freed. */
struct opcode_table opcode_compare_table(void);

#endif
