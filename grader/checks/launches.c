/* What a check may ask of single launches, and how it refuses a program that was launched otherwise. */
#include "checks/internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"

/* The product of the three numbers that a grid or a block has. */
static double volume(const json_t *dimensions)
{
    double product = 1;
    for (size_t i = 0; i < 3; ++i)
        product *= json_number_value(json_array_get(dimensions, i));
    return product;
}

struct check_launch check_launch(const struct trial *trial, size_t index)
{
    const json_t *launches = trial ? json_object_get(trial->record, "launches") : NULL;
    const json_t *launch = json_array_get(launches, index);
    return (struct check_launch){
        .blocks = volume(json_object_get(launch, "grid")),
        .threads = volume(json_object_get(launch, "block")),
        .static_shared_bytes = json_number_of(launch, "static_shared_bytes"),
        .dynamic_shared_bytes = json_number_of(launch, "dynamic_shared_bytes"),
    };
}

void check_refuse(struct check *check, const struct trial *trial, const char *hint,
                  const char *format, ...)
{
    char message[CHECK_MESSAGE_SIZE];
    va_list arguments;
    if (!trial || !check_is_open(check))
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    check_fail(check, "failed", "%s", message);
    check_advise(check, "%s", hint);
}

void check_launched(struct check *check, const struct trial *trial, size_t index, int blocks,
                    int threads)
{
    struct check_launch launch = check_launch(trial, index);
    if (!trial || !trial->record || (launch.blocks == blocks && launch.threads == threads))
        return;
    if (launch.blocks == 0)
        check_refuse(check, trial, "Keep the launches as they were.",
                     index ? "only %zu kernels were launched" : "no kernel was launched", index);
    else
        check_refuse(check, trial,
                     "Launch with the numbers of blocks and threads that main() reads.",
                     "launch number %zu is <<<%.0f, %.0f>>>; <<<%d, %d>>> was asked for", index + 1,
                     launch.blocks, launch.threads, blocks, threads);
}

const char *check_if_no_kernel(const struct trial *trial)
{
    const json_t *launches = trial->record ? json_object_get(trial->record, "launches") : NULL;
    return launches && json_array_size(launches) == 0 ? "; no kernel was launched" : "";
}

/* Of a launch, or of all. */
static double sectors_read(const json_t *counters)
{
    return json_number_of(counters, "global_load_sectors") +
           json_number_of(counters, "global_atomic_sectors");
}

double check_sectors_read(const struct trial *trial)
{
    return trial ? sectors_read(trial->counters) : 0;
}

void check_works_in(struct check *check, const struct trial *trial, size_t index, uint64_t bytes)
{
    if (!trial || !trial->record || !check_is_open(check))
        return;
    const json_t *launch = json_array_get(json_object_get(trial->record, "launches"), index);
    double own = 32 * sectors_read(json_object_get(launch, "counters"));
    double all = 32 * check_sectors_read(trial);
    double block = (double)bytes / check_launch(trial, index).blocks;
    double warp =
        32 * json_number_of(json_object_get(launch, "counters"), "longest_warp_load_sectors");
    if (own < (double)bytes)
        check_refuse(check, trial, "Keep the launches as they were: the first one reads the data.",
                     "launch number %zu reads %s of the %s bytes of data", index + 1,
                     check_number(own), check_number((double)bytes));
    if (all > 1.5 * (double)bytes)
        check_refuse(
            check, trial,
            "Let neighbouring threads read neighbouring words, and each word be read once.",
            "the kernels read %s bytes of global memory for %s bytes of data", check_number(all),
            check_number((double)bytes));
    if (warp > block / 4)
        check_refuse(check, trial, "Let all threads of a block read, as sum_of_thread() does.",
                     "of the %s bytes that a block has to read, one warp reads %s",
                     check_number(block), check_number(warp));
}
