/* Makes the result document from the verdicts of all checks. Cleans text that comes from the
 * submission for display. */
#include "grade/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "compile/column.h"
#include "grade/finding.h"
#include "grade/graded_by.h"
#include "judge/score.h"
#include "record/lines.h"
#include "record/record.h"
#include "similar/program.h"

/* --- checks ----------------------------------------------------------------------------------- */

/* Returns the number of the line of SOURCE that launches KERNEL, such as "void sum<int>(int*)".
 * Returns 0 if no line launches it, or several lines do. */
static json_int_t find_launch(const char *source, const char *kernel)
{
    char launch[200];
    size_t length = strcspn(kernel, "<("), begin = length;
    while (begin > 0 && kernel[begin - 1] != ' ' && kernel[begin - 1] != ':')
        --begin;
    const char *rest = kernel[length] == '<' ? "<" : "<<<"; /* template arguments come before <<< */
    snprintf(launch, sizeof launch, "%.*s%s", (int)(length - begin), kernel + begin, rest);
    const char *hit = length > begin ? strstr(source, launch) : NULL;
    if (!hit || strstr(hit + 1, launch))
        return 0;
    json_int_t line = 1;
    for (const char *at = source; at < hit; ++at)
        line += *at == '\n';
    return line;
}

/* Returns the line of the submission that VERDICT names, as a JSON object. Includes the line's
 * text, so that reports can show it without the source. */
static json_t *describe_place(const struct grade_result *result, const json_t *verdict)
{
    static const char *const of_place[] = {"cause", "spare", NULL};
    const struct submission *submission = result->grading->submission;
    const char *kernel = json_string_value(json_object_get(verdict, "kernel"));
    json_int_t line = json_integer_of(verdict, "line");
    if (line == 0 && kernel && *kernel)
        line = find_launch(submission->source.bytes, kernel);
    unsigned column = (unsigned)json_integer_of(verdict, "column");
    const char *text;
    size_t length;
    if (line <= 0 || !base_source_line(submission->source.bytes, (unsigned)line, &text, &length))
        return json_null();
    char *clean = strndup(text, length);
    base_clean_text(clean, length);
    json_t *place =
        json_pack("{s:s, s:I, s:I, s:s}", "file", submission->shown, "line", line, "column",
                  (json_int_t)compile_true_column(text, length, column), "source", clean);
    free(clean);
    grade_copy_texts(place, verdict, of_place);
    grade_add_lines(result, place, json_object_get(verdict, "also"));
    if (*json_text_of(verdict, "loss_case"))
        json_object_set(place, "case", json_object_get(verdict, "loss_case"));
    return place;
}

static double rounded(double seconds)
{
    return (double)(long long)(seconds * 1000 + 0.5) / 1000;
}

/* Returns one element of the result's "checks". */
static json_t *describe_check(const struct grade_result *result, const json_t *declared,
                              const json_t *verdict)
{
    bool counts = json_is_true(json_object_get(declared, "counts"));
    enum grading_device device = counts ? ON_EMULATOR : result->grading->device;
    json_t *check = json_object();
    static const char *const taken[] = {"id",      "title",    "points",  "max_points",
                                        "status",  "case",     "message", "hint",
                                        "seconds", "counters", "figure",  "note"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; ++i)
        json_object_set(check, taken[i], json_object_get(verdict, taken[i]));
    if (*json_text_of(verdict, "printed"))
        json_object_set(check, "printed", json_object_get(verdict, "printed"));
    json_object_set_new(check, "seconds", json_real(rounded(json_number_of(verdict, "seconds"))));
    json_object_set_new(check, "place", describe_place(result, verdict));
    json_object_set_new(check, "device", json_string(grading_device_name(device)));
    return check;
}

json_t *grade_unbuilt_verdict(const json_t *declared, const char *messages)
{
    char message[4000] = "the program could not be built";
    const char *hint = "";
    if (messages) {
        size_t length = strlen(messages);
        while (length > 0 && messages[length - 1] == '\n')
            --length;
        snprintf(
            message, sizeof message,
            "the program was built for the GPU, but not for the emulator, which this check needs:\n%.*s",
            (int)length, messages);
        hint = "The emulator has compute capability 8.0. Put code that needs a newer GPU inside "
               "#if __CUDA_ARCH__ >= 900, and add another way for older GPUs.";
    }
    return json_pack("{s:O, s:O, s:f, s:O, s:s, s:s, s:s, s:s, s:f, s:{}, s:n, s:s}", "id",
                     json_object_get(declared, "id"), "title", json_object_get(declared, "title"),
                     "points", 0.0, "max_points", json_object_get(declared, "max_points"), "status",
                     "not-built", "case", "", "message", message, "hint", hint, "seconds", 0.0,
                     "counters", "figure", "note", "");
}

/* --- adding verdicts -------------------------------------------------------------------------- */

void grade_result_add(struct grade_result *result, const json_t *declared, const json_t *verdict)
{
    size_t i;
    json_t *finding, *check = describe_check(result, declared, verdict);
    json_array_append_new(result->checks, check);
    json_array_foreach(json_object_get(verdict, "findings"), i, finding)
        grade_add_finding(result, finding);
    json_array_append_new(result->hints, json_string(json_text_of(declared, "hint")));
    json_array_append_new(result->works, json_real(json_number_of(verdict, "work")));
    grade_add_cause(result, verdict, check);
    record_add_lines(result->lines, json_object_get(verdict, "lines"), NULL);
    record_add_accesses(result->accesses, json_object_get(verdict, "accesses"), NULL);
    json_array_extend(result->shown, json_object_get(verdict, "shown"));
    json_array_extend(result->timelines, json_object_get(verdict, "timelines"));
}

/* --- the document ----------------------------------------------------------------------------- */

static double sum_of(const json_t *checks, const char *key)
{
    double sum = 0;
    size_t i;
    json_t *check;
    json_array_foreach(checks, i, check) sum += json_number_of(check, key);
    return (double)(long long)(sum * 10 + 0.5) / 10; /* rounded to tenths of a point */
}

static json_t *describe_build(const struct grade_result *result)
{
    static const char *const names[] = {"built", "rejected", "too-long"};
    const struct compile_build *build = result->build;
    const char *status = result->grading->submission->unfit ? "unfit" : names[build->end];
    return json_pack("{s:s, s:f, s:b, s:s}", "status", status, "seconds", rounded(build->seconds),
                     "cached", build->cached, "messages", build->messages ? build->messages : "");
}

json_t *grade_result_compose(const struct grade_result *result, double seconds)
{
    const struct grading *grading = result->grading;
    char hash[HASH_SIZE];
    grade_add_hints(result);
    double score = sum_of(result->checks, "points");
    double max_score = sum_of(result->checks, "max_points");
    base_text_hash(&grading->submission->source, hash);
    const char *status = result->build->end != COMPILE_DONE ? "not-built"
                         : judge_is_full(score, max_score)  ? "passed"
                                                            : "not-yet";
    json_t *document = json_pack(
        "{s:s, s:s, s:O, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:s, s:f, s:f, s:f, s:o, s:O, s:O, s:O, s:o, s:n}",
        "schema", "lanewise/result/v1", "lab", grading->lab->name, "title",
        json_object_get(grading->lab->declared, "title"), "submission", grading->submission->shown,
        "source_sha256", hash, "device", grading_device_name(grading->device), "device_name",
        grading->device == ON_GPU ? grading->gpu_name : "Lanewise emulator", "sandbox",
        sandbox_level_name(result->level), "seed", (json_int_t)grading->seed.number, "secret",
        grading->seed.secret, "version", LANEWISE_VERSION, "status", status, "score", score,
        "max_score", max_score, "seconds", rounded(seconds), "build", describe_build(result),
        "causes", result->causes, "checks", result->checks, "findings", result->findings,
        "graded_by", graded_by_json(grading->lab), "seal");
    if (document)
        json_object_set(document, "lines", result->lines);
    return document;
}

/* Adds the built program's fingerprint. A program without PTX, or with too much PTX, has no
 * fingerprint and is not compared. */
static void add_fingerprint(const struct grade_result *result, json_t *document)
{
    struct fingerprint fingerprint = {0};
    if (fingerprint_add_program(result->build->program, &fingerprint))
        json_object_set_new(document, "print", fingerprint_json(&fingerprint));
    fingerprint_free(&fingerprint);
}

void grade_result_add_optional(const struct grade_result *result, json_t *document)
{
    size_t i;
    json_t *access;
    /* accesses name the path at which the file was compiled; replace this path */
    json_array_foreach(result->accesses, i, access)
        json_object_set_new(access, "file", json_string(result->grading->submission->shown));
    if (result->grading->lab->terms)
        json_object_set(document, "terms", result->grading->lab->terms);
    if (result->grading->pictures)
        json_object_set(document, "accesses", result->accesses);
    if (result->grading->pictures && json_array_size(result->shown) > 0)
        json_object_set(document, "shown", result->shown);
    if (result->grading->pictures && json_array_size(result->timelines) > 0)
        json_object_set(document, "timelines", result->timelines);
    if (result->grading->fingerprint && result->build->end == COMPILE_DONE)
        add_fingerprint(result, document);
}

void grade_result_begin(struct grade_result *result, const struct grading *grading,
                        enum sandbox_level level, const struct compile_build *build)
{
    *result = (struct grade_result){.grading = grading,
                                    .level = level,
                                    .build = build,
                                    .checks = json_array(),
                                    .causes = json_array(),
                                    .findings = json_array(),
                                    .lines = json_array(),
                                    .accesses = json_array(),
                                    .shown = json_array(),
                                    .timelines = json_array(),
                                    .hints = json_array(),
                                    .works = json_array()};
}

void grade_result_free(struct grade_result *result)
{
    json_decref(result->checks);
    json_decref(result->causes);
    json_decref(result->findings);
    json_decref(result->lines);
    json_decref(result->accesses);
    json_decref(result->shown);
    json_decref(result->timelines);
    json_decref(result->hints);
    json_decref(result->works);
}
