/* Runs the kernels of the answers on this machine's GPU, through the CUDA driver.
 *
 *   build/tests/answers              writes answers.tsv to stdout
 *   build/tests/answers new          writes only the rows that answers.tsv lacks; append them to the file
 *   build/tests/answers MNEMONIC     shows the first operand set for which GPU and emulator differ;
 *                                    MNEMONIC "all" checks every mnemonic
 *   build/tests/answers products …   the same for matrices: see record_products.h */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "config.h"
#include "tests/hardware/answers.h"
#include "tests/hardware/gpu/driver.h"
#include "tests/hardware/gpu/record_products.h"

static uint64_t inputs[ANSWERS_SETS * ANSWERS_SLOTS], outputs[ANSWERS_SETS];

/* Runs the row's kernel on the GPU. Returns false if the driver rejects its PTX. */
static bool run_on_gpu(const struct opcode_row *row)
{
    char *kernels = answers_ptx(row), *ptx = malloc(strlen(kernels) + sizeof FIXTURE_PTX);
    sprintf(ptx, "%s%s", FIXTURE_PTX, kernels);
    answers_inputs(row, inputs);
    bool ran = gpu_run(&(struct gpu_launch){.name = row->name,
                                            .ptx = ptx,
                                            .blocks = ANSWERS_SETS / ANSWERS_BLOCK,
                                            .threads = ANSWERS_BLOCK,
                                            .in = inputs,
                                            .in_bytes = sizeof inputs,
                                            .out = outputs,
                                            .out_bytes = sizeof outputs});
    free(ptx);
    free(kernels);
    return ran;
}

static void record(const struct opcode_row *row, void *context)
{
    (void)context;
    if (!run_on_gpu(row))
        return;
    char *key = answers_key(row);
    printf("%s\t", key);
    free(key);
    if (!row->ulps) {
        printf("%016" PRIx64 "\n", answers_digest(row, outputs));
        return;
    }
    printf("%" PRIu64 "\t", row->ulps);
    for (size_t i = 0; i < ANSWERS_SHOWN; i++)
        printf("%" PRIx64 "%c", outputs[i], i + 1 < ANSWERS_SHOWN ? ' ' : '\n');
}

static void record_new(const struct opcode_row *row, void *context)
{
    const struct text *recorded = context;
    char *key = answers_key(row), *line = NULL;
    if (asprintf(&line, "\n%s\t", key) < 0 || !strstr(recorded->bytes, line))
        record(row, NULL);
    free(line);
    free(key);
}

static int record_all_new(void)
{
    struct text recorded;
    char why[200];
    if (!base_read_file(LANEWISE_ROOT "/grader/tests/hardware/answers.tsv", 1 << 24, &recorded, why,
                        sizeof why)) {
        fprintf(stderr, "answers: answers.tsv %s\n", why);
        return 2;
    }
    answers_each(record_new, &recorded);
    free(recorded.bytes);
    return 0;
}

struct wanted {
    const char *name;
    bool found;
};

static void compare(const struct opcode_row *row, void *context)
{
    static uint64_t ours[ANSWERS_SETS];
    struct wanted *wanted = context;
    bool all = strcmp(wanted->name, "all") == 0;
    if ((!all && strcmp(row->name, wanted->name) != 0) || !run_on_gpu(row))
        return;
    wanted->found = true;
    answers_emulate(row, inputs, ours);
    size_t different = 0, first = 0;
    for (size_t i = ANSWERS_SETS; i-- > 0;)
        if (!answers_is_right(row, inputs[i * ANSWERS_SLOTS], ours[i], outputs[i]) && ++different)
            first = i;
    const uint64_t *set = &inputs[first * ANSWERS_SLOTS];
    if (different)
        printf("%s (%s): %zu differ; first a=%#" PRIx64 " b=%#" PRIx64 " c=%#" PRIx64 " e=%#" PRIx64
               ": GPU %#" PRIx64 ", emulator %#" PRIx64 "\n",
               row->name, row->form, different, set[0], set[1], set[2], set[3], outputs[first],
               ours[first]);
    else if (!all)
        printf("%s (%s): all %u results agree\n", row->name, row->form, ANSWERS_SETS);
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "products") == 0)
        return record_products(argv + 2);
    gpu_open();
    if (argc < 2) {
        gpu_print_head("answers");
        answers_each(record, NULL);
        return 0;
    }
    if (strcmp(argv[1], "new") == 0)
        return record_all_new();
    struct wanted wanted = {argv[1], false};
    answers_each(compare, &wanted);
    if (!wanted.found)
        fprintf(stderr, "answers: no row is called %s\n", argv[1]);
    return wanted.found ? 0 : 2;
}
