/* From a source file to a result. */
#include "grade/grade.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "compile/column.h"
#include "grade/graded_by.h"
#include "grade/job.h"
#include "judge/score.h"
#include "record/lines.h"
#include "record/record.h"
#include "sandbox/process.h"
#include "similar/program.h"

#define RUNNER_SECONDS 600 /* far more than all checks may take: each of them has its own limit */
#define MAX_FINDINGS   50
#define ROOM_BYTES     (64u << 20) /* more than the compiler and all runs of a grading write */

/* One grading under way. */
struct grade {
    const struct grading *grading;
    char folder[PATH_SIZE];         /* private */
    struct compile_build builds[2]; /* by enum grading_device */
    struct grade_job job;
    json_t *result;
    json_t *lines, *accesses; /* over all checks: record/lines.h */
    enum grade_end end;
    char *error;
    size_t error_size;
};

static bool stop(struct grade *grade, enum grade_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes why there is no grade; always returns false. */
static bool stop(struct grade *grade, enum grade_end end, const char *format, ...)
{
    va_list arguments;
    grade->end = end;
    va_start(arguments, format);
    vsnprintf(grade->error, grade->error_size, format, arguments);
    va_end(arguments);
    return false;
}

/* --- building --------------------------------------------------------------------------------- */

static const json_t *declared_checks(const struct grade *grade)
{
    return json_object_get(grade->grading->lab->declared, "checks");
}

/* True if some check of this grading is declared as WHERE. */
static bool has_checks(const struct grade *grade, const char *where)
{
    size_t i;
    json_t *check;
    json_array_foreach(declared_checks(grade), i, check)
    {
        const char *place = json_string_value(json_object_get(check, "where"));
        if (lab_has_check(check, grade->grading->device) && place && strcmp(place, where) == 0)
            return true;
    }
    return false;
}

/* Makes a folder called NAME in the grading's own. False: there will be no grade. */
static bool make_folder(struct grade *grade, const char *name, char path[PATH_SIZE])
{
    if (base_path(path, "%s/%s", grade->folder, name) && base_make_folder(path))
        return true;
    return stop(grade, GRADE_IMPOSSIBLE, "cannot make a folder in %s: %s", grade->folder,
                strerror(errno));
}

/* Builds SOURCE for DEVICE in a folder of its own. False: there will be no grade. */
static bool build_one(struct grade *grade, const struct text *source, const char *shown,
                      enum grading_device device, const char *folder, struct compile_build *build)
{
    struct compile_job job = {.source = source,
                              .file_name = grade->grading->lab->file,
                              .shown = shown,
                              .device = device,
                              .gpu_arch = grade->grading->gpu_arch,
                              .level = grade->job.level,
                              .folder = folder};
    compile_build(&job, build);
    if (build->end == COMPILE_INTERRUPTED)
        return stop(grade, GRADE_INTERRUPTED, "interrupted");
    if (build->end == COMPILE_BROKEN)
        return stop(grade, GRADE_IMPOSSIBLE, "%s", build->messages);
    return true;
}

static bool build_submission(struct grade *grade, enum grading_device device)
{
    const struct submission *submission = grade->grading->submission;
    struct compile_build *build = &grade->builds[device];
    char folder[PATH_SIZE];
    if (!make_folder(grade, grading_device_name(device), folder) ||
        !build_one(grade, &submission->source, submission->shown, device, folder, build))
        return false;
    if (build->end == COMPILE_DONE)
        strcpy(grade->job.programs[device], build->program);
    return true;
}

/* Builds the lab's own solution, which a GPU's times are compared with. */
static bool build_solution(struct grade *grade)
{
    const struct lab *lab = grade->grading->lab;
    struct text source;
    struct compile_build build = {0};
    char folder[PATH_SIZE], why[100];
    if (!base_read_file(lab->solution, 1 << 20, &source, why, sizeof why))
        return stop(grade, GRADE_IMPOSSIBLE, "the solution %s %s", lab->solution, why);
    bool built = make_folder(grade, "solution", folder) &&
                 build_one(grade, &source, lab->solution, grade->grading->device, folder, &build);
    if (built && build.end == COMPILE_DONE)
        strcpy(grade->job.solution, build.program);
    else if (grade->end == GRADE_DONE)
        built = stop(grade, GRADER_FAILED, "the solution %s does not build", lab->solution);
    free(source.bytes);
    compile_build_free(&build);
    return built;
}

static bool build_all(struct grade *grade)
{
    enum grading_device device = grade->grading->device;
    if (!build_submission(grade, device))
        return false;
    if (grade->builds[device].end != COMPILE_DONE)
        return true;
    if (device == ON_GPU && has_checks(grade, "counts") && !build_submission(grade, ON_EMULATOR))
        return false;
    return device == ON_EMULATOR || !has_checks(grade, "gpu-only") || build_solution(grade);
}

/* --- the checks ------------------------------------------------------------------------------- */

static bool write_job(struct grade *grade, char path[PATH_SIZE])
{
    struct grade_job *job = &grade->job;
    job->device = grade->grading->device;
    job->seed = grade->grading->seed;
    job->pictures = grade->grading->pictures;
    job->terms = grade->grading->lab->terms;
    snprintf(job->file_name, sizeof job->file_name, "%s", grade->grading->lab->file);
    if (!make_folder(grade, "checks", job->folder))
        return false;
    if (base_path(path, "%s/job.json", grade->folder) && grade_job_write(job, path))
        return true;
    return stop(grade, GRADE_IMPOSSIBLE, "cannot write into %s: %s", grade->folder,
                strerror(errno));
}

/* Runs the lab's checks runner. A fixed environment: nothing of the user's steers Criterion. */
static bool run_checks(struct grade *grade)
{
    char job[PATH_SIZE], job_variable[PATH_SIZE + 32], visible[256], libraries[4096];
    if (!write_job(grade, job))
        return false;
    snprintf(job_variable, sizeof job_variable, "%s=%s", GRADE_JOB_VARIABLE, job);
    const char *environment[6] = {job_variable, "PATH=/usr/bin:/bin", "LC_ALL=C"};
    size_t count = 3;
    const char *value = getenv("CUDA_VISIBLE_DEVICES");
    if (value && snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", value) < 256)
        environment[count++] = visible;
    value = getenv("LD_LIBRARY_PATH");
    if (value && snprintf(libraries, sizeof libraries, "LD_LIBRARY_PATH=%s", value) < 4096)
        environment[count++] = libraries;
    const char *words[] = {grade->grading->lab->runner, NULL};
    struct process_command command = {.argv = words,
                                      .environment = environment,
                                      .folder = grade->job.folder,
                                      .wall_seconds = RUNNER_SECONDS,
                                      .output_keep = 4096,
                                      .output_limit = 16 << 20,
                                      .stay_in_group = true};
    struct process_outcome outcome;
    process_run(&command, &outcome);
    bool good = outcome.end == PROCESS_EXITED && outcome.code == 0;
    if (outcome.end == PROCESS_INTERRUPTED)
        stop(grade, GRADE_INTERRUPTED, "interrupted");
    else if (!good)
        stop(grade, GRADER_FAILED, "the checks runner failed: %s", outcome.output);
    process_outcome_free(&outcome);
    return good;
}

/* The verdict of one declared check, as its runner wrote it. NULL: there will be no grade. */
static json_t *read_verdict(struct grade *grade, const json_t *declared)
{
    const char *name = json_string_value(json_object_get(declared, "name"));
    const char *id = json_string_value(json_object_get(declared, "id"));
    char path[PATH_SIZE];
    json_t *verdict = NULL;
    if (base_path(path, "%s/%s.json", grade->job.folder, name))
        verdict = json_load_file(path, 0, NULL);
    const char *broken = json_string_value(json_object_get(verdict, "broken"));
    const char *reported = json_string_value(json_object_get(verdict, "id"));
    if (!broken || !reported || strcmp(reported, id) != 0)
        stop(grade, GRADER_FAILED, "check %s left no verdict", id);
    else if (broken[0])
        stop(grade, GRADER_FAILED, "check %s: %s", id, broken);
    else
        return verdict;
    json_decref(verdict);
    return NULL;
}

/* --- the result ------------------------------------------------------------------------------- */

/* A copy of TEXT that is fit to be shown. */
static json_t *clean_string(const char *text, size_t most)
{
    char *copy = strndup(text, most);
    base_clean_text(copy, strlen(copy));
    json_t *string = json_string(copy);
    free(copy);
    return string;
}

static const char *const of_related[] = {"message", NULL};
static const char *const of_place[] = {"cause", "spare", NULL}, *const of_loss[] = {"cause", "help",
                                                                                    "unit", "spare",
                                                                                    NULL};

/* Copies FROM's strings called NAMES that are not empty. */
static void copy_texts(json_t *into, const json_t *from, const char *const *names)
{
    for (; *names; ++names) {
        const char *text = json_string_value(json_object_get(from, *names));
        if (text && *text)
            json_object_set_new(into, *names, clean_string(text, 600));
    }
}

/* The line of SOURCE where KERNEL, such as "void sum<int>(int*)", is launched; 0 if that is not one line. */
static json_int_t find_launch(const char *source, const char *kernel)
{
    char launch[200];
    size_t length = strcspn(kernel, "<("), begin = length;
    while (begin > 0 && kernel[begin - 1] != ' ' && kernel[begin - 1] != ':')
        --begin;
    const char *rest = kernel[length] == '<' ? "<" : "<<<"; /* a template's arguments come first */
    snprintf(launch, sizeof launch, "%.*s%s", (int)(length - begin), kernel + begin, rest);
    const char *hit = length > begin ? strstr(source, launch) : NULL;
    if (!hit || strstr(hit + 1, launch))
        return 0;
    json_int_t line = 1;
    for (const char *at = source; at < hit; ++at)
        line += *at == '\n';
    return line;
}

/* Where a verdict points, with the line itself, so that every report can show it. */
static json_t *describe_place(const struct grade *grade, const json_t *verdict)
{
    const struct submission *submission = grade->grading->submission;
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
    return place;
}

static double rounded(double seconds)
{
    return (double)(long long)(seconds * 1000 + 0.5) / 1000;
}

/* One element of the result's checks[]. */
static json_t *describe_check(const struct grade *grade, const json_t *declared,
                              const json_t *verdict)
{
    bool counts = json_is_true(json_object_get(declared, "counts"));
    enum grading_device device = counts ? ON_EMULATOR : grade->grading->device;
    json_t *check = json_object();
    static const char *const taken[] = {"id",      "title",    "points",  "max_points",
                                        "status",  "case",     "message", "hint",
                                        "seconds", "counters", "figure",  "note"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; ++i)
        json_object_set(check, taken[i], json_object_get(verdict, taken[i]));
    json_object_set_new(check, "seconds", json_real(rounded(json_number_of(verdict, "seconds"))));
    json_object_set_new(check, "place", describe_place(grade, verdict));
    json_object_set_new(check, "device", json_string(grading_device_name(device)));
    return check;
}

/* The verdict on a check of a submission that could not be built. */
static json_t *verdict_of_unbuilt(const json_t *declared)
{
    return json_pack("{s:O, s:O, s:f, s:O, s:s, s:s, s:s, s:s, s:f, s:{}, s:n, s:s}", "id",
                     json_object_get(declared, "id"), "title", json_object_get(declared, "title"),
                     "points", 0.0, "max_points", json_object_get(declared, "max_points"), "status",
                     "not-built", "case", "", "message", "the program could not be built", "hint",
                     "", "seconds", 0.0, "counters", "figure", "note", "");
}

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

/* FILE as messages call it: the submission, or another file by its name alone. */
static json_t *shown_file(const struct grade *grade, const char *file)
{
    const struct grading *grading = grade->grading;
    bool own = strcmp(base_name(file), grading->lab->file) == 0;
    return clean_string(own ? grading->submission->shown : base_name(file), 4096);
}

/* The other places that FOUND is about; NULL: there are none. */
static json_t *describe_related(const struct grade *grade, const json_t *found)
{
    const json_t *places = json_object_get(found, "related"), *place;
    json_t *related = json_array_size(places) > 0 ? json_array() : NULL;
    for (size_t i = 0; (place = json_array_get(places, i)); ++i) {
        json_t *copy =
            json_pack("{s:o, s:I}", "file",
                      shown_file(grade, json_string_value(json_object_get(place, "file"))), "line",
                      json_integer_of(place, "line"));
        copy_texts(copy, place, of_related);
        json_array_append_new(related, copy);
    }
    return related;
}

/* What only losses have. Those of several runs stay apart: what one cost says nothing of another. */
static void copy_loss(json_t *finding, const json_t *found)
{
    static const char *const numbers[] = {"cost", "ideal", "share"};
    copy_texts(finding, found, of_loss);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (json_is_number(json_object_get(found, numbers[i])))
            json_object_set(finding, numbers[i], json_object_get(found, numbers[i]));
}

/* The line itself, and its column, where it is the submission's: whoever shows the finding may not have the file. */
static void copy_source(const struct grade *grade, json_t *finding)
{
    const struct submission *submission = grade->grading->submission;
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

/* Adds a finding to the result's, or its count to the same one that is there. */
static void add_finding(const struct grade *grade, json_t *findings, const json_t *found)
{
    const char *id = "", *severity = "error", *file = "", *message = "";
    json_int_t line = 0, column = 0, count = 1;
    json_unpack((json_t *)found, "{s?s, s?s, s?s, s?I, s?I, s?s, s?I}", "id", &id, "severity",
                &severity, "file", &file, "line", &line, "column", &column, "message", &message,
                "count", &count);
    json_t *finding =
        json_pack("{s:o, s:o, s:o, s:I, s:I, s:o, s:I, s:o*}", "id", clean_string(id, 64),
                  "severity", clean_string(severity, 16), "file", shown_file(grade, file), "line",
                  line, "column", column, "message", clean_string(message, 600), "count", count,
                  "related", describe_related(grade, found));
    copy_loss(finding, found);
    copy_source(grade, finding);
    size_t i;
    json_t *other;
    json_array_foreach(findings, i, other)
    {
        if (!same_finding(finding, other))
            continue;
        count += json_integer_of(other, "count");
        json_object_set_new(other, "count", json_integer(count));
        json_decref(finding);
        return;
    }
    if (json_array_size(findings) < MAX_FINDINGS)
        json_array_append_new(findings, finding);
    else
        json_decref(finding);
}

/* Fills checks, findings and returns false if a verdict is missing: then there is no grade. */
static bool collect(struct grade *grade, bool built, json_t *checks, json_t *findings)
{
    size_t i, j;
    json_t *declared, *finding;
    json_array_foreach(declared_checks(grade), i, declared)
    {
        if (!lab_has_check(declared, grade->grading->device))
            continue;
        json_t *verdict = built ? read_verdict(grade, declared) : verdict_of_unbuilt(declared);
        if (!verdict)
            return false;
        json_array_append_new(checks, describe_check(grade, declared, verdict));
        json_array_foreach(json_object_get(verdict, "findings"), j, finding)
            add_finding(grade, findings, finding);
        record_add_lines(grade->lines, json_object_get(verdict, "lines"), NULL);
        record_add_accesses(grade->accesses, json_object_get(verdict, "accesses"), NULL);
        json_decref(verdict);
    }
    return true;
}

static double sum_of(const json_t *checks, const char *key)
{
    double sum = 0;
    size_t i;
    json_t *check;
    json_array_foreach(checks, i, check) sum += json_number_of(check, key);
    return (double)(long long)(sum * 10 + 0.5) / 10; /* points are tenths */
}

static json_t *describe_build(const struct grade *grade)
{
    static const char *const names[] = {"built", "rejected", "too-long"};
    const struct compile_build *build = &grade->builds[grade->grading->device];
    const char *status = grade->grading->submission->unfit ? "unfit" : names[build->end];
    return json_pack("{s:s, s:f, s:b, s:s}", "status", status, "seconds", rounded(build->seconds),
                     "cached", build->cached, "messages", build->messages ? build->messages : "");
}

static void compose(struct grade *grade, bool built, json_t *checks, json_t *findings,
                    double seconds)
{
    const struct grading *grading = grade->grading;
    char hash[HASH_SIZE];
    double score = sum_of(checks, "points"), max_score = sum_of(checks, "max_points");
    base_text_hash(&grading->submission->source, hash);
    const char *status = !built                            ? "not-built"
                         : judge_is_full(score, max_score) ? "passed"
                                                           : "not-yet";
    grade->result = json_pack(
        "{s:s, s:s, s:O, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s, s:f, s:f, s:f, s:o, s:O, s:O, s:o, s:n}",
        "schema", "lanewise/result/v1", "lab", grading->lab->name, "title",
        json_object_get(grading->lab->declared, "title"), "submission", grading->submission->shown,
        "source_sha256", hash, "device", grading_device_name(grading->device), "device_name",
        grading->device == ON_GPU ? grading->gpu_name : "Lanewise emulator", "sandbox",
        sandbox_level_name(grade->job.level), "seed", (json_int_t)grading->seed, "version",
        LANEWISE_VERSION, "status", status, "score", score, "max_score", max_score, "seconds",
        rounded(seconds), "build", describe_build(grade), "checks", checks, "findings", findings,
        "graded_by", graded_by_json(grading->lab), "seal");
}

/* Adds what is not in every result, and what the student's lines did. The file is theirs, whatever the folder that it was compiled in. */
static void compose_lines(struct grade *grade)
{
    size_t i;
    json_t *access;
    json_array_foreach(grade->accesses, i, access)
        json_object_set_new(access, "file", json_string(grade->grading->submission->shown));
    json_object_set(grade->result, "lines", grade->lines);
    if (grade->grading->lab->terms)
        json_object_set(grade->result, "terms", grade->grading->lab->terms);
    if (grade->grading->pictures)
        json_object_set(grade->result, "accesses", grade->accesses);
}

/* Adds the print of its code. Code that has none, or too much, is just not compared. */
static void compose_print(struct grade *grade)
{
    struct fingerprint print = {0};
    if (fingerprint_add_program(grade->builds[grade->grading->device].program, &print))
        json_object_set_new(grade->result, "print", fingerprint_json(&print));
    fingerprint_free(&print);
}

/* False: there is no sandbox here, and it was not said that this does not matter. */
static bool choose_level(struct grade *grade)
{
    char why[400];
    grade->job.level = sandbox_best_level(why, sizeof why);
    if (grade->job.level > SANDBOX_NONE || grade->grading->unsafe)
        return true;
    return stop(grade, GRADE_IMPOSSIBLE, "there is no sandbox on this machine: %s", why);
}

/* Takes back a grade below full marks where the disk is so full that it may be to blame: to a compiler that
 * cannot write its program, or a program that cannot write its result, nothing of that is to be seen. */
static void check_room(struct grade *grade)
{
    const char *status = json_string_value(json_object_get(grade->result, "status"));
    if (!status || strcmp(status, "passed") == 0 || base_has_room(grade->folder, ROOM_BYTES))
        return;
    json_decref(grade->result);
    grade->result = NULL;
    stop(grade, GRADE_IMPOSSIBLE, "the disk is nearly full: gradings need %u MB in %s",
         ROOM_BYTES >> 20, getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
}

/* Builds, checks and composes, in the private folder. */
static void perform(struct grade *grade)
{
    double start = clock_seconds();
    json_t *checks = json_array(), *findings = json_array();
    grade->lines = json_array();
    grade->accesses = json_array();
    if (choose_level(grade) && build_all(grade)) {
        bool built = grade->builds[grade->grading->device].end == COMPILE_DONE;
        if ((!built || run_checks(grade)) && collect(grade, built, checks, findings))
            compose(grade, built, checks, findings, clock_seconds() - start);
        if (grade->result)
            compose_lines(grade);
        if (grade->result && built && grade->grading->print)
            compose_print(grade);
        check_room(grade);
    }
    if (grade->end == GRADE_DONE && !grade->result)
        stop(grade, GRADER_FAILED, "out of memory");
    json_decref(checks);
    json_decref(findings);
    json_decref(grade->lines);
    json_decref(grade->accesses);
}

enum grade_end grade_submission(const struct grading *grading, json_t **result, char *error,
                                size_t size)
{
    static struct grade grade; /* too large for a stack; one grading at a time */
    grade = (struct grade){.grading = grading, .error = error, .error_size = size};
    *result = NULL;
    error[0] = 0;
    if (!base_private_folder(grade.folder)) {
        stop(&grade, GRADE_IMPOSSIBLE, "cannot make a folder in %s: %s",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", strerror(errno));
        return grade.end;
    }
    perform(&grade);
    base_remove_tree(grade.folder);
    compile_build_free(&grade.builds[ON_EMULATOR]);
    compile_build_free(&grade.builds[ON_GPU]);
    *result = grade.result;
    return grade.end;
}

json_t *grade_unfit(const struct grading *grading, const char *why)
{
    static struct grade grade;
    json_t *checks = json_array(), *findings = json_array();
    grade = (struct grade){.grading = grading, .job.level = sandbox_best_level(NULL, 0)};
    struct compile_build *build = &grade.builds[grading->device];
    *build = (struct compile_build){.end = COMPILE_REJECTED, .messages = strdup(why)};
    grade.lines = json_array();
    if (collect(&grade, false, checks, findings))
        compose(&grade, false, checks, findings, 0);
    json_object_set(grade.result, "lines", grade.lines);
    json_decref(grade.lines);
    json_decref(checks);
    json_decref(findings);
    compile_build_free(build);
    return grade.result;
}
