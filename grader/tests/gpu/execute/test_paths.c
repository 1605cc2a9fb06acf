/* Tests the fast path for repeated accesses (execute/access_run.c). It must give the same counts as
 * the path that checks all 32 addresses. The test disables the fast path with initcheck, which
 * needs all addresses of each access. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/support/shell.h"

TestSuite(paths, .init = shell_init, .fini = shell_fini, .timeout = 600);

/* excludes memory_more, which registers host memory, whose address differs in each execution */
static const char *const programs[] = {"counts", "sum_ladder", "matmul_ladder", "textures",
                                       "halves", "threads",    "spaces"};

static json_t *run(const char *program, const char *tools)
{
    json_error_t error;
    free(shell_must(
        "$LANEWISE run --deterministic --tools %s --json run.json $PROGRAMS/%s >/dev/null", tools,
        program));
    char *text = shell_file("run.json", NULL);
    json_t *document = json_loads(text, 0, &error);
    free(text);
    cr_assert(document, "%s: %s", program, error.text);
    return document;
}

Test(paths, count_alike)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        json_t *quick = run(programs[i], "memcheck"), *full = run(programs[i], "initcheck"),
               *launch;
        json_t *wanted = json_object_get(full, "launches");
        size_t n;
        json_array_foreach(json_object_get(quick, "launches"), n, launch)
        {
            const json_t *other = json_array_get(wanted, n);
            const char *kernel = json_string_value(json_object_get(launch, "kernel"));
            cr_expect(
                json_equal(json_object_get(launch, "counters"), json_object_get(other, "counters")),
                "%s, launch %zu of %s: its counters differ", programs[i], n, kernel);
            cr_expect(json_equal(json_object_get(launch, "lines"), json_object_get(other, "lines")),
                      "%s, launch %zu of %s: its lines' counters differ", programs[i], n, kernel);
        }
        cr_expect(n > 0 && n == json_array_size(wanted), "%s: %zu launches", programs[i], n);
        json_decref(quick);
        json_decref(full);
    }
}

/* Only the named observers are active. With these settings, `make bench` measures the cost of
 * observers. */
Test(paths, only_named_observers_run)
{
    static const struct {
        const char *tools;
        bool counts;
    } rows[] = {{"none", false}, {"counters", true}, {"memcheck", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *document = run("matmul_ladder", rows[i].tools);
        json_t *launch = json_array_get(json_object_get(document, "launches"), 0);
        json_t *counters = json_object_get(launch, "counters");
        cr_expect(json_integer_value(json_object_get(counters, "warp_instructions")) > 0, "%s",
                  rows[i].tools);
        cr_expect_eq(json_integer_value(json_object_get(counters, "global_load_sectors")) > 0,
                     rows[i].counts, "%s", rows[i].tools);
        json_decref(document);
    }
}
