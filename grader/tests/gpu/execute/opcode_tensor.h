#ifndef TESTS_GPU_EXECUTE_OPCODE_TENSOR_H
#define TESTS_GPU_EXECUTE_OPCODE_TENSOR_H

#include "opcode_memory.h"

/* Visits the mnemonics that test_tensor_copies.c runs. */
void tensor_each(name_visitor *visit, void *context);

#endif
