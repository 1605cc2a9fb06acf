#ifndef TESTS_GPU_EXECUTE_OPCODE_LANES_H
#define TESTS_GPU_EXECUTE_OPCODE_LANES_H

/* The mnemonics that test_opcodes_lanes.c runs. NULL ends the list. */
extern const char *const lane_mnemonics[];

#endif
