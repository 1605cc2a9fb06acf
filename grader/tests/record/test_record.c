/* Tests the reader of records. It must accept every record that the emulator writes, and refuse
 * anything else that a process could write into the file. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/counters.h"
#include "record/record.h"
#include "tests/support/shell.h"

TestSuite(record, .init = shell_init, .fini = shell_fini);

/* Returns all counters as JSON, each with the value VALUE. */
static const char *counters(long long value)
{
    static char text[4096];
    size_t size = 0;
    for (int i = 0; i < EMU_COUNTER_COUNT; i++)
        size += snprintf(text + size, sizeof text - size, "%s\"%s\":%lld", i ? "," : "{",
                         emu_counter_name(i), value);
    snprintf(text + size, sizeof text - size, "}");
    return text;
}

static const char finding[] =
    "{\"id\":\"out-of-bounds\",\"severity\":\"error\",\"kernel\":\"k(int*)\",\"file\":\"a.cu\","
    "\"line\":12,\"column\":5,\"message\":\"global store\",\"count\":3}";

/* Returns the line of a launch, with the counters COUNTERS and the source lines LINES. MORE is
 * appended to its members. */
static char *launch(const char *counters, const char *lines, const char *more)
{
    char *text;
    cr_assert(
        asprintf(&text,
                 "{\"launch\":{\"kernel\":\"k(int*)\",\"grid\":[3,2,1],\"block\":[32,1,1],"
                 "\"static_shared_bytes\":8,\"dynamic_shared_bytes\":64,\"constant_bytes\":12,"
                 "\"occupancy\":{\"warps\":"
                 "48,\"most_warps\":64,\"blocks\":12,"
                 "\"limit\":\"registers\",\"registers\":40},\"status\":\"ok\",\"rules\":\"sector\","
                 "\"counters\":%s,"
                 "\"lines\":[%s]}%s}",
                 counters, lines, more) >= 0);
    return text;
}

/* Reads a record that consists of these bytes. On failure returns NULL, and ERROR gets the
 * message. */
static json_t *read_bytes(const char *bytes, size_t size, char error[200])
{
    char path[] = "/tmp/lanewise-record-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    strcpy(error, "");
    json_t *document = record_read(path, error, 200);
    remove(path);
    return document;
}

static json_t *read_text(const char *text, char error[200])
{
    return read_bytes(text, strlen(text), error);
}

Test(record, launches_are_read)
{
    char error[200], *text, *one;
    one = launch(counters(7), "{\"file\":\"a.cu\",\"line\":12,\"counters\":{\"barriers\":2}}", "");
    cr_assert(asprintf(&text, "%s\n%s\n", one, one) >= 0);
    json_t *document = read_text(text, error);
    cr_assert(document, "%s", error);
    cr_expect_str_eq(json_string_value(json_object_get(document, "schema")), "lanewise/run/v1");
    json_t *launches = json_object_get(document, "launches");
    cr_assert_eq(json_array_size(launches), 2);
    const char *kernel, *status, *file;
    int x, y, z, shared, fixed, constant, instructions, conflicts, line, barriers, warps, registers;
    double percent;
    cr_assert_eq(json_unpack(json_array_get(launches, 1),
                             "{s:s, s:[iii], s:i, s:i, s:i, s:{s:F, s:i, s:i}, s:s, s:{s:i, s:i}, "
                             "s:[{s:s, s:i, s:{s:i}}]}",
                             "kernel", &kernel, "grid", &x, &y, &z, "static_shared_bytes", &fixed,
                             "dynamic_shared_bytes", &shared, "constant_bytes", &constant,
                             "occupancy", "percent", &percent, "warps", &warps, "registers",
                             &registers, "status", &status, "counters", "warp_instructions",
                             &instructions, "shared_store_bank_conflicts", &conflicts, "lines",
                             "file", &file, "line", &line, "counters", "barriers", &barriers),
                 0);
    cr_expect_str_eq(kernel, "k(int*)");
    cr_expect_str_eq(status, "ok");
    cr_expect_str_eq(file, "a.cu");
    cr_expect(x == 3 && y == 2 && z == 1 && fixed == 8 && shared == 64 && constant == 12 &&
              line == 12 && barriers == 2);
    cr_expect(warps == 48 && registers == 40 && percent == 75);
    cr_expect(instructions == 7 && conflicts == 7);
    json_decref(document);
    free(text);
    free(one);
}

/* A launch that repeats an earlier one counts like a launch with a complete line, and so do its
 * findings. */
Test(record, launches_may_repeat_others)
{
    static const char finding[] =
        "{\"id\":\"bank-conflict\",\"severity\":\"warning\",\"kernel\":\"k\",\"file\":\"a.cu\","
        "\"line\":9,\"column\":1,\"message\":\"slow\",\"count\":3,\"cause\":\"c\",\"cost\":8,"
        "\"ideal\":2,\"worst_cost\":4,\"worst_ideal\":1}";
    char error[200], *text, *one, *more;
    cr_assert(asprintf(&more, ",\"id\":5,\"findings\":[%s]", finding) >= 0);
    one = launch(counters(7), "", more);
    cr_assert(asprintf(&text, "%s\n{\"repeats\":5}\n{\"repeats\":5}\n", one) >= 0);
    json_t *document = read_text(text, error);
    cr_assert(document, "%s", error);
    json_t *launches = json_object_get(document, "launches");
    cr_assert_eq(json_array_size(launches), 3);
    cr_expect(json_equal(json_array_get(launches, 0), json_array_get(launches, 2)));
    cr_expect_null(json_object_get(json_array_get(launches, 0), "id"));
    const json_t *findings = json_object_get(document, "findings");
    cr_assert_eq(json_array_size(findings), 1);
    cr_expect_eq(json_integer_value(json_object_get(json_array_get(findings, 0), "count")), 9);
    cr_expect_eq(json_integer_value(json_object_get(json_array_get(findings, 0), "cost")), 24);
    json_decref(document);
    free(text);
    free(one);
    free(more);
}

/* The counters of the tool "rows" may be missing. All others must be there. */
Test(record, counters_that_may_be_missing)
{
    for (int i = EMU_COUNTERS_ALWAYS - 1; i <= EMU_COUNTERS_ALWAYS; i++) {
        char error[200], some[4096], *text, *one;
        const char *all = counters(7), *end = strstr(all, emu_counter_name(i));
        snprintf(some, sizeof some, "%.*s}", (int)(end - all - 2), all);
        one = launch(some, "", "");
        cr_assert(asprintf(&text, "%s\n", one) >= 0);
        json_t *document = read_text(text, error);
        cr_expect(!document == (i < EMU_COUNTERS_ALWAYS), "without %s: %s", emu_counter_name(i),
                  error);
        json_decref(document);
        free(text);
        free(one);
    }
}

/* All kinds of copies must stay in their order, because the answers in the other file have the same
 * order. */
Test(record, copies_and_lent_memory)
{
    char error[200];
    json_t *document =
        read_text("{\"lent\":{\"bytes\":12,\"launch\":0}}\n{\"copy\":{\"bytes\":8,\"sha256\":"
                  "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\","
                  "\"made\":true,\"same\":false}}\n{\"lent\":{\"bytes\":4,\"launch\":3}}\n",
                  error);
    cr_assert(document, "%s", error);
    char *copies = json_dumps(json_object_get(document, "copies"), JSON_COMPACT);
    cr_expect_str_eq(copies,
                     "[{\"bytes\":12,\"launch\":0,\"lent\":true},{\"bytes\":8,\"sha256\":"
                     "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\","
                     "\"made\":true,\"same\":false},{\"bytes\":4,\"launch\":3,\"lent\":true}]");
    free(copies);
    json_decref(document);
}

Test(record, findings_at_one_place_are_one)
{
    char error[200], *text, *one, more[600];
    snprintf(more, sizeof more, ",\"findings\":[%s]", finding);
    one = launch(counters(1), "", more);
    cr_assert(asprintf(&text, "%s\n{\"findings\":[%s]}\n", one, finding) >= 0);
    json_t *document = read_text(text, error);
    cr_assert(document, "%s", error);
    json_t *findings = json_object_get(document, "findings");
    cr_assert_eq(json_array_size(findings), 1);
    cr_expect_eq(json_integer_value(json_object_get(json_array_get(findings, 0), "count")), 6);
    json_decref(document);
    free(text);
    free(one);
}

Test(record, calls_of_several_processes_are_added_up)
{
    char error[200];
    int mallocs, frees;
    json_t *document = read_text("{\"calls\":{\"cudaMalloc\":2}}\n"
                                 "{\"calls\":{\"cudaFree\":1,\"cudaMalloc\":3}}\n",
                                 error);
    cr_assert(document, "%s", error);
    cr_assert_eq(json_unpack(json_object_get(document, "calls"), "{s:i, s:i}", "cudaMalloc",
                             &mallocs, "cudaFree", &frees),
                 0);
    cr_expect(mallocs == 5 && frees == 1);
    json_decref(document);
}

Test(record, calls_that_no_library_writes_are_refused)
{
    static const char *const lines[] = {
        "{\"calls\":[]}\n", "{\"calls\":{\"cuda Malloc\":1}}\n", "{\"calls\":{\"\":1}}\n",
        "{\"calls\":{\"cudaMalloc\":-1}}\n", "{\"calls\":{\"cudaMalloc\":\"many\"}}\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char error[200];
        json_t *document = read_text(lines[i], error);
        cr_expect(!document && strcmp(error, "is malformed in line 1") == 0, "%s", lines[i]);
        json_decref(document);
    }
}

/* --- accesses: valid and with mistakes --------------------------------------------------------- */

#define NULLS_7 "null,null,null,null,null,null,null"
#define NULLS   NULLS_7 "," NULLS_7 "," NULLS_7 "," NULLS_7 ",null,null"

/* Reads an access with these values of COST, BYTES and OFFSETS. */
static json_t *read_access(const char *cost, const char *bytes, const char *offsets,
                           char error[200])
{
    char *text, *one, *more;
    cr_assert(asprintf(&more,
                       ",\"accesses\":[{\"kernel\":\"k\",\"file\":\"a.cu\",\"line\":3,\"column\":1,"
                       "\"block\":[0,0,0],\"warp\":31,\"step\":1,\"kind\":\"load\","
                       "\"space\":\"global\",\"bytes\":%s,\"cost\":%s,\"ideal\":1,"
                       "\"offsets\":[%s]}]",
                       bytes, cost, offsets) >= 0);
    one = launch(counters(1), "", more);
    cr_assert(asprintf(&text, "%s\n", one) >= 0);
    json_t *document = read_text(text, error);
    free(more);
    free(one);
    free(text);
    return document;
}

static const struct {
    const char *name, *cost, *bytes, *offsets;
    bool good;
} accesses[] = {
    {"one lane", "1", "4", NULLS ",8,null", true},
    {"no lane", "1", "4", NULLS ",null,null", false},
    {"31 lanes", "1", "4", NULLS ",8", false},
    {"33 lanes", "1", "4", NULLS ",8,8,8", false},
    {"before the beginning", "1", "4", NULLS ",8,-4", false},
    {"very far", "1", "4", NULLS ",8,1152921504606846976", false},
    {"no number", "1", "4", NULLS ",8,true", false},
    {"misaligned", "1", "4", NULLS ",8,2", false},
    {"3 bytes", "1", "3", NULLS ",0,3", false},
    {"0 bytes", "1", "0", NULLS ",0,3", false},
    {"32 bytes", "1", "32", NULLS ",0,32", false},
    {"a cost above any possible cost", "33", "4", NULLS ",8,null", false},
};

Test(record, accesses_are_what_a_warp_can_do)
{
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        char error[200];
        json_t *document =
            read_access(accesses[i].cost, accesses[i].bytes, accesses[i].offsets, error);
        cr_expect_eq(document != NULL, accesses[i].good, "%s: %s", accesses[i].name, error);
        json_decref(document);
    }
}

Test(record, an_empty_record_has_no_launches)
{
    char error[200];
    json_t *document = read_text("", error);
    cr_assert(document, "%s", error);
    cr_expect_eq(json_array_size(json_object_get(document, "launches")), 0);
    json_decref(document);
}

/* The last line is incomplete, because the writer was killed while it wrote the line. */
Test(record, a_cut_last_line_is_left_out)
{
    char error[200], *text, *one = launch(counters(1), "", "");
    cr_assert(asprintf(&text, "%s\n%.*s", one, 100, one) >= 0);
    json_t *document = read_text(text, error);
    cr_assert(document, "%s", error);
    cr_expect_eq(json_array_size(json_object_get(document, "launches")), 1);
    json_decref(document);
    free(text);
    free(one);
}

Test(record, texts_are_made_printable)
{
    char error[200];
    json_t *document = read_text("{\"findings\":[{\"id\":\"a\\u001b[31m\",\"severity\":\"error\","
                                 "\"kernel\":\"\",\"file\":\"two\\nlines\",\"line\":1,"
                                 "\"column\":0,\"message\":\"\\u202ereversed\",\"count\":1}]}\n",
                                 error);
    cr_assert(document, "%s", error);
    json_t *only = json_array_get(json_object_get(document, "findings"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(only, "id")), "a?[31m");
    cr_expect_str_eq(json_string_value(json_object_get(only, "file")), "two lines");
    cr_expect_str_eq(json_string_value(json_object_get(only, "message")), "???reversed");
    json_decref(document);
}

/* Such line numbers appear after "#line 4294967295", for example. */
Test(record, lines_out_of_range_are_unknown)
{
    static const char *const lines[] = {"-1", "16777217", "9223372036854775807"};
    char error[200], text[300];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snprintf(
            text, sizeof text,
            "{\"findings\":[{\"id\":\"a\",\"severity\":\"error\",\"kernel\":\"\",\"file\":\"f\","
            "\"line\":%s,\"column\":0,\"message\":\"m\",\"count\":1}]}\n",
            lines[i]);
        json_t *document = read_text(text, error);
        cr_assert(document, "%s: %s", lines[i], error);
        json_t *only = json_array_get(json_object_get(document, "findings"), 0);
        cr_expect_eq(json_integer_value(json_object_get(only, "line")), 0, "%s", lines[i]);
        json_decref(document);
    }
}

static const struct {
    const char *name, *text;
} malformed[] = {
    {"no JSON", "hello\n"},
    {"an array", "[]\n"},
    {"an empty object", "{}\n"},
    {"an empty line", "\n"},
    {"a launch that is not an object", "{\"launch\":3}\n"},
    {"findings that are not an array", "{\"findings\":{}}\n"},
    {"a finding that is not an object", "{\"findings\":[3]}\n"},
    {"a finding without a message", "{\"findings\":[{\"id\":\"a\"}]}\n"},
    {"a key twice", "{\"findings\":[],\"findings\":[]}\n"},
    {"two objects in a line", "{\"findings\":[]}{\"findings\":[]}\n"},
    {"a copy of no bytes", "{\"copy\":{\"sha256\":\"\",\"made\":true,\"same\":true}}\n"},
    {"a copy with a short hash",
     "{\"copy\":{\"bytes\":4,\"sha256\":\"00\",\"made\":true,\"same\":true}}\n"},
    {"lent memory without a size", "{\"lent\":{}}\n"},
    {"lent memory with a negative size", "{\"lent\":{\"bytes\":-4,\"launch\":0}}\n"},
    {"lent memory without a launch", "{\"lent\":{\"bytes\":4}}\n"},
    {"a negative number of missing bytes", "{\"missing\":-1}\n"},
    {"a repetition of an unknown launch", "{\"repeats\":5}\n"},
    {"a repetition without a number", "{\"repeats\":\"5\"}\n"},
    {"a text that contains NUL", "{\"findings\":[{\"id\":\"\\u0000\"}]}\n"},
    {"broken UTF-8", "{\"findings\":[{\"id\":\"\xff\"}]}\n"},
};

Test(record, what_is_malformed_is_refused)
{
    char error[200];
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        json_t *document = read_text(malformed[i].text, error);
        cr_expect(!document, "%s: was read", malformed[i].name);
        cr_expect_str_eq(error, "is malformed in line 1", "%s: %s", malformed[i].name, error);
        json_decref(document);
    }
}

static const struct {
    const char *name, *old, *new;
} changes[] = {
    {"a negative counter", "\"barriers\":1", "\"barriers\":-1"},
    {"a huge counter", "\"barriers\":1", "\"barriers\":9223372036854775807"},
    {"a counter that is not an integer", "\"barriers\":1", "\"barriers\":1.5"},
    {"a missing counter", "\"barriers\":1,", ""},
    {"a grid of two sizes", "[3,2,1]", "[3,2]"},
    {"a grid with a string", "[3,2,1]", "[\"3\",2,1]"},
    {"a grid too large", "[3,2,1]", "[4294967296,2,1]"},
    {"no kernel", "\"kernel\"", "\"core\""},
    {"no status", "\"status\":\"ok\",", ""},
    {"no rules", "\"rules\":\"sector\",", ""},
    {"unknown rules", "\"sector\"", "\"line\""},
    {"no lines", "\"lines\":[]", "\"lines\":3"},
};

Test(record, launches_are_checked)
{
    char error[200], *good = launch(counters(1), "", "");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *text, *at = strstr(good, changes[i].old);
        cr_assert(at, "%s", changes[i].name);
        cr_assert(asprintf(&text, "%.*s%s%s\n", (int)(at - good), good, changes[i].new,
                           at + strlen(changes[i].old)) >= 0);
        json_t *document = read_text(text, error);
        cr_expect(!document, "%s: was read", changes[i].name);
        json_decref(document);
        free(text);
    }
    free(good);
}

Test(record, deep_nesting_is_survived)
{
    char error[200];
    size_t depth = 1 << 20;
    char *text = malloc(depth + 1);
    memset(text, '[', depth);
    text[depth] = '\n';
    json_t *document = read_bytes(text, depth + 1, error);
    cr_expect(!document);
    json_decref(document);
    free(text);
}

static const struct {
    const char *name, *make, *error;
} files[] = {
    {"no file", "true", "is missing"},
    {"a folder", "mkdir record", "is not a file"},
    {"a link", "ln -s /etc/passwd record", "is not a file"},
    {"a pipe without a writer", "mkfifo record", "is not a file"},
    {"a huge file", "truncate -s 67108865 record",
     "is larger than 64 MB: are there too many launches?"},
};

Test(record, only_a_file_is_read)
{
    char error[200];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *folder = shell_must("rm -rf record; %s; echo -n $PWD/record", files[i].make);
        json_t *document = record_read(folder, error, sizeof error);
        cr_expect(!document, "%s: was read", files[i].name);
        cr_expect_str_eq(error, files[i].error, "%s: %s", files[i].name, error);
        json_decref(document);
        free(folder);
    }
}
