/* Compares the emulator's arithmetic with a real GPU's: every mnemonic of the opcode tables on
 * ten thousand operand sets. The GPU's results are in hardware/answers.tsv, which `make
 * answers` records again. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hardware/answers.h"
#include "tests/support/shell.h"

TestSuite(hardware_answers, .init = shell_init, .fini = shell_fini, .timeout = 600);

struct record {
    char *text; /* contents of answers.tsv */
    uint64_t *inputs, *outputs;
    size_t compared;
};

/* Returns the rest of the line after the row's key, or NULL. Skips the file's first line, which is
 * a comment. */
static const char *find(const struct record *record, const struct opcode_row *row)
{
    char *key = answers_key(row), *line = NULL;
    int length = asprintf(&line, "\n%s\t", key);
    const char *found = length > 0 ? strstr(record->text, line) : NULL;
    free(line);
    free(key);
    return found ? found + length : NULL;
}

/* Returns whether a line says that the row has not been recorded yet, because there was no GPU. */
static bool is_awaited(const struct record *record, const struct opcode_row *row)
{
    char *line = NULL;
    int length = asprintf(&line, "\n# not recorded yet: %s\n", row->name);
    bool found = length > 0 && strstr(record->text, line);
    free(line);
    return found;
}

static void compare_closely(const struct opcode_row *row, const char *fields,
                            const uint64_t *inputs, const uint64_t *outputs)
{
    char *at;
    strtoul(fields, &at, 10); /* skip the allowed difference, which is also in the tables */
    for (size_t i = 0; i < ANSWERS_SHOWN; i++) {
        uint64_t want = strtoull(at, &at, 16);
        cr_expect(answers_is_right(row, inputs[i * ANSWERS_SLOTS], outputs[i], want),
                  "%s: set %zu: %#" PRIx64 ", on the GPU %#" PRIx64, row->name, i, outputs[i],
                  want);
    }
}

static void compare(const struct opcode_row *row, void *context)
{
    struct record *record = context;
    const char *fields = find(record, row);
    bool awaited = is_awaited(record, row);
    cr_expect(fields || awaited,
              "%s (%s) is not in answers.tsv: record it on a GPU with `make answers MNEMONIC=new`",
              row->name, row->form);
    cr_expect(!fields || !awaited, "%s is in answers.tsv: remove the line that says otherwise",
              row->name);
    if (!fields)
        return;
    answers_inputs(row, record->inputs);
    answers_emulate(row, record->inputs, record->outputs);
    record->compared++;
    if (row->ulps)
        compare_closely(row, fields, record->inputs, record->outputs);
    else
        cr_expect_eq(strtoull(fields, NULL, 16), answers_digest(row, record->outputs),
                     "%s (%s): the results differ from the GPU's; on a machine with a GPU, "
                     "`make answers MNEMONIC=%s` shows the first operands",
                     row->name, row->form, row->name);
}

Test(hardware_answers, are_those_of_a_gpu)
{
    struct record record = {.text = shell_must("cat $TESTS/hardware/answers.tsv")};
    record.inputs = calloc((size_t)ANSWERS_SETS * ANSWERS_SLOTS, sizeof *record.inputs);
    record.outputs = calloc(ANSWERS_SETS, sizeof *record.outputs);
    cr_assert(record.inputs && record.outputs, "out of memory");
    answers_each(compare, &record);
    cr_expect_gt(record.compared, 500u, "only %zu mnemonics were compared", record.compared);
    free(record.text);
    free(record.inputs);
    free(record.outputs);
}
