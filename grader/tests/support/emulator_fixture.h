/* A fixture for the emulator's tests: a device with a module, one-line launches, and the record.
 *
 * Everything goes through device.h, as in a program. The fixture asserts each step that must
 * succeed in a correct test, and prints the emulator's own message if it fails. */
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
    uint32_t module; /* the latest one loaded */
    int record;      /* a file in memory */
};

/* Opens a device. OPTIONS may be NULL: one worker, CTAs in order, at most 50 million
 * instructions. The fixture sets record_fd itself. */
void fixture_open(struct fixture *fixture, const struct emu_options *options);
void fixture_close(struct fixture *fixture);

/* Loads PTX after putting FIXTURE_PTX in front. */
void fixture_load(struct fixture *fixture, const char *ptx);
/* Loads a PTX text that begins with its own .version. */
void fixture_load_whole(struct fixture *fixture, const char *ptx);

/* Allocates device memory with SIZE bytes of BYTES, or zeros if BYTES is NULL. */
emu_addr fixture_upload(struct fixture *fixture, const void *bytes, size_t size);
void fixture_download(struct fixture *fixture, void *bytes, emu_addr from, size_t size);
uint32_t fixture_word(struct fixture *fixture, emu_addr from, size_t index);

#define FIXTURE_PARAMS 8

struct fixture_launch {
    const char *kernel;              /* NULL: "k" */
    uint32_t grid[3];                /* 0: 1 */
    uint32_t block[3];               /* 0: 1; x 0: 32 */
    uint32_t dynamic_shared;         /* bytes */
    uint64_t params[FIXTURE_PARAMS]; /* all .u64 */
    struct emu_counters *counters;   /* may be NULL */
    bool may_park;
};
enum emu_status fixture_launch(struct fixture *fixture, struct fixture_launch launch);
/* Launches, and asserts that the launch succeeds. */
void fixture_run(struct fixture *fixture, struct fixture_launch launch);

/* The reason why kernel NAME of the latest module cannot be used, or "" if it can. */
const char *fixture_refusal(struct fixture *fixture, const char *name);

/* Line INDEX of the record, -1 for the last; asserts that it exists and is JSON. The caller owns
 * it. */
json_t *fixture_record(struct fixture *fixture, int index);
/* The whole record as text; the caller frees it. */
char *fixture_record_text(struct fixture *fixture);
/* The finding ID in a line of the record; asserts that it exists. Borrowed. */
json_t *fixture_finding(json_t *line, const char *id);
/* The number of findings in the line that are errors; losses do not count. */
size_t fixture_finding_count(json_t *line);

#endif
