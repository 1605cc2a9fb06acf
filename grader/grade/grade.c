/* Performs one grading: builds the source, runs the lab's checks, composes the result. */
#include "grade/grade.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "grade/finding.h"
#include "grade/repair.h"
#include "grade/result.h"
#include "grade/runner.h"

#define ROOM_BYTES (64u << 20) /* disk space that the compiler and all runs need at most */

/* The state of one grading. */
struct grade {
    const struct grading *grading;
    char folder[PATH_SIZE];         /* the grading's private folder */
    struct compile_build builds[2]; /* the builds, by enum grading_device */
    struct grade_job job;
    json_t *result;
    enum grade_end end;
    char *error;
    size_t error_size;
};

static bool stop(struct grade *grade, enum grade_end end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Records why there is no grade. Always returns false. */
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

/* Returns true if this grading has a check whose declared "where" is WHERE. */
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

/* Makes the folder NAME inside the grading's folder. On failure, records why there is no grade, and
 * returns false. */
static bool make_folder(struct grade *grade, const char *name, char path[PATH_SIZE])
{
    if (base_path(path, "%s/%s", grade->folder, name) && base_make_folder(path))
        return true;
    return stop(grade, GRADE_IMPOSSIBLE, "cannot make a folder in %s: %s", grade->folder,
                strerror(errno));
}

/* Builds SOURCE for DEVICE in FOLDER. If the machine prevents the build, or an interrupt does,
 * records why there is no grade, and returns false. Mistakes in SOURCE are no failure of this
 * function. */
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

/* Builds the lab's solution. Checks on a GPU compare the submission's time with the solution's
 * time. */
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

static bool fill_job(struct grade *grade)
{
    struct grade_job *job = &grade->job;
    job->device = grade->grading->device;
    job->seed = grade->grading->seed;
    job->pictures = grade->grading->pictures;
    job->terms = grade->grading->lab->terms;
    snprintf(job->file_name, sizeof job->file_name, "%s", grade->grading->lab->file);
    job->source = json_string(grade->grading->submission->source.bytes);
    return make_folder(grade, "checks", job->folder);
}

static bool run_checks(struct grade *grade)
{
    char path[PATH_SIZE];
    struct process_outcome outcome;
    if (!fill_job(grade))
        return false;
    if (!base_path(path, "%s/job.json", grade->folder) ||
        !runner_run(grade->grading->lab, &grade->job, path, &outcome))
        return stop(grade, GRADE_IMPOSSIBLE, "cannot write to %s: %s", grade->folder,
                    strerror(errno));
    bool good = outcome.end == PROCESS_EXITED && outcome.code == 0;
    if (outcome.end == PROCESS_INTERRUPTED)
        stop(grade, GRADE_INTERRUPTED, "interrupted");
    else if (!good)
        stop(grade, GRADER_FAILED, "the checks runner failed: %s", outcome.output);
    process_outcome_free(&outcome);
    return good;
}

/* Reads the verdict that the checks runner wrote about one declared check. If it is missing or
 * malformed, records why there is no grade, and returns NULL. */
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
        stop(grade, GRADER_FAILED, "check %s produced no verdict", id);
    else if (broken[0])
        stop(grade, GRADER_FAILED, "check %s: %s", id, broken);
    else
        return verdict;
    json_decref(verdict);
    return NULL;
}

/* Returns the build on which to run the check that DECLARED describes. In a grading on a GPU,
 * checks of counters still run on the emulator. */
static const struct compile_build *build_of(const struct grade *grade, const json_t *declared)
{
    bool counts = json_is_true(json_object_get(declared, "counts"));
    return &grade->builds[counts ? ON_EMULATOR : grade->grading->device];
}

/* Adds the verdicts on all declared checks to RESULT. Returns false if a verdict is missing: then
 * there is no grade. */
static bool collect(struct grade *grade, struct grade_result *result)
{
    size_t i;
    json_t *declared;
    json_array_foreach(declared_checks(grade), i, declared)
    {
        if (!lab_has_check(declared, grade->grading->device))
            continue;
        const struct compile_build *build = build_of(grade, declared);
        bool whole = result->build->end == COMPILE_DONE,
             built = whole && build->end == COMPILE_DONE;
        json_t *verdict = built ? read_verdict(grade, declared)
                                : grade_unbuilt_verdict(declared, whole ? build->messages : NULL);
        if (!verdict)
            return false;
        grade_result_add(result, declared, verdict);
        json_decref(verdict);
    }
    return true;
}

/* Chooses the strictest sandbox level that this machine offers. Returns false if it offers none and
 * --unsafe was not given. */
static bool choose_level(struct grade *grade)
{
    char why[400];
    grade->job.level = sandbox_best_level(why, sizeof why);
    snprintf(grade->job.bubblewrap, sizeof grade->job.bubblewrap, "%s", sandbox_bubblewrap() ?: "");
    if (grade->job.level > SANDBOX_NONE || grade->grading->unsafe)
        return true;
    return stop(grade, GRADE_IMPOSSIBLE, "there is no sandbox on this machine: %s", why);
}

/* If the disk is nearly full, or the user's limit on file sizes is low, withdraws a grade below
 * full marks. The lost points may be this machine's fault, because a compiler or program may not
 * report that it failed to write. Also, the checks runner may have failed to write its verdicts. */
static void check_room(struct grade *grade)
{
    const char *status = json_string_value(json_object_get(grade->result, "status"));
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &limit);
    bool small = limit.rlim_cur < ROOM_BYTES;
    bool trouble = grade->end != GRADE_DONE || (status && strcmp(status, "passed") != 0);
    if (!trouble || (!small && base_has_room(grade->folder, ROOM_BYTES)))
        return;
    bool quota = errno == EDQUOT;
    json_decref(grade->result);
    grade->result = NULL;
    if (small)
        stop(grade, GRADE_IMPOSSIBLE,
             "the limit on file sizes is too low: set ulimit -f %u or more", ROOM_BYTES >> 10);
    else
        stop(grade, GRADE_IMPOSSIBLE, "%s: gradings need %u MB in %s",
             quota ? "your quota of disk space is nearly used up" : "the disk is nearly full",
             ROOM_BYTES >> 20, base_temporary_folder());
}

/* Builds the submission, runs the checks and composes the result. */
static void perform(struct grade *grade)
{
    double start = clock_seconds();
    if (choose_level(grade) && build_all(grade)) {
        const struct compile_build *build = &grade->builds[grade->grading->device];
        struct grade_result result;
        grade_result_begin(&result, grade->grading, grade->job.level, build);
        bool built = build->end == COMPILE_DONE;
        if ((!built || run_checks(grade)) && collect(grade, &result)) {
            grade_add_unset(&result);
            if (built && grade->grading->repairs)
                repair_find(&grade->job, grade->folder, &result);
            grade->result = grade_result_compose(&result, clock_seconds() - start);
        }
        if (grade->result)
            grade_result_add_optional(&result, grade->result);
        grade_result_free(&result);
    }
    check_room(grade);
    if (grade->end == GRADE_DONE && !grade->result)
        stop(grade, GRADER_FAILED, "out of memory");
}

enum grade_end grade_submission(const struct grading *grading, json_t **result, char *error,
                                size_t size)
{
    /* static, because it is too large for a stack, and a process runs one grading at a time */
    static struct grade grade;
    grade = (struct grade){.grading = grading, .error = error, .error_size = size};
    *result = NULL;
    error[0] = 0;
    if (!base_private_folder(grade.folder)) {
        stop(&grade, GRADE_IMPOSSIBLE, "cannot make a folder in %s: %s", base_temporary_folder(),
             strerror(errno));
        return grade.end;
    }
    perform(&grade);
    base_remove_tree(grade.folder);
    compile_build_free(&grade.builds[ON_EMULATOR]);
    compile_build_free(&grade.builds[ON_GPU]);
    json_decref(grade.job.source);
    *result = grade.result;
    return grade.end;
}

json_t *grade_unfit(const struct grading *grading, const char *why)
{
    static struct grade grade;
    struct grade_result result;
    struct compile_build build = {.end = COMPILE_REJECTED, .messages = strdup(why)};
    json_t *document = NULL;
    grade = (struct grade){.grading = grading};
    grade_result_begin(&result, grading, sandbox_best_level(NULL, 0), &build);
    if (collect(&grade, &result))
        document = grade_result_compose(&result, 0);
    grade_result_free(&result);
    compile_build_free(&build);
    return document;
}
