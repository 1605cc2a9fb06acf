/* Compares occupancy with that of a real GPU, which is recorded in hardware/occupancy.tsv;
 * hardware/occupancy.cu explains this file.
 *
 * The first test calls the runtime's occupancy functions for every row, with the GPU's number of
 * registers, because the emulator's number is only an estimate, which has its own test. Then the
 * same program runs on the emulator: for kernels that are not limited by registers, it must print
 * the same rows. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cudart/rt.h"
#include "tests/support/shell.h"

TestSuite(hardware_occupancy, .init = shell_init, .fini = shell_fini, .timeout = 600);

#define RECORD "$TESTS/hardware/occupancy.tsv"
enum { FIELDS = 9, KERNELS = 40 };

struct kernel {
    char name[40];
    struct emu_kernel_info info;
    size_t max_dynamic;
};

static struct kernel kernels[KERNELS];
static int kernel_count;

static struct kernel *find(const char *name)
{
    int i = 0;
    while (i < kernel_count && strcmp(kernels[i].name, name) != 0)
        i++;
    cr_assert_lt(i, kernel_count, "%s has no row \"kernel\" before it", name);
    return &kernels[i];
}

static void add_kernel(char **field)
{
    cr_assert_lt(kernel_count, (int)KERNELS);
    struct kernel *k = &kernels[kernel_count++];
    snprintf(k->name, sizeof k->name, "%s", field[1]);
    k->info.registers = (uint32_t)atoi(field[2]);
    k->info.shared_bytes = (uint32_t)atoi(field[3]);
    k->info.max_threads = (uint32_t)atoi(field[5]);
    k->max_dynamic = (size_t)atoi(field[6]);
}

static unsigned blocks_of(const struct kernel *k, int percent, unsigned threads, size_t dynamic)
{
    struct emu_demand demand = rt_demand(&k->info, threads, dynamic);
    if (dynamic > k->max_dynamic)
        return 0;
    return (percent < 0 ? emu_occupancy(&demand) : emu_occupancy_carved(&demand, percent)).ctas;
}

static size_t dynamic_of(const struct kernel *k, unsigned blocks, unsigned threads)
{
    size_t bytes = 0;
    if (!rt_dynamic_left(&k->info, blocks, threads, &bytes))
        return SIZE_MAX;
    return bytes < k->max_dynamic ? bytes : k->max_dynamic;
}

/* Puts the expected last field of a row into TEXT. Returns false if the row is not about
 * occupancy. */
static bool answer(char **field, char *text, size_t size)
{
    const struct kernel *k = find(field[1]);
    long a = atol(field[2]), b = atol(field[3] ? field[3] : "0"),
         c = atol(field[4] ? field[4] : "0");
    if (strcmp(field[0], "blocks") == 0)
        snprintf(text, size, "%u", blocks_of(k, -1, (unsigned)a, (size_t)b));
    else if (strcmp(field[0], "carveout") == 0)
        snprintf(text, size, "%u", blocks_of(k, (int)a, (unsigned)b, (size_t)c));
    else if (strcmp(field[0], "cooperative") == 0 && strstr(field[5], "TooLarge"))
        snprintf(text, size, "%u", blocks_of(k, -1, (unsigned)a, (size_t)b) * EMU_MULTIPROCESSORS);
    else if (strcmp(field[0], "dynamic") != 0)
        return false;
    else if (dynamic_of(k, (unsigned)a, (unsigned)b) == SIZE_MAX)
        snprintf(text, size, "cudaErrorInvalidValue");
    else
        snprintf(text, size, "%zu", dynamic_of(k, (unsigned)a, (unsigned)b));
    return true;
}

static int split(char *row, char **field)
{
    char *rest;
    int count = 0;
    for (char *f = strtok_r(row, "\t", &rest); f && count < FIELDS; f = strtok_r(NULL, "\t", &rest))
        field[count++] = f;
    return count;
}

Test(hardware_occupancy, is_the_gpus_for_the_same_registers)
{
    char *tsv = shell_must("cat " RECORD), *rest;
    size_t compared = 0;
    for (char *row = strtok_r(tsv, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
        char copy[200], want[40], *field[FIELDS] = {0};
        snprintf(copy, sizeof copy, "%s", row);
        int count = *row == '#' ? 0 : split(row, field);
        if (count && strcmp(field[0], "kernel") == 0)
            add_kernel(field);
        else if (count && answer(field, want, sizeof want)) {
            int last = strcmp(field[0], "cooperative") == 0 ? count - 2 : count - 1;
            cr_expect_str_eq(want, field[last], "%s: here %s", copy, want);
            compared++;
        }
    }
    cr_expect_gt(compared, 4000);
    free(tsv);
}

/* Selects the rows of kernels with at most 32 registers, and removes the number of registers. */
#define SAME_ROWS                                                                                  \
    "awk -F'\\t' -v OFS='\\t' '$1 !~ /^#|cooperative|launch/ && "                                  \
    "$2 ~ /^(empty.*|keeps<4>|bounded<4,.*|shares.*)$/ { if ($1 == \"kernel\") $3 = \"\"; print "  \
    "}'"

Test(hardware_occupancy, programs_get_the_same_answers)
{
    char *same = shell_must("$LANEWISE run $PROGRAMS/occupancy ask 2>/dev/null | " SAME_ROWS
                            " >here; " SAME_ROWS " " RECORD " >gpu; wc -l <gpu; diff here gpu");
    cr_expect_gt(atoi(same), 1000, "%s", same);
    free(same);
}

/* The estimate for each kernel must differ from the GPU's number by at most 8 registers, or by at
 * most a quarter. For the kernel "indexes", whose loop ptxas unrolls, it may differ by 16. */
Test(hardware_occupancy, registers_are_about_the_gpus)
{
    char *rows = shell_must("$LANEWISE run $PROGRAMS/occupancy ask 2>/dev/null | grep ^kernel | "
                            "cut -f 2,3 >here; grep ^kernel " RECORD " | cut -f 3 | paste here -"),
         *rest;
    for (char *row = strtok_r(rows, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
        char *field[FIELDS];
        cr_assert_eq(split(row, field), 3, "%s", row);
        int here = atoi(field[1]), gpu = atoi(field[2]), most = gpu / 4 > 8 ? gpu / 4 : 8;
        most = strcmp(field[0], "indexes") == 0 ? 16 : most;
        cr_expect_leq(abs(here - gpu), most, "%s: %d registers, on the GPU %d", field[0], here,
                      gpu);
    }
    free(rows);
}
