/* A fixture for tests of the emulator: a device with a module, short functions for launches, and
 * access to the record.
 *
 * The fixture uses only device.h, like any user of the emulator. It asserts that each step
 * succeeds. If a step fails, it prints the emulator's own message. */
#ifndef TESTS_SUPPORT_EMULATOR_FIXTURE_H
#define TESTS_SUPPORT_EMULATOR_FIXTURE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/device.h"

/* The header of every PTX text in these tests. */
#define FIXTURE_PTX ".version 8.5\n.target sm_90\n.address_size 64\n"

struct fixture {
    struct emu_device *device;
    uint32_t module; /* the module that was loaded last */
    int record;      /* a file in memory */
};

/* Opens a device. If OPTIONS is NULL, the device has one worker, executes CTAs in order, and
 * executes at most 50 million instructions. The fixture sets record_fd in any case. */
void fixture_open(struct fixture *fixture, const struct emu_options *options);
void fixture_close(struct fixture *fixture);

/* Loads PTX with the header FIXTURE_PTX before it. */
void fixture_load(struct fixture *fixture, const char *ptx);
/* Loads a PTX text that begins with its own .version. */
void fixture_load_whole(struct fixture *fixture, const char *ptx);

/* Allocates device memory with SIZE bytes of BYTES, or zeros if BYTES is NULL. */
emu_addr fixture_upload(struct fixture *fixture, const void *bytes, size_t size);
void fixture_download(struct fixture *fixture, void *bytes, emu_addr from, size_t size);
uint32_t fixture_word(struct fixture *fixture, emu_addr from, size_t index);

#define FIXTURE_PARAMS 8

struct fixture_launch {
    const char *kernel;              /* name, or NULL for "k" */
    uint32_t grid[3];                /* 0 stands for 1 */
    uint32_t block[3];               /* x = 0 stands for 32, y and z = 0 for 1 */
    uint32_t dynamic_shared;         /* in bytes */
    uint64_t params[FIXTURE_PARAMS]; /* parameter values, all of type .u64 */
    struct emu_counters *counters;   /* may be NULL */
    bool may_park;
    uint8_t touches; /* enum emu_touches */
};
enum emu_status fixture_launch(struct fixture *fixture, struct fixture_launch launch);
/* Launches, and asserts that the launch succeeds. */
void fixture_run(struct fixture *fixture, struct fixture_launch launch);

/* Returns the reason why kernel NAME of the latest module cannot be used, or "" if it can be
 * used. */
const char *fixture_refusal(struct fixture *fixture, const char *name);

/* Returns line INDEX of the record; -1 is the last. Asserts that the line exists and is JSON. The
 * caller calls json_decref(). */
json_t *fixture_record(struct fixture *fixture, int index);
/* Returns the whole record as text. The caller frees it. */
char *fixture_record_text(struct fixture *fixture);
/* Returns the finding ID in a line of the record, and asserts that it exists. The result is
 * a borrowed reference. */
json_t *fixture_finding(json_t *line, const char *id);
/* Returns the number of findings in LINE that are errors. Findings about wasted work (losses) do
 * not count. */
size_t fixture_finding_count(json_t *line);

#endif
