/* Tests the results of lanewise grade: seeds, the schema, and the results of several labs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "grade/grade.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

/* test_grade.c has the suite's set-up. */

#define LOOP  "for (int i = me; i < n; i += all)"
#define GRADE "$LANEWISE grade --device emulator --json out.json "

/* Removes the times from a result, recursively. */
static void remove_times(json_t *json)
{
    const char *key;
    void *next;
    json_t *value;
    size_t i;
    json_object_del(json, "seconds");
    json_object_del(json, "cached");
    json_object_foreach_safe(json, next, key, value) remove_times(value);
    json_array_foreach(json, i, value) remove_times(value);
}

static json_t *load_result(void)
{
    char *text = shell_file("out.json", NULL);
    json_t *result = json_loads(text, 0, NULL);
    cr_assert(result, "%s", text);
    free(text);
    return result;
}

/* A course with some of the labs. The golden files show the scores of the skeletons and solutions
 * of these labs. */
#define SOME_LABS "printf 'labs: {2: , 14: }\n' >course; "

Test(grade, the_same_seed_gives_the_same_results)
{
    json_t *results[2];
    char *outputs[2];
    for (int i = 0; i < 2; ++i) {
        int code;
        outputs[i] =
            submission_normalise(shell(&code, SOME_LABS GRADE "--course course --seed 77"));
        cr_assert_eq(code, 1, "%s", outputs[i]);
        results[i] = load_result();
        remove_times(results[i]);
    }
    cr_expect_str_eq(outputs[0], outputs[1]);
    cr_expect(json_equal(results[0], results[1]));
    for (int i = 0; i < 2; ++i) {
        json_decref(results[i]);
        free(outputs[i]);
    }
}

Test(grade, another_seed_gives_another_input)
{
    static const struct edit edits[SUBMISSION_EDITS] = {
        {LOOP, "for (int i = me + 1; i < n; i += all)"}};
    char *messages[2];
    submission_write("02-coalesce", edits, "coalesce.cu");
    for (int i = 0; i < 2; ++i) {
        int code;
        free(shell(&code, GRADE "--lab 02-coalesce --submission . --seed %d", i));
        json_t *result = load_result();
        json_t *check = json_array_get(json_object_get(result, "checks"), 0);
        messages[i] = strdup(json_string_value(json_object_get(check, "message")));
        json_decref(result);
    }
    cr_expect_str_neq(messages[0], messages[1]);
    free(messages[0]);
    free(messages[1]);
}

Test(grade, a_random_seed_is_reported_and_can_be_replayed)
{
    int code;
    long long seeds[2];
    for (int i = 0; i < 2; ++i) {
        char *output = shell(&code, GRADE "--lab 02-coalesce");
        json_t *result = load_result();
        char line[100];
        seeds[i] = json_integer_value(json_object_get(result, "seed"));
        snprintf(line, sizeof line, "seed %lld\n", seeds[i]);
        cr_expect(strstr(output, line), "%s", output);
        json_decref(result);
        free(output);
    }
    cr_expect_neq(seeds[0], seeds[1]);
}

/* The keys of a lanewise/result/v1 document and the types of their values, as
 * RESULTS.md describes them. */
static const struct {
    const char *key;
    json_type type;
} result_keys[] = {{"schema", JSON_STRING},        {"lab", JSON_STRING},
                   {"title", JSON_STRING},         {"submission", JSON_STRING},
                   {"source_sha256", JSON_STRING}, {"device", JSON_STRING},
                   {"device_name", JSON_STRING},   {"seed", JSON_INTEGER},
                   {"version", JSON_STRING},       {"status", JSON_STRING},
                   {"score", JSON_REAL},           {"max_score", JSON_REAL},
                   {"seconds", JSON_REAL},         {"build", JSON_OBJECT},
                   {"checks", JSON_ARRAY},         {"findings", JSON_ARRAY},
                   {"graded_by", JSON_OBJECT},     {"seal", JSON_NULL}},
  check_keys[] = {{"id", JSON_STRING},       {"title", JSON_STRING},  {"points", JSON_REAL},
                  {"max_points", JSON_REAL}, {"status", JSON_STRING}, {"case", JSON_STRING},
                  {"message", JSON_STRING},  {"hint", JSON_STRING},   {"seconds", JSON_REAL},
                  {"counters", JSON_OBJECT}, {"device", JSON_STRING}},
  finding_keys[] = {{"id", JSON_STRING},    {"severity", JSON_STRING}, {"file", JSON_STRING},
                    {"line", JSON_INTEGER}, {"column", JSON_INTEGER},  {"message", JSON_STRING},
                    {"count", JSON_INTEGER}};

#define EXPECT_KEYS(object, keys)                                                                  \
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {                                      \
        json_t *value = json_object_get(object, keys[k].key);                                      \
        cr_expect(value &&json_typeof(value) == keys[k].type, "%s.%s", #object, keys[k].key);      \
    }

static void expect_schema(const json_t *result)
{
    size_t i;
    json_t *check, *finding;
    EXPECT_KEYS(result, result_keys);
    cr_expect_str_eq(json_string_value(json_object_get(result, "schema")), "lanewise/result/v1");
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        EXPECT_KEYS(check, check_keys);
    }
    cr_expect_gt(i, 0);
    json_array_foreach(json_object_get(result, "findings"), i, finding)
    {
        EXPECT_KEYS(finding, finding_keys);
    }
}

Test(grade, results_have_their_schema)
{
    static const struct edit beyond[SUBMISSION_EDITS] = {
        {LOOP, "for (int i = me; i <= n; i += all)"}};
    static const struct edit broken[SUBMISSION_EDITS] = {{LOOP, "for (;"}};
    static const char sha256[] = "LC_ALL=C sha256sum a.cu | cut -d' ' -f1 | tr -d '\\n'";
    const struct edit *edits[] = {beyond, broken};
    const char *statuses[] = {"not-yet", "not-built"};
    for (int i = 0; i < 2; ++i) {
        int code;
        json_t *result;
        submission_write("02-coalesce", edits[i], "a.cu");
        free(submission_grade("02-coalesce", "a.cu", &code, &result));
        expect_schema(result);
        cr_expect_str_eq(json_string_value(json_object_get(result, "status")), statuses[i]);
        cr_expect_eq(json_array_size(json_object_get(result, "findings")), i == 0 ? 1 : 0);
        char *hash = shell_must("%s", sha256);
        cr_expect_str_eq(json_string_value(json_object_get(result, "source_sha256")), hash);
        free(hash);
        json_decref(result);
    }
}

Test(grade, several_labs_make_one_set_of_results)
{
    int code;
    size_t i;
    json_t *result;
    free(shell(&code, SOME_LABS GRADE "--course course --submission %s/solutions", LANEWISE_ROOT));
    cr_expect_eq(code, 0);
    json_t *set = load_result();
    cr_expect_str_eq(json_string_value(json_object_get(set, "schema")), "lanewise/results/v1");
    cr_expect_str_eq(json_string_value(json_object_get(set, "status")), "passed");
    json_array_foreach(json_object_get(set, "results"), i, result)
    {
        expect_schema(result);
    }
    cr_expect_eq(i, 2);
    cr_expect_eq(json_number_value(json_object_get(set, "score")), 100.0 * (double)i);
    cr_expect_eq(json_number_value(json_object_get(set, "max_score")), 100.0 * (double)i);
    json_decref(set);
}
