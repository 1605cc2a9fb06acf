#ifndef TESTS_GPU_EXECUTE_OPCODE_MATRIX_H
#define TESTS_GPU_EXECUTE_OPCODE_MATRIX_H

#include "opcode_memory.h"

/* Visits the mnemonics that test_opcodes_matrix.c runs. */
void matrix_each(name_visitor *visit, void *context);

#endif
