/* Reads the record of a program and returns it as a "lanewise/run/v1" document.
 *
 * The record is one JSON object per line; gpu/record/record.h describes the lines. The emulator
 * writes it. In a grading, the emulator is in the device's process, which the submission can reach
 * only by requests (gpu/remote/wire.h). With `lanewise run`, it is in the program's own process.
 *
 * The reader trusts neither process. It checks every value, so that the document has only values of
 * the right type and range, and printable text. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#define RECORD_SCHEMA "lanewise/run/v1"
/* Upper limits of a record and of the numbers in it. */
/* maximum size in bytes of a submission's record; labs write a few KB */
#define RECORD_BYTES    ((size_t)64 << 20)
#define RECORD_LAUNCHES (1u << 17)
#define RECORD_FINDINGS 1000u /* maximum number of findings; further ones are left out */
/* maximum number of findings of a launch that other launches repeat */
#define RECORD_REPEATED_FINDINGS 16u
/* maximum number of source lines with an access; further ones are left out */
#define RECORD_ACCESSES 1000u
#define RECORD_WORK     10000u /* maximum number of work items; further ones are left out */
#define RECORD_LANES    32u
/* maximum counter of a launch; the sum over all launches then fits into 63 bits */
#define RECORD_COUNTER (1ll << 45)

/* Returns the record in the file PATH as a new object:
 *
 *   {"schema": "lanewise/run/v1",
 *    "launches": [{"kernel", "grid": [x, y, z], "block": [x, y, z], "static_shared_bytes",
 *                  "dynamic_shared_bytes", "constant_bytes", "status": "ok" or how it ended,
 *                  "rules": "sector", "gt200" or "g80",
 *                  "counters": {all of counters.def, but rows_... and waits_... only if not 0},
 *                  "lines": [{"file", "line", "counters": {those that are not 0},
 *                             "time_share": part of the predicted time}],
 *                  "predicted": {only with a chip: as in gpu/record/record.h}, "reads_clock": true
 *                  only if the kernel reads a clock or timer}],
 *    "findings": [{"id", "severity", "kernel", "file", "line", "column", "message", "count",
 *                  "related": [{"file", "line", "message"}]}],
 *    "calls": {"cudaMalloc": 2, ...},
 *    "requests": {"alloc": 2, "write_rows": 1, ...},
 *    "rows": {"write_rows": 300, ...},
 *    "sectors": {"copy": 64, ...},
 *    "copies": [{"bytes", "sha256", "made", "same"} or {"bytes", "lent": true}],
 *    "missing": bytes of the input,
 *    "timeline": {only with a chip: as in gpu/record/record.h, with "work": [its work items]},
 *    "accesses": [{"kernel", "file", "line", "column", "block": [x, y, z], "warp", "step",
 *                  "kind", "space", "bytes", "cost", "ideal", "offsets": [of 32 lanes]}]}
 *
 * "calls" counts the program's calls of the CUDA runtime, as the program itself reports them;
 * `<<<>>>` counts as cudaLaunchKernel. If the program was killed, "calls" is {}. A device in
 * another process counts "requests", "rows" and "sectors" (gpu/remote/tally.h); without such a
 * device they are {}.
 *
 * Findings with the same id, file, line and related place become one, and their counts add up.
 * Findings without a file become one if their messages are the same. A finding about a pair of
 * accesses has the place of the other access in "related"; a related place with a "message", such
 * as "allocated here", is not an access.
 *
 * gpu/record/record.h describes "copies", "missing" and "accesses". If the tool "origins" ran,
 * "copies" lists the copies to the host, and the ranges of shared memory that kernels wrote. If
 * main() saw a decoy input, "missing" is the number of bytes of the real input that never reached
 * the device. "accesses" has the most wasteful access of each line over all launches, if accesses
 * were recorded.
 *
 * The reader ignores a last line without a newline, because the writer was killed. On failure
 * returns NULL, and ERROR (SIZE bytes) says in a few words what is wrong with the file, such as "is
 * missing" or "is malformed in line 3". */
json_t *record_read(const char *path, char *error, size_t size);

/* Does the same as record_read() for the record of a trusted program, which may be larger. Reads
 * from FD, and closes it. */
json_t *record_take(int fd, char *error, size_t size);

/* If FINDING is about a pair of accesses, returns the place of the other access, otherwise NULL. */
const json_t *record_other_access(const json_t *finding);

/* Writes "; allocated here: line 88" for each related place of FINDING that has a message. */
void record_write_places(FILE *to, const json_t *finding);

#endif
