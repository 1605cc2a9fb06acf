/* The mnemonics of all instructions that test_opcodes_memory.c, test_opcodes_atomic.c and
 * test_opcodes_wide.c run. */
#ifndef TESTS_GPU_EXECUTE_OPCODE_MEMORY_H
#define TESTS_GPU_EXECUTE_OPCODE_MEMORY_H

#include "tests/support/emulator_fixture.h"

struct access;
typedef void memory_visitor(const struct access *access, void *context);

void memory_each_load(memory_visitor *visit, void *context);
void memory_each_store(memory_visitor *visit, void *context);
/* Returns the mnemonic, such as "ld.global.v2.u32". The caller frees it. */
char *memory_mnemonic(const struct access *access);

typedef void name_visitor(const char *mnemonic, void *context);
void atomic_each(name_visitor *visit, void *context);
void wide_each(name_visitor *visit, void *context);

#endif
