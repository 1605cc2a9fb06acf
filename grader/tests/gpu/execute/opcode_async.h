#ifndef TESTS_GPU_EXECUTE_OPCODE_ASYNC_H
#define TESTS_GPU_EXECUTE_OPCODE_ASYNC_H

#include "opcode_memory.h"

/* Visits the mnemonics that test_opcodes_async.c runs. */
void async_each(name_visitor *visit, void *context);

#endif
