/* Tests recorded accesses and their pictures. The costliest access must be recorded, and the
 * picture's figures must agree with the counters. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg.h"
#include "tests/support/emulator_fixture.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(pictures, .init = submission_init, .fini = shell_fini, .timeout = 600);
TestSuite(golden_pictures, .init = submission_init, .fini = shell_fini, .timeout = 600);

/* --- recording -------------------------------------------------------------------------------- */

/* Records a kernel that executes ACCESS three times, in line 7 of /home/me/a.cu, and loads one word
 * in line 8. The offset of lane l is SCALE * l. SCALE grows by STEP each time. */
static void record(const char *access, unsigned scale, unsigned step, const struct emu_trace *trace,
                   unsigned blocks, unsigned threads, unsigned workers, json_t **line)
{
    char ptx[2000];
    struct fixture f;
    struct emu_options options = {.workers = workers, .trace = trace};
    fixture_open(&f, &options);
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 p)\n{\n.shared .align 128 .b8 m[32768];\n"
             ".reg .u64 g, o; .reg .u32 t, i, w, s, n; .reg .u8 b; .reg .b64 d, e;\n"
             ".reg .pred q;\nld.param.u64 g, [p]; mov.u32 t, %%tid.x; and.b32 t, t, 31;\n"
             "mov.u32 s, %u; mov.u32 n, 0;\n"
             "again: mul.lo.u32 i, t, s; cvt.u64.u32 o, i;\n"
             "add.u64 o, o, g; mov.u32 w, m; add.u32 i, i, w;\n.loc 1 7 3\n%s\n.loc 1 8 3\n"
             "ld.global.u32 w, [g];\nadd.u32 s, s, %u; add.u32 n, n, 1;\n"
             "setp.lt.u32 q, n, 3; @q bra again;\nret;\n}\n.file 1 \"/home/me/a.cu\"\n",
             scale, access, step);
    fixture_load(&f, ptx);
    emu_addr memory = fixture_upload(&f, NULL, 65536);
    fixture_run(
        &f, (struct fixture_launch){.grid = {blocks, 2}, .block = {threads}, .params = {memory}});
    *line = fixture_record(&f, 0);
    fixture_close(&f);
}

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const struct emu_trace line_7 = {"a.cu", 7, EMU_ANY, EMU_ANY, EMU_ANY};

/* Returns the picture of ACCESS as SVG text. */
static char *draw(const json_t *access, const struct report_picture *picture)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    report_svg_access(memory, access, picture);
    fclose(memory);
    return text;
}

/* Accesses and their costs. The counters, the figures in the caption and the record must
 * all agree with them. */
static const struct {
    const char *name, *access;
    unsigned scale, cost, ideal;
    bool shared;
} costs[] = {
    {"neighbours", "ld.global.u32 w, [o];", 4, 4, 4, false},
    {"stride 2", "ld.global.u32 w, [o];", 8, 8, 4, false},
    {"stride 32", "ld.global.u32 w, [o];", 128, 32, 4, false},
    {"one word for all", "ld.global.u32 w, [o];", 0, 1, 1, false},
    {"bytes", "ld.global.u8 w, [o];", 1, 1, 1, false},
    {"doubles, 24 bytes apart", "st.global.u64 [o], d;", 24, 24, 8, false},
    {"16 of every 32 bytes", "ld.global.v2.u64 {d, e}, [o];", 32, 32, 16, false},
    {"no conflict", "ld.shared.u32 w, [i];", 4, 1, 1, true},
    {"2-way", "ld.shared.u32 w, [i];", 8, 2, 1, true},
    {"32-way", "st.shared.u32 [i], t;", 128, 32, 1, true},
    {"padded", "st.shared.u32 [i], t;", 132, 1, 1, true},
    {"broadcast", "ld.shared.u32 w, [i];", 0, 1, 1, true},
    {"four lanes for each word", "ld.shared.u8 w, [i];", 1, 1, 1, true},
    {"doubles", "ld.shared.u64 d, [i];", 8, 2, 2, true},
    {"doubles, stride 2", "ld.shared.u64 d, [i];", 16, 4, 2, true},
    {"128 bits", "ld.shared.v2.u64 {d, e}, [i];", 16, 4, 4, true},
    {"128 bits, stride 2", "ld.shared.v2.u64 {d, e}, [i];", 32, 8, 4, true},
    {"one 128-bit word for all", "ld.shared.v2.u64 {d, e}, [i];", 0, 2, 2, true},
};

Test(pictures, captions_tell_what_counters_count)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        char want[100];
        json_t *line;
        record(costs[i].access, costs[i].scale, 0, &line_7, 1, 32, 1, &line);
        const json_t *accesses = json_object_get(line, "accesses");
        const json_t *access = json_array_get(accesses, 0);
        cr_assert_eq(json_array_size(accesses), 1, "%s", costs[i].name);
        cr_expect_eq(number(access, "cost"), costs[i].cost, "%s: cost %lld", costs[i].name,
                     (long long)number(access, "cost"));
        cr_expect_eq(number(access, "ideal"), costs[i].ideal, "%s: ideal %lld", costs[i].name,
                     (long long)number(access, "ideal"));
        snprintf(want, sizeof want, "%s %u %s%s%s, ideal %u", costs[i].shared ? "takes" : "moves",
                 costs[i].cost, costs[i].shared ? "wavefront" : "sector",
                 costs[i].cost == 1 ? "" : "s", costs[i].shared ? " (passes)" : "", costs[i].ideal);
        char *svg = draw(access, &(struct report_picture){.id = "a", .file = "a.cu"});
        cr_expect(strstr(svg, want), "%s: no \"%s\" in\n%s", costs[i].name, want, svg);
        free(svg);
        json_decref(line);
    }
}

/* The strides are 4, 8 and 12 bytes. The third access of each warp costs most, and that of the
 * first warp is recorded. */
Test(pictures, the_costliest_access_is_recorded)
{
    for (unsigned workers = 1; workers <= 3; workers++) {
        json_t *line;
        record("ld.global.u32 w, [o];", 4, 4, &line_7, 5, 96, workers, &line);
        const json_t *access = json_array_get(json_object_get(line, "accesses"), 0);
        cr_assert(access, "%u workers: nothing recorded", workers);
        cr_expect_eq(number(access, "step"), 3);
        cr_expect_eq(number(access, "warp"), 0);
        cr_expect_eq(number(access, "cost"), 12);
        cr_expect_str_eq(json_string_value(json_object_get(access, "file")), "/home/me/a.cu");
        cr_expect_eq(json_integer_value(json_array_get(json_object_get(access, "block"), 0)), 0);
        cr_expect_eq(json_integer_value(json_array_get(json_object_get(access, "offsets"), 31)),
                     12 * 31);
        json_decref(line);
    }
}

/* Accesses that repeat the first one. Equal costs: the first access of the first warp is recorded.
 * Neighbouring words can also begin in the middle of a sector, which costs one more. */
static const struct {
    const char *name, *access;
    unsigned scale, cost, step;
} repeats[] = {
    {"of equal costs", "ld.global.u32 w, [o];", 8, 8, 1},
    {"in another place",
     "shr.u32 w, n, 1; mul.wide.u32 d, w, 16; add.u64 o, o, d; ld.global.u32 w, [o];", 4, 5, 3},
    {"in another sector",
     "shr.u32 w, n, 1; mul.wide.u32 d, w, 32; add.u64 o, o, d; ld.global.u32 w, [o];", 4, 4, 1},
};

Test(pictures, repeats_cost_the_same)
{
    for (size_t i = 0; i < sizeof repeats / sizeof *repeats; i++)
        for (unsigned workers = 1; workers <= 3; workers++) {
            json_t *line;
            record(repeats[i].access, repeats[i].scale, 0, &line_7, 5, 96, workers, &line);
            const json_t *access = json_array_get(json_object_get(line, "accesses"), 0);
            cr_expect_eq(number(access, "cost"), repeats[i].cost, "%s", repeats[i].name);
            cr_expect_eq(number(access, "step"), repeats[i].step, "%s", repeats[i].name);
            cr_expect_eq(number(access, "warp"), 0, "%s", repeats[i].name);
            json_decref(line);
        }
}

/* A selection of accesses, and the access that must be recorded. If STEP is 0, none must be
 * recorded. */
static const struct {
    const char *name;
    struct emu_trace trace;
    size_t count;
    int line, x, y, warp, step;
} choices[] = {
    {"a step", {"a.cu", 7, EMU_ANY, EMU_ANY, 2}, 1, 7, 0, 0, 0, 2},
    {"a warp and a block", {"me/a.cu", 7, 6, 2, EMU_ANY}, 1, 7, 1, 1, 2, 3},
    {"the whole path", {"/home/me/a.cu", 8, EMU_ANY, 1, EMU_ANY}, 1, 8, 0, 0, 1, 1},
    {"all lines", {NULL, 0, EMU_ANY, EMU_ANY, EMU_ANY}, 2, 7, 0, 0, 0, 3},
    {"no such warp", {"a.cu", 7, EMU_ANY, 3, EMU_ANY}, 0, 0, 0, 0, 0, 0},
    {"no such line", {"a.cu", 9, EMU_ANY, EMU_ANY, EMU_ANY}, 0, 0, 0, 0, 0, 0},
    {"the end of the file's name only", {".cu", 7, EMU_ANY, EMU_ANY, EMU_ANY}, 0, 0, 0, 0, 0, 0},
};

Test(pictures, an_access_can_be_chosen)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        json_t *line;
        record("ld.global.u32 w, [o];", 4, 4, &choices[i].trace, 5, 96, 1, &line);
        const json_t *accesses = json_object_get(line, "accesses");
        const json_t *access = json_array_get(accesses, 0),
                     *block = json_object_get(access, "block");
        cr_expect_eq(json_array_size(accesses), choices[i].count, "%s: %zu", choices[i].name,
                     json_array_size(accesses));
        cr_expect_eq(number(access, "line"), choices[i].line, "%s", choices[i].name);
        cr_expect_eq(number(access, "warp"), choices[i].warp, "%s", choices[i].name);
        cr_expect_eq(number(access, "step"), choices[i].step, "%s: step %lld", choices[i].name,
                     (long long)number(access, "step"));
        cr_expect_eq(json_integer_value(json_array_get(block, 0)), choices[i].x, "%s",
                     choices[i].name);
        cr_expect_eq(json_integer_value(json_array_get(block, 1)), choices[i].y, "%s",
                     choices[i].name);
        json_decref(line);
    }
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* A program and the golden picture of one of its lines. */
static const struct {
    const char *name, *arguments;
} pictures[] = {
    {"access-global.svg", "--lab 2 --line coalesce.cu:39"},
    {"access-shared.svg", "--lab 4 --step 4 --line $(awk '/sums.2 . off . t. .=/ { print NR }' "
                          "labs/04-bank-conflicts/bank_conflicts.cu)"},
    {"heat.svg", "--lab 2 --heat"},
};

Test(golden_pictures, of_programs)
{
    submission_write_mutant("04-bank-conflicts", "index-tree",
                            "labs/04-bank-conflicts/bank_conflicts.cu");
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        free(shell_must("$LANEWISE trace -o out.svg %s >/dev/null", pictures[i].arguments));
        char *svg = shell_file("out.svg", NULL);
        golden_check(pictures[i].name, svg);
        free(svg);
    }
}

/* Names and source lines stay plain text, even if they contain markup. */
Test(pictures, nothing_of_a_student_becomes_markup)
{
    json_t *line;
    record("ld.global.u32 w, [o];", 4, 4, &line_7, 1, 32, 1, &line);
    struct report_picture picture = {
        .id = "a",
        .file = "</title><script>alert(1)</script>.cu",
        .source =
            "\n\n\n\n\n\n\"]]> <img src=x onerror=alert(1)> & \xff\xc0\x80 \033[31m \xe2\x80\xae",
    };
    char *svg = draw(json_array_get(json_object_get(line, "accesses"), 0), &picture);
    cr_expect(!strstr(svg, "<script") && !strstr(svg, "<img") && !strstr(svg, "]]>"), "%s", svg);
    cr_expect(strstr(svg, "&lt;script&gt;") &&
                  strstr(svg, "&lt;img src=x onerror=alert(1)&gt; &amp;"),
              "%s", svg);
    cr_expect(!strchr(svg, '\xff') && !strchr(svg, '\033') && !strstr(svg, "\xe2\x80\xae"), "%s",
              svg);
    free(svg);
    json_decref(line);
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"--lab 2", "name the output file"},
    {"-o a.svg --lab 2", "choose the picture"},
    {"-o a.svg --lab 2 --heat --line 4", "choose the picture"},
    {"-o a.svg --line 4 ./program", "--line must be FILE:LINE, such as reduce.cu:31, not \"4\""},
    {"-o a.svg --line a.cu:x --lab 2",
     "--line must be FILE:LINE, such as reduce.cu:31, not \"a.cu:x\""},
    {"-o a.svg --line a.cu:3", "give the program as the last argument"},
    {"-o a.svg --line 3 --warp -1 --lab 2", "--warp must be a whole number, not \"-1\""},
    {"-o a.svg --line a.cu:3 ./none", "./none: No such file"},
    {"-o a.svg --line 14 --lab 2 n=100 2>&1 >/dev/null",
     "line 14 made no access to global or shared memory that matches the options; these lines did: "},
    {"-o no/a.svg --line 39 --lab 2 n=100 2>&1 >/dev/null", "cannot write no/a.svg"},
};

Test(pictures, usage_errors_are_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE trace %s", refusals[i].arguments);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s",
                  refusals[i].arguments, output);
        free(output);
    }
}
