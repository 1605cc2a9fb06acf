#include "tests/hardware/gpu/record_products.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hardware/gpu/driver.h"
#include "tests/hardware/products.h"

#define MOST_WORDS ((size_t)PRODUCTS_SETS * PRODUCTS_MOST * 32)

static uint64_t inputs[MOST_WORDS], outputs[MOST_WORDS], ours[MOST_WORDS];

struct job {
    const char *name;   /* the mnemonic to compare, or "all" */
    const char *folder; /* NULL if the results come from the GPU */
    unsigned done, differ;
};

static bool run_on_gpu(const struct product *product)
{
    char *ptx = products_ptx(product);
    products_inputs(product, inputs);
    bool ran = gpu_run(
        &(struct gpu_launch){.name = product->name,
                             .ptx = ptx,
                             .blocks = PRODUCTS_SETS,
                             .threads = 32,
                             .in = inputs,
                             .in_bytes = products_input_words(product) * sizeof *inputs,
                             .out = outputs,
                             .out_bytes = products_output_words(product) * sizeof *outputs});
    free(ptx);
    return ran;
}

static void record(const struct product *product, void *context)
{
    (void)context;
    if (!run_on_gpu(product))
        return;
    printf("%s", product->name);
    for (unsigned kind = 0; kind < PRODUCTS_KINDS; kind++)
        printf("\t%016" PRIx64, products_digest(product, outputs, kind));
    printf("\n");
}

static FILE *open_saved(const struct product *product, const char *folder, const char *mode)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, product->name);
    return fopen(path, mode);
}

static void save(const struct product *product, void *context)
{
    const struct job *job = context;
    if (!run_on_gpu(product))
        return;
    FILE *file = open_saved(product, job->folder, "wb");
    size_t words = products_output_words(product);
    if (!file || fwrite(outputs, sizeof *outputs, words, file) != words) {
        fprintf(stderr, "answers: cannot write to %s\n", job->folder);
        exit(2);
    }
    fclose(file);
}

static bool read_saved(const struct product *product, const char *folder)
{
    FILE *file = open_saved(product, folder, "rb");
    size_t words = products_output_words(product);
    bool good = file && fread(outputs, sizeof *outputs, words, file) == words;
    if (file)
        fclose(file);
    products_inputs(product, inputs);
    return good;
}

static void show_registers(const struct product *product, size_t set, size_t lane)
{
    unsigned count = product->a.registers + product->b.registers + product->c.registers;
    for (unsigned i = 0; i < count; i++)
        printf(" %" PRIx64, inputs[(set * count + i) * 32 + lane]);
    printf("\n");
}

static void compare(const struct product *product, void *context)
{
    struct job *job = context;
    bool all = strcmp(job->name, "all") == 0;
    if (!all && strcmp(product->name, job->name) != 0)
        return;
    if (!(job->folder ? read_saved(product, job->folder) : run_on_gpu(product)))
        return;
    products_emulate(product, inputs, ours);
    size_t words = products_output_words(product), first = words, different[PRODUCTS_KINDS] = {0};
    for (size_t i = words; i-- > 0;)
        if (ours[i] != outputs[i]) {
            different[i * PRODUCTS_SETS / words % PRODUCTS_KINDS]++;
            first = i;
        }
    job->done++;
    printf("%s:", product->name);
    for (unsigned kind = 0; kind < PRODUCTS_KINDS; kind++)
        printf(" %zu", different[kind]);
    printf(" of %zu differ\n", words / PRODUCTS_KINDS);
    if (first == words)
        return;
    job->differ++;
    size_t set = first * PRODUCTS_SETS / words, lane = first % 32;
    printf("  first: set %zu, lane %zu, d%zu: GPU %#" PRIx64 ", emulator %#" PRIx64
           "; its registers:",
           set, lane, first % (words / PRODUCTS_SETS) / 32, outputs[first], ours[first]);
    show_registers(product, set, lane);
}

int record_products(char **arguments)
{
    struct job job = {.name = arguments[0] ? arguments[0] : "", .folder = NULL};
    bool is_raw = strcmp(job.name, "raw") == 0, is_saved = strcmp(job.name, "saved") == 0;
    if ((is_raw || is_saved) && !arguments[1]) {
        fprintf(stderr, "answers: name the folder after '%s'\n", job.name);
        return 2;
    }
    if (is_raw || is_saved)
        job = (struct job){.name = arguments[2] ? arguments[2] : "all", .folder = arguments[1]};
    if (!is_saved)
        gpu_open();
    if (!arguments[0]) {
        gpu_print_head("products");
        products_each(record, NULL);
        return 0;
    }
    products_each(is_raw ? save : compare, &job);
    if (!is_raw && !job.done)
        fprintf(stderr, "answers: no row is called %s\n", job.name);
    return is_raw ? 0 : !job.done ? 2 : job.differ != 0;
}
