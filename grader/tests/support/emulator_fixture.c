#include "emulator_fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ENOUGH_INSTRUCTIONS 50000000u

void fixture_open(struct fixture *fixture, const struct emu_options *options)
{
    struct emu_options used = {.deterministic = true, .max_warp_instructions = ENOUGH_INSTRUCTIONS};
    if (options)
        used = *options;
    *fixture = (struct fixture){.record = memfd_create("record", MFD_CLOEXEC)};
    cr_assert(fixture->record >= 0, "memfd_create failed");
    used.record_fd = fixture->record;
    cr_assert(emu_open(&used, &fixture->device) == EMU_OK, "emu_open failed");
}

void fixture_close(struct fixture *fixture)
{
    emu_close(fixture->device);
    close(fixture->record);
}

void fixture_load_whole(struct fixture *fixture, const char *ptx)
{
    enum emu_status status = emu_load(fixture->device, ptx, strlen(ptx), &fixture->module);
    cr_assert(status == EMU_OK, "emu_load: %s\n%s", emu_message(fixture->device), ptx);
}

void fixture_load(struct fixture *fixture, const char *ptx)
{
    char *whole = NULL;
    cr_assert(asprintf(&whole, "%s%s", FIXTURE_PTX, ptx) > 0, "out of memory");
    fixture_load_whole(fixture, whole);
    free(whole);
}

/* --- memory ------------------------------------------------------------------------------------- */

emu_addr fixture_upload(struct fixture *fixture, const void *bytes, size_t size)
{
    emu_addr addr = 0;
    cr_assert(emu_alloc(fixture->device, size, &addr) == EMU_OK, "emu_alloc: %s",
              emu_message(fixture->device));
    enum emu_status status = bytes ? emu_write(fixture->device, addr, bytes, size)
                                   : emu_set(fixture->device, addr, 0, size);
    cr_assert(status == EMU_OK, "upload: %s", emu_message(fixture->device));
    return addr;
}

void fixture_download(struct fixture *fixture, void *bytes, emu_addr from, size_t size)
{
    cr_assert(emu_read(fixture->device, bytes, from, size) == EMU_OK, "emu_read: %s",
              emu_message(fixture->device));
}

uint32_t fixture_word(struct fixture *fixture, emu_addr from, size_t index)
{
    uint32_t word;
    fixture_download(fixture, &word, from + 4 * index, sizeof word);
    return word;
}

/* --- launches ----------------------------------------------------------------------------------- */

static void fill_dimensions(uint32_t *to, const uint32_t *from, uint32_t x)
{
    to[0] = from[0] ? from[0] : x;
    to[1] = from[1] ? from[1] : 1;
    to[2] = from[2] ? from[2] : 1;
}

enum emu_status fixture_launch(struct fixture *fixture, struct fixture_launch launch)
{
    const char *name = launch.kernel ? launch.kernel : "k";
    struct emu_launch request = {.dynamic_shared_bytes = launch.dynamic_shared,
                                 .may_park = launch.may_park,
                                 .touches = launch.touches};
    struct emu_kernel_info info;
    cr_assert(emu_kernel(fixture->device, fixture->module, name, &request.kernel) == EMU_OK,
              "emu_kernel %s: %s", name, emu_message(fixture->device));
    cr_assert(emu_kernel_info(fixture->device, request.kernel, &info) == EMU_OK);
    cr_assert(info.param_bytes <= sizeof launch.params, "too many parameters for the fixture");
    fill_dimensions(request.grid, launch.grid, 1);
    fill_dimensions(request.block, launch.block, 32);
    request.params = launch.params;
    request.param_bytes = info.param_bytes;
    return emu_launch(fixture->device, &request, launch.counters);
}

void fixture_run(struct fixture *fixture, struct fixture_launch launch)
{
    enum emu_status status = fixture_launch(fixture, launch);
    cr_assert(status == EMU_OK, "the launch of '%s' ended with status %d: %s",
              launch.kernel ? launch.kernel : "k", (int)status, emu_message(fixture->device));
}

const char *fixture_refusal(struct fixture *fixture, const char *name)
{
    uint32_t kernel;
    enum emu_status status = emu_kernel(fixture->device, fixture->module, name, &kernel);
    return status == EMU_OK ? "" : emu_message(fixture->device);
}

/* --- the record --------------------------------------------------------------------------------- */

char *fixture_record_text(struct fixture *fixture)
{
    off_t size = lseek(fixture->record, 0, SEEK_END);
    char *text = calloc((size_t)size + 1, 1);
    cr_assert(text && pread(fixture->record, text, (size_t)size, 0) == size, "no record");
    return text;
}

json_t *fixture_record(struct fixture *fixture, int index)
{
    char *text = fixture_record_text(fixture), *rest = text, *found = NULL;
    for (int i = 0; i <= index || index < 0; i++) {
        char *line = strsep(&rest, "\n");
        if (!line || !*line)
            break;
        found = index < 0 || i == index ? line : NULL;
    }
    cr_assert(found, "the record has no line %d", index);
    json_error_t error;
    json_t *json = json_loads(found, 0, &error);
    cr_assert(json, "the record's line %d is not JSON: %s", index, error.text);
    free(text);
    return json;
}

size_t fixture_finding_count(json_t *line)
{
    json_t *findings = json_object_get(line, "findings"), *finding;
    size_t i, errors = 0;
    json_array_foreach(findings, i, finding) errors +=
        strcmp(json_string_value(json_object_get(finding, "severity")), "error") == 0;
    return errors;
}

json_t *fixture_finding(json_t *line, const char *id)
{
    json_t *findings = json_object_get(line, "findings"), *finding;
    size_t i;
    json_array_foreach(findings, i,
                       finding) if (strcmp(json_string_value(json_object_get(finding, "id")), id) ==
                                    0) return finding;
    char *text = json_dumps(findings, 0);
    cr_assert(false, "no finding '%s' in %s", id, text);
    free(text);
    return NULL;
}
