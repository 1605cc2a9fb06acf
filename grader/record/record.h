/* Reads the record of a program and makes it the launches and findings of a "lanewise/run/v1"
 * document.
 *
 * The record is one JSON object a line; gpu/record/record.h describes the lines. The emulator
 * writes it: in a grading, that is the device's process, which the submission reaches only by
 * requests (gpu/remote/wire.h); with `lanewise run`, it is the program's own process.
 *
 * The reader trusts neither. It checks every value, and only values of the format and printable
 * text get into the document. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <jansson.h>
#include <stddef.h>

#define RECORD_SCHEMA "lanewise/run/v1"
/* Limits. */
#define RECORD_BYTES    ((size_t)64 << 20) /* of a submission's record; labs write some KB */
#define RECORD_LAUNCHES (1u << 17)
#define RECORD_FINDINGS 1000u /* of different kinds and places; further ones are left out */
#define RECORD_ACCESSES 1000u /* source lines with an access; further ones are left out */
#define RECORD_LANES    32u
#define RECORD_COUNTER  (1ll << 45) /* a counter of one launch: sums of all fit 63 bits */

/* The record PATH as a new object:
 *
 *   {"schema": "lanewise/run/v1",
 *    "launches": [{"kernel", "grid": [x, y, z], "block": [x, y, z], "static_shared_bytes",
 *                  "dynamic_shared_bytes", "status": "ok" or how it ended,
 *                  "rules": "sector", "gt200" or "g80",
 *                  "counters": {all of counters.def, but rows_... only if not 0},
 *                  "lines": [{"file", "line", "counters": {those that are not 0}}]}],
 *    "findings": [{"id", "severity", "kernel", "file", "line", "column", "message", "count",
 *                  "related": [{"file", "line", "message"}]}],
 *    "calls": {"cudaMalloc": 2, ...},
 *    "requests": {"alloc": 2, "write_rows": 1, ...},
 *    "rows": {"write_rows": 300, ...},
 *    "copies": [{"bytes", "sha256", "made", "same"} or {"bytes", "lent": true}],
 *    "missing": bytes of the input,
 *    "accesses": [{"kernel", "file", "line", "column", "block": [x, y, z], "warp", "step",
 *                  "kind", "space", "bytes", "cost", "ideal", "offsets": [of 32 lanes]}]}
 *
 * "calls" are those of the CUDA runtime; `<<<>>>` is cudaLaunchKernel. {} if the program was
 * killed. The program itself reports them. "requests" and "rows" are what a device in another
 * process counted (gpu/remote/calls.def); {} without such a device.
 *
 * Findings with the same id, file, line and related place become one, and their counts add up;
 * without a file, those with the same message. A finding about a pair of accesses has the other one
 * in "related"; a place there with a "message", such as "allocated here", is not an access.
 * "copies", "missing" and "accesses" are as in gpu/record/record.h: copies to the host, and what
 * kernels made in memory that it shares, if origins were watched; the bytes that never reached the device, if main() saw a decoy input; and of each
 * line the access that cost most beyond its ideal over all launches, if accesses were recorded.
 *
 * A last line without a newline is left out: its writer was killed. NULL: ERROR (SIZE bytes) says
 * in a few words what is wrong with the file, such as "is missing" or "is malformed in line 3". */
json_t *record_read(const char *path, char *error, size_t size);

/* Reads the record from FD, and closes it. For a trusted program, whose record may be larger. */
json_t *record_take(int fd, char *error, size_t size);

/* The place of the other access, of a finding about a pair of accesses; else NULL. */
const json_t *record_other_access(const json_t *finding);

#endif
