#ifndef TESTS_GPU_EXECUTE_OPCODE_LANES_H
#define TESTS_GPU_EXECUTE_OPCODE_LANES_H

/* What test_opcodes_lanes.c runs, then NULL. */
extern const char *const lane_mnemonics[];

#endif
