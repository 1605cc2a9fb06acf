/* Compares the matrix instructions with a real GPU's: every instruction on hundreds of operand sets
 * of each kind. The GPU's results are in hardware/products.tsv, which `make products` records
 * again. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hardware/products.h"
#include "tests/support/shell.h"

TestSuite(hardware_products, .init = shell_init, .fini = shell_fini, .timeout = 600);

struct record {
    char *text; /* contents of products.tsv */
    uint64_t *inputs, *outputs;
    size_t compared;
};

static void compare(const struct product *product, void *context)
{
    struct record *record = context;
    char line[300];
    snprintf(line, sizeof line, "\n%s\t", product->name);
    char *fields = strstr(record->text, line);
    cr_expect(fields, "%s is not in products.tsv: record it on a GPU with `make products`",
              product->name);
    if (!fields)
        return;
    fields += strlen(line);
    products_inputs(product, record->inputs);
    products_emulate(product, record->inputs, record->outputs);
    record->compared++;
    for (unsigned kind = 0; kind < PRODUCTS_KINDS; kind++) {
        uint64_t want = strtoull(fields, &fields, 16);
        cr_expect_eq(products_digest(product, record->outputs, kind), want,
                     "%s: the results for operand sets of kind %u differ from the GPU's; on a "
                     "machine with a GPU, `make products MNEMONIC=%s` shows the first operands",
                     product->name, kind, product->name);
    }
}

Test(hardware_products, are_those_of_a_gpu)
{
    size_t most = (size_t)PRODUCTS_SETS * PRODUCTS_MOST * 32;
    struct record record = {.text = shell_must("cat $TESTS/hardware/products.tsv")};
    record.inputs = calloc(most, sizeof *record.inputs);
    record.outputs = calloc(most, sizeof *record.outputs);
    cr_assert(record.inputs && record.outputs, "out of memory");
    products_each(compare, &record);
    cr_expect_gt(record.compared, 100u, "only %zu instructions were compared", record.compared);
    free(record.text);
    free(record.inputs);
    free(record.outputs);
}
