/* Checks single launches: their sizes, and the number of bytes that they read. */
#include "base/json.h"
#include "checks/check.h"
#include "checks/judging.h"
#include "checks/run.h"
#include "checks/verdict.h"

/* Returns the product of a grid's or block's three dimensions. */
static double volume(const json_t *dimensions)
{
    double product = 1;
    for (size_t i = 0; i < 3; ++i)
        product *= json_number_value(json_array_get(dimensions, i));
    return product;
}

struct check_launch check_launch(const struct run *run, size_t index)
{
    const json_t *launches = run ? json_object_get(run->record, "launches") : NULL;
    const json_t *launch = json_array_get(launches, index);
    const json_t *block = json_object_get(launch, "block");
    const json_t *grid = json_object_get(launch, "grid");
    return (struct check_launch){
        .blocks = volume(grid),
        .threads = volume(block),
        .sides = {json_number_value(json_array_get(block, 0)),
                  json_number_value(json_array_get(block, 1))},
        .grid = {json_number_value(json_array_get(grid, 0)),
                 json_number_value(json_array_get(grid, 1))},
        .static_shared_bytes = json_number_of(launch, "static_shared_bytes"),
        .dynamic_shared_bytes = json_number_of(launch, "dynamic_shared_bytes"),
    };
}

void check_launched(struct check *check, const struct run *run, size_t index, int blocks,
                    int threads)
{
    struct check_launch launch = check_launch(run, index);
    if (!run || !run->record || (launch.blocks == blocks && launch.threads == threads))
        return;
    if (launch.blocks == 0)
        check_refuse(check, run, "Restore the original launches.",
                     index ? "only %zu kernels were launched" : "no kernel was launched", index);
    else
        check_refuse(check, run, "Launch with the numbers of blocks and threads that main() reads.",
                     "launch number %zu is <<<%.0f, %.0f>>>, but main() asks for <<<%d, %d>>>",
                     index + 1, launch.blocks, launch.threads, blocks, threads);
}

/* Returns the number of sectors that were read, according to COUNTERS of one launch or of all
 * launches. */
static double sectors_read(const json_t *counters)
{
    return check_sum(counters, "global_load_sectors global_atomic_sectors");
}

double check_sectors_read(const struct run *run)
{
    return run ? sectors_read(run->counters) : 0;
}

void check_uses_neighbours(struct check *check, const struct run *run, const char *hint)
{
    double touched = check_counter(run, "global_load_sectors global_store_sectors");
    double filled = check_counter(run, "global_load_sectors_ideal global_store_sectors_ideal");
    if (touched > 1.5 * filled)
        check_refuse(check, run, hint,
                     "warps touch %s sectors of 32 bytes, but their numbers fit into %s",
                     check_number(touched), check_number(filled));
}

/* Fails the check if one warp has more than 1 / WARPS of ALL. COUNTER counts the largest value of
 * one warp, summed over the launches. TEXT is a format for this value, ALL and WARPS. */
static void need_share(struct check *check, const struct run *run, const char *counter, double all,
                       unsigned warps, const char *hint, const char *text)
{
    double most = check_counter(run, counter);
    if (check_is_open(check) && most > all / warps)
        check_refuse(check, run, hint, text, check_number(most), check_number(all), warps);
}

void check_is_shared(struct check *check, const struct run *run, double sectors, unsigned warps,
                     const char *hint)
{
    if (!run || !run->record)
        return;
    need_share(
        check, run, "longest_warp_load_sectors", sectors, warps, hint,
        "one warp loads %s of the %s sectors that contain the data; at least %u warps must share them");
    need_share(
        check, run, "longest_warp_instructions", check_counter(run, "warp_instructions"), warps,
        hint,
        "one warp executes, or waits for, %s of %s instructions; at least %u warps must share them");
}

/* The number of bytes that a warp may read by polling, as in grid.sync(), in addition to its
 * data. */
#define POLLS 512

void check_works_in(struct check *check, const struct run *run, size_t index, uint64_t bytes)
{
    if (!run || !run->record || !check_is_open(check))
        return;
    const json_t *launch = json_array_get(json_object_get(run->record, "launches"), index);
    double own = 32 * sectors_read(json_object_get(launch, "counters"));
    double all = 32 * check_sectors_read(run);
    double block = (double)bytes / check_launch(run, index).blocks;
    double warp =
        32 * json_number_of(json_object_get(launch, "counters"), "longest_warp_load_sectors");
    if (own < (double)bytes)
        check_refuse(check, run, "Restore the original launches: the first one reads the data.",
                     "launch number %zu reads only %s of the %s bytes of data", index + 1,
                     check_number(own), check_number((double)bytes));
    if (all > 1.5 * (double)bytes)
        check_refuse(check, run,
                     "Let neighbouring threads read neighbouring words, and read each word once.",
                     "the kernels read %s bytes of global memory for %s bytes of data",
                     check_number(all), check_number((double)bytes));
    if (warp > block / 4 + POLLS)
        check_refuse(check, run, "Let all threads of a block read, as sum_of_thread() does.",
                     "one warp reads %s of the %s bytes that its block must read",
                     check_number(warp), check_number(block));
}
