#ifndef TESTS_OPCODE_TEXTURE_H
#define TESTS_OPCODE_TEXTURE_H

#include "opcode_memory.h"

/* The mnemonics that test_opcodes_texture.c runs. */
void texture_each(name_visitor *visit, void *context);

#endif
