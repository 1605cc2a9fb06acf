/* Compares the costs of the whole program with the costs of the solution.
 *
 * The figure of a check is often a ratio, and a program can improve a ratio by useless work:
 * unnecessary reads, warps that only poll, threads that wait for each other. Useless work increases
 * totals, so this file compares totals over all launches and all copies on the GPU. The limits are
 * multiples of the solution's totals, which are in labs/NN-name/costs.def. Every sensible solution
 * stays below them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/run.h"
#include "checks/verdict.h"

#define ATOMIC_REQUESTS "global_atomic_requests global_reduction_requests"

/* The limit of each cost: the larger of TIMES * the solution's cost and SHARE * the solution's
 * instructions. SHARE allows a kernel to use a few barriers, for example, although the solution
 * uses none. For the predicted time, the check's .slowest takes the place of TIMES. LOSS is the id
 * of a finding that may explain the cost. If there is no such finding, the report shows the line
 * with the largest sum of COUNTERS. */
static const struct {
    double times, share;
    const char *text, *hint, *counters, *loss;
} limits[CHECK_COSTS] = {
    [CHECK_PATH] =
        {4, 0, "the longest warp executes %s instructions",
         "Share the work among more threads, so that no warp works much longer than the others.",
         "warp_instructions"},
    [CHECK_IDLE] =
        {2, 1.25,
         "warps are idle for the time of %s instructions: they wait, or end before their block does",
         "Share the work among all warps of a block, and let no warp wait for another one.",
         "warp_instructions"},
    [CHECK_WORK] =
        {3, 0, "all warps together execute %s instructions",
         "Do each part of the work once, in one thread. Leave out work that the answer does not need.",
         "warp_instructions"},
    [CHECK_READS] =
        {2, 0.05, "the program reads %s sectors of 32 bytes from the GPU's memory",
         "Read each number once, and let neighbouring threads read neighbouring numbers. Copies on the GPU count, too.",
         "global_load_sectors local_load_sectors", "uncoalesced-load"},
    [CHECK_WRITES] =
        {3, 0.02, "the program writes %s sectors of 32 bytes to the GPU's memory",
         "Keep values that only one thread needs in a local variable, and write each result once. Copies on the GPU count, too.",
         "global_store_sectors global_reduction_sectors local_store_sectors", "uncoalesced-store"},
    [CHECK_SHARED] = {3, 0.27, "the warps make %s passes through shared memory",
                      "Let each thread do only a part of the work in shared memory.",
                      CHECK_SHARED_PASSES, "bank-conflict"},
    [CHECK_BARRIERS] =
        {3, 0.07, "the warps wait at barriers %s times in all",
         "A barrier belongs between a write and another thread's read, and nowhere else.",
         "barriers"},
    [CHECK_ATOMICS] =
        {4, 0.01, "the warps make %s atomic operations on global memory",
         "Let each thread add up several numbers in a local variable, and add this sum to the total once.",
         ATOMIC_REQUESTS, "uncoalesced-atomic"},
    [CHECK_LAUNCHES] =
        {8, 0, "the program launches %s kernels",
         "Let one launch do the work of many small ones: each launch takes time, even with little to do.",
         ""},
    [CHECK_TIME] =
        {0, 0,
         "on an H200, the kernels and copies within the GPU would take %s microseconds, limited by %s",
         "Share the work among many blocks and warps, let no warp wait for another one, and copy nothing twice.",
         CHECK_PREDICTED_TIME},
};

/* Returns the number of sectors that copies within the GPU read and write. */
static double sectors_copied(const struct run *run)
{
    return check_sum(json_object_get(run->record, "sectors"), "copy copy_rows");
}

double check_bytes_copied(const struct run *run)
{
    return run ? 32 * check_sum(json_object_get(run->record, "sectors"),
                                "write write_rows read read_rows")
               : 0;
}

static double sectors_stored(const struct run *run)
{
    return check_sum(run->counters, "global_store_sectors global_reduction_sectors");
}

double check_sectors_moved(const struct run *run)
{
    return run ? check_sectors_read(run) + sectors_stored(run) + sectors_copied(run) +
                     check_counter(run, "local_load_sectors local_store_sectors")
               : 0;
}

/* Measures the costs of a run. A copy within the GPU reads half of its sectors and writes the other
 * half. */
static void measure(const struct run *run, double costs[CHECK_COSTS])
{
    const json_t *counters = run->counters, *sectors = json_object_get(run->record, "sectors");
    double copied = sectors_copied(run) / 2;
    costs[CHECK_PATH] = check_counter(run, "longest_warp_instructions");
    costs[CHECK_WORK] = check_counter(run, "warp_instructions");
    costs[CHECK_IDLE] = check_counter(run, "occupied_instructions") - costs[CHECK_WORK];
    /* local memory is in the GPU's memory, too */
    costs[CHECK_READS] =
        check_sectors_read(run) + check_counter(run, "local_load_sectors") + copied;
    costs[CHECK_WRITES] = sectors_stored(run) + check_counter(run, "local_store_sectors") + copied +
                          check_sum(sectors, "set set_rows");
    costs[CHECK_SHARED] = check_sum(counters, CHECK_SHARED_PASSES);
    costs[CHECK_BARRIERS] = check_counter(run, "barriers");
    costs[CHECK_LAUNCHES] = (double)json_array_size(json_object_get(run->record, "launches"));
    costs[CHECK_ATOMICS] = check_sum(counters, ATOMIC_REQUESTS);
}

/* Appends a row for costs.def to the file that `make costs` names while it grades the solution. The
 * limits still apply in that grading, so a student gains nothing by naming a file. */
static void record(const struct check *check, const double costs[CHECK_COSTS])
{
    const char *path = getenv("LANEWISE_COSTS");
    FILE *file = path ? fopen(path, "a") : NULL;
    char row[400];
    int length = snprintf(row, sizeof row, "COST(%s, %u", check->info->id, check->cost_count);
    for (int i = 0; i < CHECK_COSTS; ++i)
        length += snprintf(row + length, sizeof row - (size_t)length, ", %.10g", costs[i]);
    if (!file)
        return;
    fprintf(file, "%s)\n", row);
    fclose(file);
}

/* Returns the solution's costs for the check's next run, or NULL if they are unknown. */
static const double *find_solutions(const struct check *check)
{
    if (!lab_costs) /* the lab has no costs.def */
        return NULL;
    for (const struct check_cost_row *row = lab_costs; row->check; ++row)
        if (strcmp(row->check, check->info->id) == 0 && row->run == check->cost_count)
            return row->of;
    return NULL;
}

void check_costs(struct check *check, const struct run *run)
{
    double costs[CHECK_COSTS];
    if (!run || !run->counters || !check_is_open(check))
        return;
    measure(run, costs);
    costs[CHECK_TIME] = check->info->slowest > 0 ? check_predicted_time(run) : 0;
    record(check, costs);
    const double *solutions = find_solutions(check);
    check->cost_count++;
    for (int i = 0; solutions && i < CHECK_COSTS; ++i) {
        double times = i == CHECK_TIME ? check->info->slowest : limits[i].times;
        double limit = fmax(times * solutions[i], limits[i].share * solutions[CHECK_WORK]);
        char text[200];
        if (check->info->figure.judges & 1u << i || costs[i] <= limit || !check_is_open(check) ||
            check_is_lost(check))
            continue;
        /* only the text about time shows the second argument */
        snprintf(text, sizeof text, limits[i].text, check_number(costs[i]),
                 check_predicted_limit(run));
        check_refuse(check, run, limits[i].hint, "%s; the solution needs %s, and the limit is %s",
                     text, check_number(solutions[i]), check_number(limit));
        check_show_counter(check, run, limits[i].counters);
        if (limits[i].loss)
            check_point_at_excess(check, run, limits[i].loss, costs[i] - limit);
    }
}
