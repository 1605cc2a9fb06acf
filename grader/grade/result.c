/* Makes one document from the verdicts of all checks. Text that comes from the submission is
 * cleaned for display. */
#include "grade/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "compile/column.h"
#include "grade/graded_by.h"
#include "judge/score.h"
#include "record/lines.h"
#include "record/losses.h"
#include "record/record.h"
#include "similar/program.h"

#define MAX_FINDINGS 50

/* --- checks ----------------------------------------------------------------------------------- */

/* A copy of TEXT that is safe to show, of at most MOST bytes. */
static json_t *clean_string(const char *text, size_t most)
{
    char *copy = strndup(text, most);
    base_clean_text(copy, strlen(copy));
    json_t *string = json_string(copy);
    free(copy);
    return string;
}

/* Text members that are copied if they are not empty. */
static const char *const of_related[] = {"message", NULL};
static const char *const of_place[] = {"cause", "spare", NULL};
static const char *const of_finding[] = {"case", "cause", "help", "unit", "spare", NULL};

/* Copies the members NAMES of FROM, if they are non-empty strings. */
static void copy_texts(json_t *into, const json_t *from, const char *const *names)
{
    for (; *names; ++names) {
        const char *text = json_string_value(json_object_get(from, *names));
        if (text && *text)
            json_object_set_new(into, *names, clean_string(text, 600));
    }
}

/* The number of the line of SOURCE that launches KERNEL, such as "void sum<int>(int*)"; 0 unless
 * SOURCE has exactly one such launch. */
static json_int_t find_launch(const char *source, const char *kernel)
{
    char launch[200];
    size_t length = strcspn(kernel, "<("), begin = length;
    while (begin > 0 && kernel[begin - 1] != ' ' && kernel[begin - 1] != ':')
        --begin;
    const char *rest = kernel[length] == '<' ? "<" : "<<<"; /* template arguments precede <<< */
    snprintf(launch, sizeof launch, "%.*s%s", (int)(length - begin), kernel + begin, rest);
    const char *hit = length > begin ? strstr(source, launch) : NULL;
    if (!hit || strstr(hit + 1, launch))
        return 0;
    json_int_t line = 1;
    for (const char *at = source; at < hit; ++at)
        line += *at == '\n';
    return line;
}

/* The place that a verdict names, with the source line, so that reports need no source to show
 * it. */
static json_t *describe_place(const struct grade_result *result, const json_t *verdict)
{
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
    copy_texts(place, verdict, of_place);
    if (*json_text_of(verdict, "loss_case"))
        json_object_set(place, "case", json_object_get(verdict, "loss_case"));
    return place;
}

static double rounded(double seconds)
{
    return (double)(long long)(seconds * 1000 + 0.5) / 1000;
}

/* One element of the result's "checks". */
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
        hint = "The emulator has compute capability 8.0. Keep what needs a newer GPU inside "
               "#if __CUDA_ARCH__ >= 900, with another way for older GPUs.";
    }
    return json_pack("{s:O, s:O, s:f, s:O, s:s, s:s, s:s, s:s, s:f, s:{}, s:n, s:s}", "id",
                     json_object_get(declared, "id"), "title", json_object_get(declared, "title"),
                     "points", 0.0, "max_points", json_object_get(declared, "max_points"), "status",
                     "not-built", "case", "", "message", message, "hint", hint, "seconds", 0.0,
                     "counters", "figure", "note", "");
}

/* --- findings --------------------------------------------------------------------------------- */

static bool same_finding(const json_t *left, const json_t *right)
{
    static const char *const keys[] = {"id", "file", "line", "column"};
    const json_t *one = record_other_access(left), *other = record_other_access(right);
    if ((one || other) && !json_equal(one, other))
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const json_t *a = json_object_get(left, keys[i]), *b = json_object_get(right, keys[i]);
        if ((a || b) && !json_equal(a, b))
            return false;
    }
    return true;
}

/* FILE as messages show it: the submission's path, or the name of any other file. */
static json_t *shown_file(const struct grade_result *result, const char *file)
{
    const struct grading *grading = result->grading;
    bool own = strcmp(base_name(file), grading->lab->file) == 0;
    return clean_string(own ? grading->submission->shown : base_name(file), 4096);
}

/* The related places of FOUND; NULL: none. */
static json_t *describe_related(const struct grade_result *result, const json_t *found)
{
    const json_t *places = json_object_get(found, "related"), *place;
    json_t *related = json_array_size(places) > 0 ? json_array() : NULL;
    for (size_t i = 0; (place = json_array_get(places, i)); ++i) {
        json_t *copy =
            json_pack("{s:o, s:I}", "file",
                      shown_file(result, json_string_value(json_object_get(place, "file"))), "line",
                      json_integer_of(place, "line"));
        copy_texts(copy, place, of_related);
        json_array_append_new(related, copy);
    }
    return related;
}

/* Copies the run's name, and the members that only losses (findings about wasted work) have. They are
 * not added up over several runs, because each run has its own cost. The first run counts, unless
 * another wastes half as much again: the first ones have the simplest inputs. */
static void copy_loss(json_t *finding, const json_t *found)
{
    static const char *const numbers[] = {"cost", "ideal", "share"};
    copy_texts(finding, found, of_finding);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (json_is_number(json_object_get(found, numbers[i])))
            json_object_set(finding, numbers[i], json_object_get(found, numbers[i]));
}

/* Adds the source line and the true column if the finding is in the submission, since a report's
 * reader may not have the file. */
static void copy_source(const struct grade_result *result, json_t *finding)
{
    const struct submission *submission = result->grading->submission;
    const char *file = json_string_value(json_object_get(finding, "file")), *text;
    json_int_t line = json_integer_of(finding, "line");
    size_t length;
    if (file && strcmp(file, submission->shown) == 0 && line > 0 &&
        base_source_line(submission->source.bytes, (unsigned)line, &text, &length)) {
        unsigned column = (unsigned)json_integer_of(finding, "column");
        json_object_set_new(finding, "source", clean_string(text, length));
        json_object_set_new(finding, "column",
                            json_integer(compile_true_column(text, length, column)));
    }
}

/* Adds a finding, or adds its count to an equal one. */
static void add_finding(const struct grade_result *result, const json_t *found)
{
    const char *id = "", *severity = "error", *file = "", *message = "";
    json_int_t line = 0, column = 0, count = 1;
    json_unpack((json_t *)found, "{s?s, s?s, s?s, s?I, s?I, s?s, s?I}", "id", &id, "severity",
                &severity, "file", &file, "line", &line, "column", &column, "message", &message,
                "count", &count);
    json_t *finding =
        json_pack("{s:o, s:o, s:o, s:I, s:I, s:o, s:I, s:o*}", "id", clean_string(id, 64),
                  "severity", clean_string(severity, 16), "file", shown_file(result, file), "line",
                  line, "column", column, "message", clean_string(message, 600), "count", count,
                  "related", describe_related(result, found));
    copy_loss(finding, found);
    copy_source(result, finding);
    size_t i;
    json_t *other;
    json_array_foreach(result->findings, i, other)
    {
        if (!same_finding(finding, other))
            continue;
        count += json_integer_of(other, "count");
        if (record_is_loss(finding) &&
            2 * record_loss_waste(finding) > 3 * record_loss_waste(other))
            json_object_update(other, finding);
        json_object_set_new(other, "count", json_integer(count));
        json_decref(finding);
        return;
    }
    if (json_array_size(result->findings) < MAX_FINDINGS)
        json_array_append_new(result->findings, finding);
    else
        json_decref(finding);
}

void grade_result_add(struct grade_result *result, const json_t *declared, const json_t *verdict)
{
    size_t i;
    json_t *finding;
    json_array_append_new(result->checks, describe_check(result, declared, verdict));
    json_array_foreach(json_object_get(verdict, "findings"), i, finding)
        add_finding(result, finding);
    record_add_lines(result->lines, json_object_get(verdict, "lines"), NULL);
    record_add_accesses(result->accesses, json_object_get(verdict, "accesses"), NULL);
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
    double score = sum_of(result->checks, "points");
    double max_score = sum_of(result->checks, "max_points");
    base_text_hash(&grading->submission->source, hash);
    const char *status = result->build->end != COMPILE_DONE ? "not-built"
                         : judge_is_full(score, max_score)  ? "passed"
                                                            : "not-yet";
    json_t *document = json_pack(
        "{s:s, s:s, s:O, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:s, s:f, s:f, s:f, s:o, s:O, s:O, s:o, s:n}",
        "schema", "lanewise/result/v1", "lab", grading->lab->name, "title",
        json_object_get(grading->lab->declared, "title"), "submission", grading->submission->shown,
        "source_sha256", hash, "device", grading_device_name(grading->device), "device_name",
        grading->device == ON_GPU ? grading->gpu_name : "Lanewise emulator", "sandbox",
        sandbox_level_name(result->level), "seed", (json_int_t)grading->seed.number, "secret",
        grading->seed.secret, "version", LANEWISE_VERSION, "status", status, "score", score,
        "max_score", max_score, "seconds", rounded(seconds), "build", describe_build(result),
        "checks", result->checks, "findings", result->findings, "graded_by",
        graded_by_json(grading->lab), "seal");
    if (document)
        json_object_set(document, "lines", result->lines);
    return document;
}

/* Adds the built program's fingerprint. A program without PTX, or with too much of it, has no
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
    /* Accesses have the path at which the file was compiled: replace it. */
    json_array_foreach(result->accesses, i, access)
        json_object_set_new(access, "file", json_string(result->grading->submission->shown));
    if (result->grading->lab->terms)
        json_object_set(document, "terms", result->grading->lab->terms);
    if (result->grading->pictures)
        json_object_set(document, "accesses", result->accesses);
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
                                    .findings = json_array(),
                                    .lines = json_array(),
                                    .accesses = json_array()};
}

void grade_result_free(struct grade_result *result)
{
    json_decref(result->checks);
    json_decref(result->findings);
    json_decref(result->lines);
    json_decref(result->accesses);
}
