/* The record: what ran and what was found, one line of JSON for each launch.
 *
 *   {"launch": {"kernel", "grid", "block", "static_shared_bytes", "dynamic_shared_bytes",
 *               "status", "rules", "counters", "lines": [{"file", "line", "counters"}]},
 *    "findings": [{"id", "severity", "kernel", "file", "line", "column", "message", "count",
 *                 "related": [{"file", "line", "message"}]}],
 *    "accesses": [{"kernel", "file", "line", "column", "block": [x, y, z], "warp", "step",
 *                  "kind": "load", "store", "atomic" or "reduction", "space": "global" or "shared",
 *                  "bytes", "cost", "ideal", "offsets": [32 numbers or nulls]}]}
 *
 * Accesses are there if some were asked for (struct emu_trace): of each line the costliest.
 *
 * A loss has "cause", "cost", "ideal", "worst_cost" and "worst_ideal" too, and "help" if its cause has one of its
 * own: see struct finding.
 * A finding about two accesses has the other one in "related"; places of the host's source have a
 * "message" there, such as "allocated here". Others lack it.
 * The runtime library adds lines of its own: {"findings": [...]} without a launch, and when the program
 * ends {"calls": {"cudaMalloc": 2, ...}}, how often each API function was called. A device in a process of its own
 * ends with {"requests": {"alloc": 2, ...}, "rows": {"write_rows": 300, ...}}: what it was asked for, by the names
 * of gpu/remote/calls.def, and how many rows that was about.
 *
 * With the tool "origins" each copy to the host has a line too: {"copy": {"bytes", "sha256", "made", "same"}};
 * made: kernels wrote all of it, or it is cleared memory; same: so it is with other data, too. Where the host
 * was shown another input than the device has (gpu/remote/views.h), the end of the record is {"missing": 0}: so many
 * bytes of it have never come to the device.
 *
 * Counters that are 0 are left out of "lines"; lines come in the order of their instructions. */
#ifndef GPU_RECORD_RECORD_H
#define GPU_RECORD_RECORD_H

#include <stdbool.h>

#include "gpu/observe/view.h"

/* Whether anything is to be written to the record that OPTIONS ask for: there is one, and it is not too long. */
bool record_is_open(const struct emu_options *options);

/* How a launch ended, and its counters. */
struct record_result {
    enum emu_status status;
    const struct emu_counters *totals;
    const struct emu_counters *per_instruction; /* NULL: unknown */
};

/* Appends the launch to FD in one write. False if that failed. */
bool record_launch(int fd, const struct launch_view *launch, const struct record_result *result);

/* Appends what the host has got: SIZE bytes. A device tells the first RECORD_COPIES of them. */
#define RECORD_COPIES 100000u
struct record_origin {
    bool made, same;
};
bool record_copy(int fd, const void *bytes, size_t size, struct record_origin origin);

/* "ok", "illegal-address", … */
const char *record_status(enum emu_status status);

/* NAME demangled, or as it is; the caller frees it. */
char *record_demangle(struct ptx_name name);

#endif
