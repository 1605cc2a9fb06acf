/* Tests the counters in the record: each execution must give the same bytes, and each source line
 * must have its counts. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

/* A kernel with several kinds of instructions, in several lines. No thread waits for another. */
static const char mixed[] =
    ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.visible .entry k(.param .u64 block)\n{\n"
    ".shared .align 4 .b8 s[1024];\n.reg .pred p;\n.reg .b32 t, a, b, i;\n.reg .b64 g, gi;\n"
    ".loc 1 2 1\nmov.u32 t, %tid.x;\nld.param.u64 g, [block];\nshl.b32 i, t, 2;\n"
    "cvt.u64.u32 gi, i;\nadd.s64 gi, gi, g;\n"
    ".loc 1 4 3\nld.global.u32 a, [gi];\n"
    ".loc 2 9 1\nst.shared.u32 [i], a;\n"
    ".loc 1 5 3\nbar.sync 0;\nand.b32 a, t, 3;\nsetp.eq.u32 p, a, 0;\n@p bra SKIP;\n"
    ".loc 1 6 5\nxor.b32 b, i, 4;\nld.shared.u32 a, [b];\nSKIP:\n"
    ".loc 1 7 3\nred.global.add.u32 [g], a;\natom.global.add.u32 b, [g+4], a;\n"
    ".loc 1 8 3\nst.global.u32 [gi+1024], b;\n.loc 1 9 1\nret;\n}\n";

static char *record_of_mixed(const struct emu_options *options, uint32_t ctas,
                             struct emu_counters *counters)
{
    struct fixture f;
    uint32_t words[1024];
    for (unsigned i = 0; i < 1024; i++)
        words[i] = i * 7;
    fixture_open(&f, options);
    fixture_load(&f, mixed);
    emu_addr block = fixture_upload(&f, words, sizeof words);
    fixture_run(&f, (struct fixture_launch){
                        .grid = {ctas}, .block = {200}, .params = {block}, .counters = counters});
    char *text = fixture_record_text(&f);
    fixture_close(&f);
    return text;
}

Test(counter_records, same_bytes_twice)
{
    struct emu_options options = {.deterministic = true};
    char *first = record_of_mixed(&options, 9, NULL), *second = record_of_mixed(&options, 9, NULL);
    cr_expect(strcmp(first, second) == 0, "%s\n%s", first, second);
    cr_expect(strlen(first) > 500 && strchr(first, '\n') == first + strlen(first) - 1,
              "one launch is one line");
    free(first);
    free(second);
}

Test(counter_records, same_with_more_workers)
{
    struct emu_counters one, two;
    char *first = record_of_mixed(&(struct emu_options){.workers = 1}, 2000, &one);
    char *second = record_of_mixed(&(struct emu_options){.workers = 2}, 2000, &two);
    for (int i = 0; i < EMU_COUNTER_COUNT; i++)
        cr_expect(one.value[i] == two.value[i], "%s is %lu and %lu",
                  emu_counter_name((enum emu_counter)i), (unsigned long)one.value[i],
                  (unsigned long)two.value[i]);
    cr_expect(strcmp(first, second) == 0, "and so is the record");
    free(first);
    free(second);
}

static int64_t counter_of(json_t *counters, const char *name)
{
    return json_integer_value(json_object_get(counters, name)); /* 0 if there is none */
}

/* Each line has the counts of its instructions, and the lines add up to the launch's counts. */
Test(counter_records, lines)
{
    json_error_t error;
    char *text = record_of_mixed(&(struct emu_options){.deterministic = true}, 9, NULL);
    json_t *record = json_loads(text, 0, &error), *launch = json_object_get(record, "launch"),
           *line;
    json_t *total = json_object_get(launch, "counters"), *lines = json_object_get(launch, "lines");
    size_t n;
    static const struct {
        const char *file;
        int line;
        const char *counter;
        int64_t want;
    } wants[] = {
        {"a.cu", 2, "warp_instructions", 9 * 7 * 5},
        {"a.cu", 4, "global_load_requests", 9 * 7},
        {"a.cu", 4, "global_load_sectors", 9 * 25}, /* 200 words */
        {"b.h", 9, "shared_store_requests", 9 * 7},
        {"a.cu", 5, "barriers", 9 * 7},
        {"a.cu", 5, "divergent_branches", 9 * 7},
        {"a.cu", 6, "thread_instructions", 9 * 2 * 150},
        {"a.cu", 6, "shared_load_requests", 9 * 7},
        {"a.cu", 7, "global_reduction_requests", 9 * 7},
        {"a.cu", 7, "global_atomic_sectors", 9 * 7},
        {"a.cu", 8, "global_store_sectors", 9 * 25},
    };
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
        int64_t got = -1;
        json_array_foreach(lines, n,
                           line) if (strcmp(json_string_value(json_object_get(line, "file")),
                                            wants[i].file) == 0 &&
                                     counter_of(line, "line") == wants[i].line) got =
            counter_of(json_object_get(line, "counters"), wants[i].counter);
        cr_expect(got == wants[i].want, "%s:%d: %s is %ld, want %ld", wants[i].file, wants[i].line,
                  wants[i].counter, (long)got, (long)wants[i].want);
    }
    for (int c = 0; c < EMU_COUNTER_COUNT; c++) {
        const char *name = emu_counter_name((enum emu_counter)c);
        int64_t sum = 0;
        json_array_foreach(lines, n, line) sum +=
            counter_of(json_object_get(line, "counters"), name);
        bool of_launch = strncmp(name, "longest_warp_", strlen("longest_warp_")) == 0 ||
                         c == EMU_occupied_instructions || c == EMU_bulk_shared_bytes;
        if (!of_launch)
            cr_expect(sum == counter_of(total, name), "%s: %ld in lines, %ld in all", name,
                      (long)sum, (long)counter_of(total, name));
    }
    json_array_foreach(lines, n, line)
    {
        json_t *value;
        const char *name;
        json_object_foreach(json_object_get(line, "counters"), name, value) cr_expect(
            json_integer_value(value) != 0, "zeros are left out of lines, but not %s", name);
    }
    json_decref(record);
    free(text);
}
