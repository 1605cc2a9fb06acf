/* Writes a recorded block for `lanewise step`: a JSON document, and directly after it the stream.
 *
 *   {"kernel", "grid", "block": [x, y, z], "launch": number, "cta": [x, y, z], "warps", "threads",
 *    "steps", "left_out", "executed", "cut": boolean, "fill": byte that new shared memory holds,
 *    "shared_bytes", "shared": [{"name", "at", "bytes"}],
 *    "memory": [{"name", "at", "bytes"}]: allocations of global memory
 *    "arguments": the values of the kernel's arguments; null if longer than 8 bytes
 *    "files": [paths], "registers": [[name, type, function's number, slot or -1]], "functions":
 *    [names], "code": [instructions], "marks": [offset in the stream of each piece],
 *    "stream_bytes": size of the stream}
 *
 * An instruction is the array
 *
 *   [text, file's index, line, its function's number, operation, [registers that it writes],
 *    [operands, each a register or [a value's low 32 bits, its high 32 bits]], memory,
 *    line in the PTX]
 *
 * "memory" is 0 or, if the instruction can access memory,
 *
 *   [kind: "l", "s", "a" or "o", bytes of a value, signed: 0 or 1, register of the address or -1,
 *    offset, sweeps: 1 if shared memory may change without an access by this instruction, or 0]
 *
 * A register's slot is its index in the function's stack frame, or -1 if its value is a constant.
 * "left_out" counts the warp instructions before the first step. "executed" counts the warp
 * instructions of the whole block, and is 0 if the block did not end. "cut" says that the stream
 * ends before the block does.
 * gpu/observe/stepper.h explains the stream. */
#ifndef GPU_RECORD_STEPS_H
#define GPU_RECORD_STEPS_H

#include <stdbool.h>

#include "gpu/observe/stepper.h"

/* Writes LAUNCH's recording to FD. Returns false if the write failed, or when out of memory. */
bool record_steps(int fd, const struct launch_view *launch);

#endif
