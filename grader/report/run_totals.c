/* Adds up counters. A JSON object maps each kernel or line to its index in the arrays. */
#include "report/run_totals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "gpu/limits.h"

struct tally {
    struct report_totals *totals;
    json_t *kernel_index, *line_index; /* map a kernel or a line to its index */
    size_t kernel_room, line_room;
};

/* Makes sure that an array of COUNT elements of SIZE bytes has memory for one more. Returns false
 * when out of memory. */
static bool grow(void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t wanted = *room ? *room * 2 : 64;
    void *larger = realloc(*array, wanted * size);
    if (!larger)
        return false;
    *array = larger;
    *room = wanted;
    return true;
}

/* Returns the index of KEY. A key that is new gets the index COUNT. */
static size_t index_of(json_t *index, const char *key, size_t count)
{
    const json_t *known = json_object_get(index, key);
    if (known)
        return json_integer_value(known);
    json_object_set_new(index, key, json_integer(count));
    return count;
}

static void read_counters(const json_t *object, struct emu_counters *counters)
{
    const json_t *from = json_object_get(object, "counters");
    for (int i = 0; i < EMU_COUNTER_COUNT; i++)
        counters->value[i] = json_integer_of(from, emu_counter_name(i));
}

static void read_size(const json_t *launch, const char *name, unsigned size[3])
{
    for (int i = 0; i < 3; i++)
        size[i] = json_integer_value(json_array_get(json_object_get(launch, name), i));
}

static struct report_occupancy read_occupancy(const json_t *launch)
{
    const json_t *from = json_object_get(launch, "occupancy");
    unsigned most = json_integer_of(from, "most_warps");
    return (struct report_occupancy){
        .warps = json_integer_of(from, "warps"),
        /* missing in documents of older versions */
        .most = most ? most : EMU_SM_WARPS,
        .registers = json_integer_of(from, "registers"),
        .limit = json_string_value(json_object_get(from, "limit")),
    };
}

/* Adds a launch with this occupancy to KERNEL. Launches with the same occupancy share one entry,
 * which has the block size of the first launch. */
static void add_occupancy(struct report_kernel *kernel, const struct report_occupancy *occupancy)
{
    size_t i = 0;
    for (; i < kernel->occupancy_count; i++) {
        struct report_occupancy *known = &kernel->occupancies[i];
        if (known->warps == occupancy->warps && known->registers == occupancy->registers &&
            strcmp(known->limit, occupancy->limit) == 0) {
            known->launches++;
            return;
        }
    }
    if (i < REPORT_OCCUPANCIES) {
        kernel->occupancies[kernel->occupancy_count++] = *occupancy;
        kernel->occupancies[i].launches = 1;
    } else
        kernel->other_launches++;
}

static void add_launch(struct tally *tally, const json_t *launch)
{
    struct report_totals *totals = tally->totals;
    const char *name = json_string_value(json_object_get(launch, "kernel"));
    const char *status = json_string_value(json_object_get(launch, "status"));
    struct emu_counters counters;
    unsigned grid[3], block[3];
    if (!name || !status ||
        !grow((void **)&totals->kernels, totals->kernel_count, &tally->kernel_room,
              sizeof *totals->kernels))
        return;
    read_counters(launch, &counters);
    read_size(launch, "grid", grid);
    read_size(launch, "block", block);
    struct report_occupancy occupancy = read_occupancy(launch);
    size_t index = index_of(tally->kernel_index, name, totals->kernel_count);
    struct report_kernel *kernel = &totals->kernels[index];
    if (index == totals->kernel_count) {
        totals->kernel_count++;
        *kernel = (struct report_kernel){
            .name = name,
        };
        memcpy(kernel->grid, grid, sizeof grid);
        memcpy(kernel->block, block, sizeof block);
    }
    if (!totals->rules)
        totals->rules = json_string_value(json_object_get(launch, "rules"));
    kernel->launches++;
    kernel->sizes_differ = kernel->sizes_differ || memcmp(kernel->grid, grid, sizeof grid) != 0 ||
                           memcmp(kernel->block, block, sizeof block) != 0;
    memcpy(occupancy.block, block, sizeof block);
    if (occupancy.limit)
        add_occupancy(kernel, &occupancy);
    if (!kernel->failed && strcmp(status, "ok") != 0)
        kernel->failed = status;
    emu_counters_add(&kernel->counters, &counters);
    report_predicted_add(&kernel->predicted, launch);
}

static void add_line(struct tally *tally, const char *file, const json_t *from)
{
    struct report_totals *totals = tally->totals;
    unsigned number = json_integer_of(from, "line");
    char *key;
    if (!file || !*file || number == 0 ||
        !grow((void **)&totals->lines, totals->line_count, &tally->line_room,
              sizeof *totals->lines) ||
        asprintf(&key, "%u %s", number, file) < 0)
        return;
    size_t index = index_of(tally->line_index, key, totals->line_count);
    free(key);
    struct report_line *line = &totals->lines[index];
    if (index == totals->line_count) {
        totals->line_count++;
        *line = (struct report_line){.file = file, .number = number};
    }
    struct emu_counters counters;
    read_counters(from, &counters);
    emu_counters_add(&line->counters, &counters);
}

uint64_t report_waste(const struct emu_counters *counters)
{
    static const enum emu_counter costs[] = {
        EMU_global_load_sectors,      EMU_global_store_sectors,   EMU_global_atomic_sectors,
        EMU_global_reduction_sectors, EMU_shared_load_wavefronts, EMU_shared_store_wavefronts,
        EMU_shared_atomic_wavefronts,
    };
    uint64_t waste = counters->value[EMU_divergent_branches];
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        /* in the enum, a counter's ideal comes after the counter */
        const uint64_t *cost = &counters->value[costs[i]];
        waste += cost[0] > cost[1] ? cost[0] - cost[1] : 0;
    }
    return waste;
}

static int by_waste(const void *a, const void *b)
{
    const struct report_line *left = a, *right = b;
    uint64_t left_size = left->counters.value[EMU_warp_instructions];
    uint64_t right_size = right->counters.value[EMU_warp_instructions];
    if (left->waste != right->waste)
        return left->waste < right->waste ? 1 : -1;
    if (left_size != right_size)
        return left_size < right_size ? 1 : -1;
    int names = strcmp(left->file, right->file);
    return names ? names : (left->number > right->number) - (left->number < right->number);
}

static struct tally open_tally(struct report_totals *totals)
{
    *totals = (struct report_totals){0};
    return (struct tally){
        .totals = totals, .kernel_index = json_object(), .line_index = json_object()};
}

/* Sorts the lines of the tally. */
static void close_tally(struct tally *tally)
{
    struct report_totals *totals = tally->totals;
    for (size_t i = 0; i < totals->line_count; i++)
        totals->lines[i].waste = report_waste(&totals->lines[i].counters);
    if (totals->line_count)
        qsort(totals->lines, totals->line_count, sizeof *totals->lines, by_waste);
    totals->unknown_lines = totals->kernel_count > 0 && totals->line_count == 0;
    json_decref(tally->kernel_index);
    json_decref(tally->line_index);
}

void report_add_up(const json_t *document, struct report_totals *totals)
{
    struct tally tally = open_tally(totals);
    size_t i, j;
    json_t *launch, *line;
    json_array_foreach(json_object_get(document, "launches"), i, launch)
    {
        add_launch(&tally, launch);
        json_array_foreach(json_object_get(launch, "lines"), j, line)
            add_line(&tally, json_string_value(json_object_get(line, "file")), line);
    }
    close_tally(&tally);
}

void report_add_up_lines(const json_t *lines, const char *file, struct report_totals *totals)
{
    struct tally tally = open_tally(totals);
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line) add_line(&tally, file, line);
    close_tally(&tally);
}

void report_totals_free(struct report_totals *totals)
{
    free(totals->kernels);
    free(totals->lines);
    *totals = (struct report_totals){0};
}
