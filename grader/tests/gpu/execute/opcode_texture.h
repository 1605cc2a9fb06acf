#ifndef TESTS_GPU_EXECUTE_OPCODE_TEXTURE_H
#define TESTS_GPU_EXECUTE_OPCODE_TEXTURE_H

#include "opcode_memory.h"

/* Visits the mnemonics that test_opcodes_texture.c runs. */
void texture_each(name_visitor *visit, void *context);

#endif
