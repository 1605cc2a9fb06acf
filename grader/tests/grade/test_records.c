/* Tests signed results, and `lanewise verify`. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "grade/graded_by.h"
#include "grade/seal.h"
#include "report/result_json.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

/* --- keys and seals --------------------------------------------------------------------------------- */

TestSuite(seal, .init = shell_init, .fini = shell_fini, .timeout = 60);

static void path_of(const char *name, char path[PATH_SIZE])
{
    cr_assert(base_path(path, "%s/%s", shell_folder(), name));
}

static struct seal_key make_key(const char *name)
{
    struct seal_key key;
    char path[PATH_SIZE];
    path_of(name, path);
    cr_assert(seal_key_make(path, &key));
    return key;
}

static json_t *some_document(void)
{
    return json_pack("{s:s, s:f, s:f, s:[s, n, b], s:{s:i, s:s}}", "title", "gr\303\274n", "third",
                     1.0 / 3, "sum", 22.1 + 1e-14, "list", "a\nb", 1, "object", "b", 2, "a", "");
}

Test(seal, keys_are_files_for_one)
{
    struct seal_key key = make_key("key"), again;
    char path[PATH_SIZE], error[PATH_SIZE + 200];
    path_of("key", path);
    char *mode = shell_must("stat -c '%%a %%s' key");
    cr_expect_str_eq(mode, "600 65\n");
    cr_expect_not(seal_key_make(path, &again), "an existing key was replaced");
    cr_assert(seal_key_read(path, &again, error, sizeof error), "%s", error);
    cr_expect_eq(memcmp(&key, &again, sizeof key), 0);
    cr_expect_eq(strlen(key.id), SEAL_KEY_ID - 1);
    char *text = shell_file("key", NULL);
    cr_expect_null(strstr(text, key.id), "the key's id contains the key");
    free(text);
    free(mode);
}

Test(seal, what_is_no_key_is_refused)
{
    static const struct {
        const char *make, *says;
    } rows[] = {
        {"rm key", "No such file"},
        {"chmod 640 key", "others can read or write the key"},
        {"chmod 604 key", "others can read or write the key"},
        {"rm key; mkdir -m 700 key", "is not a file"},
        {"rm key; mkfifo -m 600 key", "is not a file"},
        {": >key", "is not a key"},
        {"printf x >>key", "is not a key"},
        {"cut -c1-60 key >k; mv k key; chmod 600 key", "is not a key"},
        {"sed -i 's/^./g/' key", "is not a key"},
    };
    char path[PATH_SIZE], error[PATH_SIZE + 200];
    path_of("key", path);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct seal_key key;
        free(shell_must("rm -rf key"));
        make_key("key");
        free(shell_must("%s", rows[i].make));
        cr_expect_not(seal_key_read(path, &key, error, sizeof error), "%s", rows[i].make);
        cr_expect(strstr(error, rows[i].says), "%s: %s", rows[i].make, error);
    }
}

Test(seal, holds_through_a_file_and_breaks_with_any_change)
{
    struct seal_key key = make_key("key"), other = make_key("other");
    char path[PATH_SIZE];
    json_t *document = some_document();
    path_of("document.json", path);
    cr_expect_eq(seal_check(document, &key), SEAL_NONE);
    cr_assert(seal_document(document, NULL));
    cr_expect_eq(seal_check(document, &key), SEAL_NONE);
    cr_assert(seal_document(document, &key) && seal_document(document, &key));
    cr_assert(report_json_write(document, path));
    json_t *read = json_load_file(path, 0, NULL);
    cr_expect_eq(seal_check(read, &key), SEAL_GOOD);
    cr_expect_eq(seal_check(read, NULL), SEAL_UNCHECKED);
    cr_expect_eq(seal_check(read, &other), SEAL_OTHER_KEY);
    json_object_set_new(json_object_get(read, "object"), "b", json_integer(3));
    cr_expect_eq(seal_check(read, &key), SEAL_BROKEN);
    json_object_set_new(json_object_get(read, "object"), "b", json_integer(2));
    cr_expect_eq(seal_check(read, &key), SEAL_GOOD);
    json_object_set_new(read, "more", json_null());
    cr_expect_eq(seal_check(read, &key), SEAL_BROKEN);
    json_decref(read);
    json_decref(document);
}

Test(seal, forged_seals_are_wrong)
{
    struct seal_key key = make_key("key");
    static const char *const digests[] = {"", "00", "zz", "long"};
    for (size_t i = 0; i < 5; ++i) {
        json_t *document = some_document();
        cr_assert(seal_document(document, &key));
        json_t *seal = json_object_get(document, "seal");
        char hex[66], *first;
        snprintf(hex, sizeof hex, "%s", json_string_value(json_object_get(seal, "hmac_sha256")));
        first = hex;
        *first = *first == '0' ? '1' : '0'; /* change one of the 64 digits */
        json_object_set_new(seal, "hmac_sha256", json_string(i < 4 ? digests[i] : hex));
        cr_expect_eq(seal_check(document, &key), SEAL_BROKEN, "%zu", i);
        json_object_set_new(document, "seal", json_true());
        cr_expect_eq(seal_check(document, &key), SEAL_BROKEN);
        json_decref(document);
    }
}

/* --- lanewise verify -------------------------------------------------------------------------------- */

TestSuite(verify, .init = submission_init, .fini = shell_fini, .timeout = 300);

#define GRADE                                                                                      \
    "$LANEWISE grade --device emulator --lab 2 --submission a.cu --seed 7 --json result.json "     \
    "--key key >/dev/null 2>&1"

/* Each row changes result.json, a.cu or the keys. After the row, they are restored. */
static const struct {
    const char *name, *change, *options;
    int code;
    const char *says[2];
} verify_rows[] = {
    {"as it is",
     ":",
     "--key key",
     0,
     {"signature   valid, made with key ", "score       identical"}},
    {"by environment",
     "export LANEWISE_KEY=$PWD/key",
     "",
     0,
     {"signature   valid, made with key "}},
    {"without the key", ":", "", 2, {"nothing differs, but", "score       identical"}},
    {"without the key, with --unsigned",
     ":",
     "--unsigned",
     0,
     {"signature   not checked: add --key FILE, where FILE has key ", "score       identical"}},
    {"unsigned, by no key",
     "$LANEWISE grade --device emulator --lab 2 --submission a.cu --seed 7 --json result.json",
     "",
     2,
     {"signature   none", "nothing differs, but"}},
    {"--unsigned overrides LANEWISE_KEY",
     "export LANEWISE_KEY=$PWD/none",
     "--unsigned",
     0,
     {"signature   not checked: add --key FILE, where FILE has key "}},
    {"wanted and not", ":", "--unsigned --key key", 2, {"--key or --unsigned"}},
    {"another key",
     "$LANEWISE key other",
     "--key other",
     1,
     {"signature   made with a different key, ", "score       identical"}},
    {"a better score",
     "sed -i 's/\"score\": 100/\"score\": 101/' result.json",
     "--key key",
     1,
     {"signature   invalid: ", "score       differs: recorded 101, now 100"}},
    {"a better check",
     "sed -i 's/\"points\": 70/\"points\": 71/' result.json",
     "",
     1,
     {"signature   not checked", "score       differs: check sectors: recorded 71 points, now 70"}},
    {"another counter",
     "sed -i 's/\"warp_instructions\": [0-9]*,/\"warp_instructions\": 1,/' result.json",
     "",
     1,
     {"score       differs: the same points, but \"counters\" of check correct differs"}},
    {"another GPU",
     "sed -i 's/\"device_name\": \"./&0/' result.json",
     "",
     1,
     {"score       differs: the same points, but \"device_name\" differs"}},
    {"no findings",
     "sed -i 's/\"findings\": \\[\\]/\"found\": []/' result.json",
     "",
     1,
     {"score       differs: the same points, but \"found"}},
    {"other times",
     "sed -i 's/\"seconds\": [0-9.]*/\"seconds\": 999.5/' result.json",
     "--unsigned",
     0,
     {"score       identical"}},
    {"another secret",
     "sed -i 's|\"secret\": \"..|\"secret\": \"ab|' result.json",
     "--key key",
     1,
     {"signature   invalid: ", "differs"}},
    {"another submission",
     "echo '// more' >>a.cu",
     "--key key",
     1,
     {"submission  differs", "score       not graded again"}},
    {"moved",
     "mkdir b; mv a.cu b/coalesce.cu",
     "--submission b --key key",
     0,
     {"score       identical"}},
    {"another lab",
     "sed -i 's/\"lab_sha256\": \"./&0/' result.json",
     "",
     1,
     {"lab         differs", "score       identical"}},
    {"another grader",
     "sed -i 's/\"grader_sha256\": \"./&0/' result.json",
     "",
     1,
     {"grader      differs", "lab         the same"}},
    {"another compiler",
     "sed -i 's/\"compiler\": \"./&\\\\u001b/' result.json",
     "",
     1,
     {"compiler    differs: \"c?uda", "score       identical"}},
    {"a GPU's",
     "sed -i 's/\"device\": \"emulator\"/\"device\": \"gpu\"/' result.json",
     "",
     1,
     {"not graded again: this works only for results"}},
    {"no submission", "rm a.cu", "", 2, {"a.cu does not exist; if it has moved, add --submission"}},
    {"no result", "rm result.json", "", 2, {"cannot read result.json"}},
    {"no JSON", "echo { >result.json", "", 2, {"cannot read result.json"}},
    {"JSON", "echo '{\"results\": []}' >result.json", "", 2, {"contains no result"}},
    {"a document without results",
     "echo '{\"labs\": {}, \"results\": {}}' >result.json",
     "",
     2,
     {"contains no result"}},
    {"no results", "echo '{\"results\": 1}' >result.json", "", 2, {"contains no result"}},
    {"other JSON", "echo '{\"lab\": \"02-coalesce\"}' >result.json", "", 2, {"is not a result"}},
    {"a lab that is a path",
     "sed -i 's|\"lab\": \"02|\"lab\": \"../02|' result.json",
     "",
     2,
     {"no lab is called"}},
    {"a lab that clears the screen",
     "sed -i 's|\"lab\": \"02|\"lab\": \"\\\\u001b[2J|' result.json",
     "",
     2,
     {"no lab is called \"\\x1b[2J"}},
    {"a key that others can read",
     "chmod 644 key",
     "--key key",
     2,
     {"others can read or write the key key: run chmod 600 on it"}},
    {"two results", ":", "result.json", 2, {"unexpected \"result.json\": verify takes one result"}},
};

Test(verify, tells_apart_what_differs)
{
    static const struct edit none[SUBMISSION_EDITS];
    submission_write("02-coalesce", none, "a.cu");
    free(
        shell_must("$LANEWISE key key && " GRADE " && mkdir kept && cp -p * kept/ 2>/dev/null; :"));
    for (size_t i = 0; i < sizeof verify_rows / sizeof *verify_rows; ++i) {
        int code;
        char *output = shell(&code, "{ %s; } >/dev/null; $LANEWISE verify result.json %s 2>&1",
                             verify_rows[i].change, verify_rows[i].options);
        cr_expect_eq(code, verify_rows[i].code, "%s: code %d: %s", verify_rows[i].name, code,
                     output);
        for (int j = 0; j < 2 && verify_rows[i].says[j]; ++j)
            cr_expect(strstr(output, verify_rows[i].says[j]), "%s: %s", verify_rows[i].name,
                      output);
        free(output);
        free(shell_must("rm -rf b other; cp -p kept/* ."));
    }
}

Test(verify, holds_for_what_failed_in_every_way)
{
    static const struct edit edits[][SUBMISSION_EDITS] = {
        {{"for (int i = me; i < n; i += all)", "for (;"}},
        {{"for (int i = me; i < n; i += all)", "for (int i = me; i <= n; i += all)"}},
        {{"lab_result(&lab, \"sum\", LAB_U64, &sum, 1);", ""}},
#ifndef LANEWISE_PRELOAD /* these programs run until a limit stops them */
        {{"for (int i = me; i < n; i += all)", "for (int i = me; i < n; i += 0 * all)"}},
        {{"int *data_on_gpu;", "for (;;) ; int *data_on_gpu;"}},
#endif
    };
    free(shell_must("$LANEWISE key key"));
    for (size_t i = 0; i < sizeof edits / sizeof *edits; ++i) {
        int code;
        submission_write("02-coalesce", edits[i], "a.cu");
        free(shell(&code, GRADE));
        cr_expect_eq(code, 1, "%zu: %d", i, code);
        char *output = shell(&code, "$LANEWISE verify --key key result.json 2>&1");
        cr_expect_eq(code, 0, "%zu: %s", i, output);
        free(output);
    }
}

Test(verify, takes_sets_of_results)
{
    int code;
    free(shell_must("$LANEWISE key key; printf 'labs: {2: , 3: }\n' >course"));
    free(shell(&code,
               "LANEWISE_KEY=key $LANEWISE grade --device emulator --submission %s/solutions "
               "--course course --json result.json 2>&1",
               LANEWISE_ROOT));
    char *output = shell(&code, "$LANEWISE verify --key key result.json --course course 2>&1 | "
                                "grep -c 'valid, made with'");
    cr_expect_str_eq(output, "2\n");
    free(output);
}

Test(verify, needs_the_course_file_that_it_was_graded_by)
{
    static const struct edit none[SUBMISSION_EDITS];
    static const struct {
        const char *before, *options;
        int code;
        const char *says;
    } rows[] = {
        {":", "--course course", 0, "course      the same"},
        {":", "", 1, "course      differs: the result was graded with a course file"},
        {"sed -i 's/50/40/; s/30/40/' course", "--course course", 1,
         "course      differs: this course file has other points or thresholds"},
        {"sed -i s/02-coalesce/03-shared-reduce/ course", "--course course", 2, ""},
        {"sed -i s/labs/laps/ course", "--course course", 2, "course:1: "},
    };
    submission_write("02-coalesce", none, "a.cu");
    free(shell_must(
        "printf 'labs:\n  02-coalesce:\n    checks:\n      correct: {points: 50}\n"
        "      sectors: {points: 30}\n' >course; cp course kept; $LANEWISE key key; " GRADE
        " --course course"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        int code;
        char *output = shell(&code, "%s; $LANEWISE verify --key key result.json %s 2>&1",
                             rows[i].before, rows[i].options);
        cr_expect_eq(code, rows[i].code, "%zu: code %d: %s", i, code, output);
        cr_expect(strstr(output, rows[i].says), "%zu: %s", i, output);
        free(output);
        free(shell_must("cp kept course"));
    }
}

/* --- hashes of the grader, lab and compiler --------------------------------------------------------- */

Test(verify, hashes_cover_what_decides_a_grade)
{
    struct lab lab, other;
    char error[400];
    cr_assert(labs_open("02-coalesce", &lab, error, sizeof error), "%s", error);
    cr_assert(labs_open("03-shared-reduce", &other, error, sizeof error), "%s", error);
    json_t *one = graded_by_json(&lab), *same = graded_by_json(&lab),
           *another = graded_by_json(&other);
    cr_expect(json_equal(one, same));
    const json_t *compiler = json_object_get(one, "compiler");
    cr_expect(strstr(json_string_value(compiler), "cuda_"), "%s", json_string_value(compiler));
    cr_expect(json_equal(compiler, json_object_get(another, "compiler")));
    cr_expect(json_equal(json_object_get(one, "grader_sha256"),
                         json_object_get(another, "grader_sha256")));
    cr_expect_not(
        json_equal(json_object_get(one, "lab_sha256"), json_object_get(another, "lab_sha256")));
    strcpy(lab.solution, other.solution); /* change one of the lab's files */
    json_t *changed = graded_by_json(&lab);
    cr_expect_not(
        json_equal(json_object_get(one, "lab_sha256"), json_object_get(changed, "lab_sha256")));
    json_decref(one);
    json_decref(same);
    json_decref(another);
    json_decref(changed);
    labs_close(&lab);
    labs_close(&other);
}

#ifdef LANEWISE_PRELOAD
#define HOW_BUILT "SANITIZE=1 "
#else
#define HOW_BUILT ""
#endif
#define MAKE_HASH                                                                                  \
    "env -u MAKEFLAGS -u MAKELEVEL make -s -C other " HOW_BUILT LANEWISE_BUILD "/sources/grader "  \
    "$(for tool in lanewise lib/lanewise-device lib/libcudart.so.13 lib/remote/libcudart.so.13; "  \
    "do echo -o " LANEWISE_BUILD "/$tool; done) && cat other/" LANEWISE_BUILD "/sources/grader"

/* One file of each type, and of each folder, on which a grade depends. */
static const char *const sources[] = {"Makefile",
                                      "grader/checks/rules.mk",
                                      "grader/grade/grade.c",
                                      "grader/judge/score.c",
                                      "grader/record/record.h",
                                      "grader/sandbox/process.c",
                                      "grader/gpu/execute/alu.def",
                                      "grader/gpu/cudart/libcudart.so.13.map",
                                      "grader/gpu/cudart/cuda12/names",
                                      "grader/report/report.css"};

/* A copy in another folder has the same hash, although its tools contain the folder's name. A
 * change of any source changes the hash. */
Test(verify, a_copy_of_the_kit_is_the_same_grader)
{
    free(shell_must("mkdir -p other/" LANEWISE_BUILD " && here=$PWD/other && cd " LANEWISE_ROOT
                    " && "
                    "cp -r Makefile grader labs solutions handouts shared $here && "
                    "sed \"s|^CONFIG_ROOT := .*|CONFIG_ROOT := $here|\" build/config.mk "
                    ">$here/build/config.mk"));
    char *own = shell_must("cat " LANEWISE_ROOT "/" LANEWISE_BUILD "/sources/grader"),
         *copy = shell_must(MAKE_HASH);
    cr_expect_str_eq(own, copy);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i) {
        free(shell_must("echo >>other/%s", sources[i]));
        char *changed = shell_must(MAKE_HASH);
        cr_expect(strcmp(copy, changed) != 0, "%s", sources[i]);
        free(copy);
        copy = changed;
    }
    free(copy);
    free(own);
}
