/* Checks the counters in the record, and the program's requests to the GPU. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/run.h"
#include "checks/verdict.h"

double check_counter(const struct run *run, const char *name)
{
    return run ? check_sum(run->counters, name) : 0;
}

void check_has_read(struct check *check, const struct run *run, uint64_t bytes)
{
    if (!run || !run->counters || !check_is_open(check))
        return;
    /* A sector is 32 bytes. Bytes that are read twice count twice, which does no harm: no student
     * gains anything by it. */
    double read = 32 * check_sectors_read(run) + check_counter(run, "bulk_load_bytes");
    if (read >= (double)bytes)
        return;
    if (json_array_size(json_object_get(run->record, "launches")) == 0)
        check_fail(check, "failed", "no kernel was launched");
    else
        check_fail(check, "failed",
                   "the kernels read %s of the %s bytes of data from global memory",
                   read > 0 ? check_number(read) : "none", check_number((double)bytes));
    check_advise(check, "The answer must come from kernels that read the data, not from main().");
}

void check_comes_from(struct check *check, const struct run *run, const char *name, uint64_t bytes)
{
    check_made_by_kernels(check, run, name);
    check_has_read(check, run, bytes);
}

static bool is_word_of(const char *word, const char *words)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Returns whether the list WHAT includes the counter NAME. A list with loads and stores of global
 * memory includes those of textures and surfaces, unless it has a counter of textures itself. */
static bool is_asked_for(const char *name, const char *what)
{
    static const char texture[] = "texture_";
    char global[64];
    if (is_word_of(name, what))
        return true;
    if (strncmp(name, texture, sizeof texture - 1) != 0 || strstr(what, texture))
        return false;
    snprintf(global, sizeof global, "global_%s", name + sizeof texture - 1);
    return is_word_of(global, what);
}

double check_sum(const json_t *counts, const char *what)
{
    json_t *count;
    const char *name;
    json_int_t sum = 0;
    json_object_foreach((json_t *)counts, name, count)
    {
        if (is_asked_for(name, what))
            sum += json_integer_value(count);
    }
    return (double)sum;
}

static unsigned long recorded(const struct run *run, const char *member, const char *what)
{
    return run ? (unsigned long)check_sum(json_object_get(run->record, member), what) : 0;
}

unsigned long check_requests(const struct run *run, const char *what)
{
    return recorded(run, "requests", what);
}

unsigned long check_rows(const struct run *run, const char *what)
{
    return recorded(run, "rows", what);
}

void check_called(struct check *check, const struct run *run, const char *name, const char *what,
                  unsigned long least, unsigned long most)
{
    unsigned long count = check_requests(run, what);
    if (!run || !run->record || !check_is_open(check) || (count >= least && count <= most))
        return;
    if (count == 0)
        check_fail(check, "failed", "your program never calls %s()", name);
    else
        check_fail(check, "failed", "your program calls %s() %s, but needs %s %s", name,
                   check_count((double)count, "time"), count < least ? "at least" : "at most",
                   check_count((double)(count < least ? least : most), "call"));
}

void check_copies_seldom(struct check *check, const struct run *run, unsigned long most,
                         const char *hint)
{
    unsigned long copies = check_requests(run, "write write_rows read read_rows");
    if (copies > most)
        check_refuse(check, run, hint,
                     "main() copies to the GPU and back %s times, and the limit is %s",
                     check_number((double)copies), check_number((double)most));
}

const char *check_other_call(const struct run *run, const char *part, const char *wanted,
                             const char *otherwise)
{
    const char *name;
    json_t *calls = run ? json_object_get(run->record, "calls") : NULL, *count;
    json_object_foreach(calls, name, count)
    {
        if (strstr(name, part) && strncmp(name, wanted, strlen(wanted)) != 0 &&
            json_integer_value(count) > 0)
            return name;
    }
    return otherwise;
}

/* Returns what LINE of LAUNCH adds to COUNTERS, or to the predicted time. */
static double cost_of(const json_t *launch, const json_t *line, const char *counters)
{
    if (strcmp(counters, CHECK_PREDICTED_TIME) != 0)
        return check_sum(json_object_get(line, "counters"), counters);
    return json_number_of(line, "time_share") *
           json_number_of(json_object_get(launch, "predicted"), "us");
}

void check_show_counter(struct check *check, const struct run *run, const char *counters)
{
    json_t *launch, *line;
    size_t i, j;
    double most = 0;
    json_array_foreach(run ? json_object_get(run->record, "launches") : NULL, i, launch)
    {
        json_array_foreach(json_object_get(launch, "lines"), j, line)
        {
            const char *file = json_string_value(json_object_get(line, "file"));
            double count = cost_of(launch, line, counters);
            if (!file || count <= most || !check_is_own_file(check, file))
                continue;
            most = count;
            check_point_at(check, file, (unsigned)json_integer_of(line, "line"), 0);
        }
    }
}

/* If a figure counts sectors, and most of them are in local memory, makes the report say so. */
static bool point_at_local(struct check *check, const struct run *run)
{
    static const char counters[] = "local_load_sectors local_store_sectors";
    double local = check_counter(run, counters);
    if (!strstr(check->info->figure.counter, "sectors") || 2 * local <= check_sectors_moved(run))
        return false;
    check_hint(
        check,
        "This line uses an array in local memory, which is as far away as global memory. An array is there if its index is a number that the compiler does not know. Use shared memory, or unroll the loops (#pragma unroll), so that it knows all indices.");
    check_show_counter(check, run, counters);
    return true;
}

/* Makes the report show the line of the student's file that contributes most to the figure's
 * counters. */
static void point_at_worst_line(struct check *check, const struct run *run)
{
    const char *counters = check->info->figure.counter;
    if (counters && !point_at_local(check, run) && !check_point_at_loss(check, run))
        check_show_counter(check, run, counters);
}

/* Most figures do not count reads of constant memory. With such a figure, a program may copy at
 * most this number of bytes to constant memory, which is enough for a few sizes and addresses. */
#define MOST_CONSTANTS 256

/* Returns the number of bytes that the program had copied to constant memory, for the launch with
 * the largest number. */
static double constant_bytes(const struct run *run)
{
    size_t i;
    json_t *launch;
    double most = 0;
    json_array_foreach(run ? json_object_get(run->record, "launches") : NULL, i, launch)
    {
        double bytes = json_number_of(launch, "constant_bytes");
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Returns whether warps make more than one block-wide vote in a launch. One vote can tell a block
 * that it is the last one, but can add up no numbers. */
static bool has_more_votes(const struct run *run)
{
    size_t i;
    json_t *launch;
    double single = 0; /* votes in launches with at most one for each warp */
    json_array_foreach(run ? json_object_get(run->record, "launches") : NULL, i, launch)
    {
        struct check_launch size = check_launch(run, i);
        double votes = check_sum(json_object_get(launch, "counters"), "block_votes");
        single += votes <= size.blocks * ceil(size.threads / 32) ? votes : 0;
    }
    return check_counter(run, "block_votes") > single;
}

/* Besides the data, kernels may access this many bytes of page-locked memory of the host, in
 * sectors of 32 bytes: enough for sums and flags that are there. */
#define MOST_ON_HOST 4096

/* Fails the check if kernels access page-locked memory of the host more often than copies would.
 * Each access crosses the bus, which is many times as slow as the GPU's memory, but costs the same
 * in all other counters. A kernel that reads each number once there is as good as a copy. */
static void refuse_host_memory(struct check *check, const struct run *run)
{
    double bytes = 32 * check_counter(run, "host_sectors");
    if (bytes <= MOST_ON_HOST || !check_is_open(check))
        return;
    double data = (double)(case_bytes(run->input) + (run->result ? case_bytes(run->result) : 0));
    if (bytes <= 2 * data + MOST_ON_HOST)
        return;
    check_refuse(
        check, run,
        "Allocate memory on the GPU by cudaMalloc(), and copy the data there by cudaMemcpy().",
        "the kernels move %s bytes over the bus, from and to page-locked memory of the host, for data of %s bytes",
        check_number(bytes), check_number(data));
    check_show_counter(check, run, "host_sectors");
}

void check_is_counted(struct check *check, const struct run *run)
{
    refuse_host_memory(check, run);
    if (!check->info->figure.constants && constant_bytes(run) > MOST_CONSTANTS)
        check_refuse(
            check, run,
            "Copy the data to memory from cudaMalloc(), and pass its address to the kernel.",
            "your program copies %s bytes to __constant__ variables, but this check allows only a few sizes and addresses there",
            check_number(constant_bytes(run)));
    if (check_counter(run, "bulk_load_bytes bulk_store_bytes bulk_shared_bytes") > 0)
        check_refuse(check, run, "Let threads load and store, or copy by cp.async.",
                     "your kernels make bulk copies, which this check does not count");
    if (check_counter(run, "cluster_requests") > 0)
        check_refuse(
            check, run, "Use only the block's own shared memory.",
            "your kernels use the shared memory of other blocks, which this check does not count");
    if (!check->info->figure.block_votes && has_more_votes(run))
        check_refuse(
            check, run, "Pass numbers to other threads through shared memory.",
            "your kernels use votes of a whole block, such as __syncthreads_count(), which this check does not count");
}

void check_measure(struct check *check, const struct run *run, double value)
{
    /* VALUE may be the worst of several runs, such as one of a random size */
    for (unsigned i = 0; i < check->run_count; ++i)
        check_is_counted(check, &check->runs[i]);
    if (!run || !check_is_open(check))
        return;
    check_value(check, value);
    if (check->verdict.share > 0)
        check_costs(check, run);
    if (check_is_open(check) && check->verdict.share < 1)
        point_at_worst_line(check, run);
}
