/* Tests the timeline of a program in another process. The program reports its steps, and the server
 * corrects reports that cannot be true. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/chips.h"
#include "gpu/remote/steps.h"

#define MEMORY 0x10000u        /* an address on the device */
#define SHARED 0x7f0000000000u /* an address on the host, in the arena */
#define OTHER  0x550000000000u /* an address on the host that the device does not know */
#define SIZE   (54u << 10)     /* bytes; about 1 microsecond on an H100 */

struct scene {
    struct emu_chip chip;
    struct emu_device *device;
    struct arena_range range;
    struct arena arena;
    struct steps *steps;
    FILE *record;
};

static void open_scene(struct scene *scene)
{
    char why[200];
    *scene = (struct scene){.range = {.addr = SHARED, .page_count = 64}, .record = tmpfile()};
    scene->arena = (struct arena){.ranges = &scene->range, .count = 1};
    cr_assert(scene->record && emu_find_chip("h100", &scene->chip, why, sizeof why));
    const struct emu_options options = {.record_fd = fileno(scene->record), .chip = &scene->chip};
    cr_assert_eq(emu_open(&options, &scene->device), EMU_OK);
    cr_assert(scene->steps = steps_open(scene->device, &scene->arena));
}

/* Closes the scene and returns the last line of the record: the timeline. */
static json_t *close_scene(struct scene *scene)
{
    char line[1000], last[1000] = "";
    steps_close(scene->steps);
    emu_close(scene->device);
    rewind(scene->record);
    while (fgets(line, sizeof line, scene->record))
        strcpy(last, line);
    fclose(scene->record);
    json_t *document = json_loads(last, 0, NULL), *timeline = json_object_get(document, "timeline");
    cr_assert(timeline, "%s", last);
    json_incref(timeline);
    json_decref(document);
    return timeline;
}

/* Copies SIZE bytes to MEMORY, then takes a step that claims a copy of BYTES from HOST. */
static void copy_in(struct scene *scene, uint64_t stream, uint64_t bytes, emu_addr host)
{
    struct wire_head copy = {WIRE_CALL_write, SIZE, {MEMORY, SIZE, host}};
    struct wire_head step = {
        WIRE_CALL_step, 0, {EMU_STEP_WORK, EMU_COPY_TO_DEVICE, stream, 0, bytes, host}};
    steps_note(scene->steps, &copy, 0);
    steps_take(scene->steps, &step);
}

static double number_of(const json_t *timeline, const char *name)
{
    return json_number_value(json_object_get(timeline, name));
}

/* A program may claim a copy of a few bytes, or of page-locked memory, only if it made such a
 * copy. */
Test(steps, copies_are_those_of_the_requests)
{
    static const struct {
        const char *name;
        uint64_t claimed;
        emu_addr host;
        bool is_slow;
    } rows[] = {{"page-locked memory", SIZE, SHARED, false},
                {"fewer bytes", 4, SHARED, false},
                {"pageable memory", SIZE, OTHER, true},
                {"the end of page-locked memory", SIZE, SHARED + 64 * WIRE_PAGE, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scene scene;
        open_scene(&scene);
        double gbs = rows[i].is_slow ? scene.chip.pageable_to_gbs : scene.chip.copy_to_gbs;
        double us = scene.chip.copy_to_us - scene.chip.event_us + SIZE / (gbs * 1e3);
        copy_in(&scene, 1, rows[i].claimed, rows[i].host);
        json_t *timeline = close_scene(&scene);
        cr_expect_float_eq(number_of(timeline, "us"), us, 1e-6, "%s: %g", rows[i].name,
                           number_of(timeline, "us"));
        cr_expect_eq(number_of(timeline, "unknown"), 0, "%s", rows[i].name);
        json_decref(timeline);
    }
}

/* Two streams each copy to the same bytes. The timeline is valid only if an event orders the
 * copies. */
Test(steps, work_without_order_spoils_the_timeline)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        struct scene scene;
        struct wire_head records = {WIRE_CALL_step, 0, {EMU_STEP_RECORD, 0, 1, 77}};
        struct wire_head waits = {WIRE_CALL_step, 0, {EMU_STEP_WAIT, 0, 2, 77}};
        open_scene(&scene);
        copy_in(&scene, 1, SIZE, SHARED);
        steps_take(scene.steps, &records);
        if (ordered)
            steps_take(scene.steps, &waits);
        copy_in(&scene, 2, SIZE, SHARED);
        json_t *timeline = close_scene(&scene);
        cr_expect_eq(number_of(timeline, "unknown"), !ordered, "%d", ordered);
        json_decref(timeline);
    }
}

/* Copies that are not reported count, too, and the program cannot end the timeline. */
Test(steps, nothing_is_left_out)
{
    struct scene scene;
    struct wire_head end = {WIRE_CALL_step, 0, {EMU_STEP_END}};
    struct wire_head copy = {WIRE_CALL_read, 0, {MEMORY, SIZE}};
    open_scene(&scene);
    copy_in(&scene, 1, SIZE, SHARED);
    steps_take(scene.steps, &end);
    steps_note(scene.steps, &copy, 0);
    json_t *timeline = close_scene(&scene);
    cr_expect_eq(number_of(timeline, "copies"), 2);
    json_decref(timeline);
}

/* If there are more events than the server stores, the timeline is not valid. */
Test(steps, too_many_events)
{
    struct scene scene;
    open_scene(&scene);
    for (uint64_t i = 1; i <= 1025; i++)
        steps_take(scene.steps, &(struct wire_head){WIRE_CALL_step, 0, {EMU_STEP_RECORD, 0, 1, i}});
    steps_take(scene.steps, &(struct wire_head){WIRE_CALL_step, 0, {EMU_STEP_FORGET, 0, 0, 5}});
    json_t *timeline = close_scene(&scene);
    cr_expect_eq(number_of(timeline, "unknown"), 1);
    json_decref(timeline);
}
