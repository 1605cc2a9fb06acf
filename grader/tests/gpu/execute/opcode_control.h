#ifndef TESTS_GPU_EXECUTE_OPCODE_CONTROL_H
#define TESTS_GPU_EXECUTE_OPCODE_CONTROL_H

#include "gpu/device.h"

struct control_row {
    const char *mnemonic, *text;
    uint32_t want;
    enum emu_status status;
};

/* The rows of test_opcodes_control.c; the last row has no mnemonic. */
extern const struct control_row control_rows[];

#endif
