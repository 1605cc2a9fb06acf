/* Reads the record that the runtime library writes in the student's process, and makes of it the
 * launches and findings of a "lanewise/run/v1" document.
 *
 * The record is one JSON object a line: a launch, findings, or the calls of a process that ended. The
 * student's process can write to it too, so it is checked in full: nothing that is not of the format,
 * and no text that is not printable, gets into the document. What it says is still only as trustworthy
 * as that process. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <jansson.h>
#include <stddef.h>

#define RECORD_SCHEMA   "lanewise/run/v1"
#define RECORD_BYTES    ((size_t)64 << 20) /* of a submission's, at most: labs leave some KB */
#define RECORD_LAUNCHES (1u << 17)         /* at most */
#define RECORD_FINDINGS 1000u /* kinds and places, at most; further ones are left out */
#define RECORD_ACCESSES 1000u /* lines of which one is kept, at most */
#define RECORD_LANES    32u
#define RECORD_COUNTER  (1ll << 45) /* a counter of one launch: sums of all fit 63 bits */

/* The record PATH as a new object:
 *
 *   {"schema": "lanewise/run/v1",
 *    "launches": [{"kernel", "grid": [x, y, z], "block": [x, y, z], "static_shared_bytes",
 *                  "dynamic_shared_bytes", "status": "ok" or how it ended, "rules": "sector", "gt200" or "g80",
 *                  "counters": {all of counters.def},
 *                  "lines": [{"file", "line", "counters": {those that are not 0}}]}],
 *    "findings": [{"id", "severity", "kernel", "file", "line", "column", "message", "count",
 *                  "related": [{"file", "line", "message"}]}],
 *    "calls": {"cudaMalloc": 2, ...},
 *    "requests": {"alloc": 2, "write_rows": 1, ...},
 *    "rows": {"write_rows": 300, ...},
 *    "copies": [{"bytes", "sha256", "made", "same"}],
 *    "missing": bytes of the input,
 *    "accesses": [{"kernel", "file", "line", "column", "block": [x, y, z], "warp", "step",
 *                  "kind", "space", "bytes", "cost", "ideal", "offsets": [of 32 lanes]}]}
 *
 * Calls are those of the CUDA runtime, `<<<>>>` being cudaLaunchKernel; {} if the program was killed.
 * They are the program's own word. Requests are what a device in a process of its own was asked for (gpu/remote/wire.h),
 * and counted itself, and the rows that it was asked for; {} where the program had no such device.
 * A finding about two accesses has the other one in "related"; others lack it. What a "message" there
 * says, such as "allocated here", is about that place. Findings of the same
 * id, file, line and related place are one, their counts added; without a file, those of the same
 * message. Copies are those to the host, if origins were watched; they and "missing", which is there only if the
 * host was shown another input, are as gpu/record/record.h describes them. So are accesses, if some were to
 * be recorded: of each line the one that cost most beyond its ideal, over all launches. A last line without a newline
 * is left out: its writer was killed. NULL: ERROR (SIZE bytes) says in a few words what is wrong with
 * the file, such as "is missing" or "is malformed in line 3". */
json_t *record_read(const char *path, char *error, size_t size);

/* The same of the file that is open as FD, which it closes: of a program that is trusted, and may leave more. */
json_t *record_take(int fd, char *error, size_t size);

/* Of a finding about a pair of accesses: the place of the other one; else NULL. */
const json_t *record_other_access(const json_t *finding);

#endif
