/* The record has one line of JSON for each launch and its findings.
 *
 *   {"launch": {"kernel", "grid", "block", "static_shared_bytes", "dynamic_shared_bytes",
 *               "constant_bytes", "occupancy", "status", "rules", "counters",
 *               "lines": [{"file", "line", "counters", "time_share" of the predicted time}]},
 *    "findings": [{"id", "severity", "kernel", "file", "line", "column", "message", "count",
 *                 "related": [{"file", "line", "message"}]}],
 *    "accesses": [{"kernel", "file", "line", "column", "block": [x, y, z], "warp", "step",
 *                  "kind": "load", "store", "atomic" or "reduction", "space": "global" or "shared",
 *                  "bytes", "cost", "ideal", "offsets": [32 numbers or nulls]}]}
 *
 * Such a line also has an "id" if later launches may repeat it. A later line {"repeats": ID} stands
 * for a launch whose full line would equal the line with this id.
 *
 * With a chip in the options, the occupancy is that of the chip, and a launch has "predicted":
 * {"gpu", "title", "measured", "us", "low_us", "high_us", "limit", "parts": {each limit alone, in
 * us}, "cycles", "instructions" (of the machine), "dram_bytes", "l2_hits", "us_ideal_sectors" and
 * "us_ideal_wavefronts" if these differ}.
 *
 * "reads_clock": true exists if the kernel reads a clock or timer.
 *
 * "accesses" exists only if struct emu_trace asks for it. It has the most wasteful access of each
 * line.
 *
 * A loss (a finding of severity "warning") also has "cause", "cost", "ideal", "worst_cost" and
 * "worst_ideal", and "help" if its cause has special help (see struct finding). A finding about two
 * accesses has the other access in "related". A related place in the host's source has a "message",
 * such as "allocated here"; other places have none.
 *
 * The runtime library adds lines: {"findings": [...]} without a launch and, when the program ends,
 * {"calls": {"cudaMalloc": 2, ...}}, the number of calls of each API function. A device in a
 * separate process ends the record with {"requests": {"alloc": 2, ...}, "rows": {"write_rows": 300,
 * ...}, "sectors": {"copy": 64, ...}}: the number of requests of each call in gpu/remote/calls.def,
 * the number of rows in these requests, and the sectors of 32 bytes of the device's memory that
 * copies and fills (copy, set, write, read, and those of rows) read and wrote. A call for rows,
 * such as cudaMemcpy2D(), is a request for rows even if there is only one row.
 *
 * With a chip, each piece of work that has ended has a line {"work": {"name", "engine": "compute",
 * "to-device" or "from-device", "stream", "start_us", "end_us", "bytes" of a copy or fill}}, up to
 * 10,000 lines, and the end has {"timeline": {"gpu", "title", "measured", "us", "kernels_us",
 * "copies_us", "overlapped_us", "kernels", "copies", "unknown", "on_host"}} (see
 * gpu/order/timeline.h). The timeline leaves out launches without a predicted time, which "unknown"
 * counts, and host functions and copies within the host, which "on_host" counts.
 *
 * With the tool "origins", each copy to the host also has a line: {"copy": {"bytes", "sha256",
 * "made", "same"}}. "made" says that kernels wrote all of the copied bytes, or that they are
 * cleared memory. "same" says that other input data gives the same bytes. If the host and the
 * device see different inputs (gpu/remote/views.h), the record also has a line {"lent": {"bytes",
 * "launch"}} for each piece of shared memory that kernels wrote: its size, and the number of the
 * last launch that wrote it. It then ends with {"missing": N}, where N is the number of input bytes
 * that never reached the device.
 *
 * "watched" exists only with a limit on the cost of racecheck and initcheck. It says whether they
 * saw "all" of the launch, "part" of it or "none".
 *
 * "constant_bytes" is the sum, over all __constant__ variables, of the bytes from the variable's
 * start to the last byte to which the program has copied data. Initial values do not count.
 *
 * "lines" omits counters that are 0, and "counters" omits counters named rows_... that are 0. Lines
 * come in the order of their instructions. */
#ifndef GPU_RECORD_RECORD_H
#define GPU_RECORD_RECORD_H

#include <stdbool.h>

#include "gpu/observe/view.h"

/* Returns whether OPTIONS ask for a record and the record has not reached its maximum length. */
bool record_is_open(const struct emu_options *options);

/* The status with which a launch ended, and its counters. */
struct record_result {
    enum emu_status status;
    const struct emu_counters *totals;
    const struct emu_counters *per_instruction; /* NULL if the launch was not counted */
    const char *watched; /* a string constant, or NULL if the cost of the tools is not limited */
};

/* Appends the launch to FD in one write. If REPEATS has an equal launch, appends only a short line
 * with the id of that launch. Returns false if the write failed. */
struct repeats;
bool record_launch(int fd, struct repeats *repeats, const struct launch_view *launch,
                   const struct record_result *result);

/* Appends a line about a copy of SIZE bytes to the host. A device reports only its first
 * RECORD_COPIES copies. */
#define RECORD_COPIES 100000u
struct record_origin {
    bool made, same;
};
bool record_copy(int fd, const void *bytes, size_t size, struct record_origin origin);

/* Returns the name of STATUS in the record: "ok", "illegal-address" and so on. */
const char *record_status(enum emu_status status);

/* Returns NAME demangled, or unchanged if it is not a mangled name. The caller frees the result. */
char *record_demangle(struct ptx_name name);

#endif
