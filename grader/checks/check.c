/* Performs one check: applies the course's terms, runs the check's body, and writes the verdict for
 * `lanewise grade`. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "checks/inputs.h"
#include "checks/internal.h"
#include "sandbox/sandbox.h"

/* REST begins with a space and a word. Returns the length of this word's plural ending, which is 2
 * for " passes of", 1 for " sectors" and 0 for " as". *LENGTH gets the length of the word without
 * the ending. */
static size_t plural_ending(const char *rest, size_t *length)
{
    size_t whole = *rest == ' ' ? 1 + strcspn(rest + 1, " ,;:") : 0;
    size_t ending = whole > 3 && rest[whole - 1] == 's' && strncmp(rest, " times as", 9) != 0;
    if (ending && whole > 5 && strncmp(rest + whole - 4, "sses", 4) == 0)
        ending = 2;
    *length = whole - ending;
    return ending;
}

void check_fill_in(char *text, size_t size, const char *template, double value)
{
    const char *hole = strstr(template, "%s");
    size_t word = 0, ending = hole && value == 1 ? plural_ending(hole + 2, &word) : 0;
    if (hole)
        snprintf(text, size, "%.*s%s%.*s%s", (int)(hole - template), template, check_number(value),
                 (int)word, hole + 2, hole + 2 + word + ending);
    else
        snprintf(text, size, "%s", template);
}

/* --- the report ------------------------------------------------------------------------------- */

void check_public_id(const struct check_info *info, char id[64])
{
    snprintf(id, 64, "%s", info->id);
    for (char *at = id; *at; ++at)
        if (*at == '_')
            *at = '-';
}

/* Reports the check's figure. If the figure does not earn full points, also reports which figure
 * would, and which figure earns no points. */
static void report_figure(struct check *check)
{
    const struct check_figure *figure = &check->info->figure;
    const struct judge_budget *budget = &check->budget;
    char got[200], want[100];
    check_fill_in(got, sizeof got, figure->text, check->verdict.value);
    check_fill_in(want, sizeof want, figure->want, judge_full(budget));
    if (check->verdict.share >= 1)
        snprintf(check->verdict.message, sizeof check->verdict.message, "%s", got);
    else
        snprintf(check->verdict.message, sizeof check->verdict.message,
                 "%s; you get points %s %s, full points for %s", got,
                 budget->solution < budget->naive ? "below" : "above", check_number(budget->naive),
                 want);
}

/* Makes the verdict of a check whose body has ended without a failure. */
static void settle(struct check *check)
{
    if (!check->info->figure.text)
        check->verdict.share = 1;
    else if (check->verdict.measured)
        report_figure(check);
    else {
        check_break(check, "nothing was measured"); /* checks.c has a mistake */
        return;
    }
    bool some = judge_points(check->verdict.share, check->points) > 0;
    check->verdict.status = check->verdict.share >= 1 ? "passed" : some ? "partial" : "failed";
}

static json_t *describe_figure(const struct check *check)
{
    const struct judge_budget *budget = &check->budget;
    if (!check->verdict.measured)
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "value", check->verdict.value, "full", judge_full(budget),
                     "naive", budget->naive);
}

static json_t *describe_also(const struct verdict *verdict)
{
    json_t *also = json_array();
    for (unsigned i = 0; i < verdict->also_count; ++i)
        json_array_append_new(also, json_integer(verdict->also[i]));
    return also;
}

/* The work to start a run, in warp instructions. */
#define RUN_START 5e5

/* Returns the work of all runs of the check. It is counted in instructions, not in seconds, so that
 * each computer tries the same programs. */
static double work_of(const struct check *check)
{
    return RUN_START * check->process_count + check->instructions;
}

static json_t *describe_verdict(const struct check *check, double seconds)
{
    char id[64];
    const struct verdict *verdict = &check->verdict;
    const char *hint = verdict->advised    ? verdict->hint
                       : verdict->own_hint ? verdict->own_hint
                                           : check->info->hint;
    bool full = check->verdict.share >= 1;
    check_public_id(check->info, id);
    return json_pack(
        "{s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:s, s:f, s:O, s:o, s:s, s:i, s:i, s:s, s:s, s:O, s:O, s:O, s:s, s:s, s:s, s:s, s:s, s:O?, s:O, s:O, s:b, s:o, s:f}",
        "id", id, "title", check->info->title, "points",
        judge_points(check->verdict.share, check->points), "max_points", check->points, "status",
        check->verdict.status ? check->verdict.status : "", "message", check->verdict.message,
        "case", check->verdict.failed_case, "hint", full || !hint ? "" : hint, "seconds", seconds,
        "counters", check->counters, "figure", describe_figure(check), "file", check->verdict.file,
        "line", (int)check->verdict.line, "column", (int)check->verdict.column, "cause",
        check->verdict.cause, "spare", check->verdict.spare, "findings", check->findings, "lines",
        check->lines, "accesses", check->accesses, "broken", check->verdict.broken, "note",
        check->verdict.note, "kernel", check->verdict.kernel, "loss_case", check->verdict.loss_case,
        "printed", full ? "" : check->verdict.printed, "found", check->cause, "shown", check->shown,
        "timelines", check->timelines, "guessed", check->verdict.guessed, "also",
        describe_also(&check->verdict), "work", work_of(check));
}

bool check_runs_on(const struct check_info *info, enum grading_device device)
{
    return !(info->where == CHECK_EMULATOR_ONLY && device == ON_GPU) &&
           !(info->where == CHECK_GPU_ONLY && device == ON_EMULATOR);
}

enum grading_device check_device(const struct check_info *info, enum grading_device graded)
{
    return info->where == CHECK_COUNTS ? ON_EMULATOR : graded;
}

/* Replaces the points and thresholds of checks.c with the course's changes (lab_set_terms). */
static void apply_terms(struct check *check)
{
    char id[64];
    double full;
    struct judge_budget *budget = &check->budget;
    check_public_id(check->info, id);
    json_t *terms = json_object_get(check->job.terms, id);
    json_unpack(terms, "{s?F, s?F, s?F}", "points", &check->points, "naive", &budget->naive,
                "slack", &budget->slack);
    if (json_unpack(terms, "{s:F}", "full", &full) == 0) {
        budget->solution = full; /* the course's figure for full points needs no slack */
        budget->slack = 1;
    }
}

/* Executes the check's body and makes the verdict. */
static void perform(struct check *check)
{
    apply_terms(check);
    check_random_start(check, "data", &check->random);
    check->info->body(check);
    if (check_is_open(check))
        settle(check);
    else
        check->verdict.share = 0;
}

static struct check new_check(const struct check_info *info)
{
    return (struct check){.info = info,
                          .points = info->points,
                          .budget = info->figure.budget,
                          .counters = json_object(),
                          .findings = json_array(),
                          .lines = json_array(),
                          .accesses = json_array(),
                          .shown = json_array(),
                          .timelines = json_array()};
}

static void free_check(struct check *check)
{
    check_free_runs(check);
    check_free_inputs(check);
    json_decref(check->counters);
    json_decref(check->findings);
    json_decref(check->cause);
    json_decref(check->lines);
    json_decref(check->accesses);
    json_decref(check->shown);
    json_decref(check->timelines);
}

static void write_document(const struct check *check, json_t *document)
{
    char path[PATH_SIZE];
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
    /* base_write_file() is atomic, so a verdict file is always complete */
    cr_assert(text && base_path(path, "%s/%s.json", check->job.folder, check->info->id) &&
                  base_write_file(path, text, strlen(text), 0600),
              "cannot write the verdict of %s", check->info->id);
    free(text);
    json_decref(document);
}

/* Returns whether the check gives any points to the program PROGRAM-n with number n = NUMBER.
 * UNWATCHED leaves out racecheck and initcheck. */
static bool passes(struct check *check, const struct check_info *info, const struct grade_job *job,
                   json_int_t number, bool unwatched)
{
    *check = new_check(info);
    check->job = *job;
    check->unwatched = unwatched;
    cr_assert(base_path(check->job.programs[ON_EMULATOR], "%s-%lld", job->programs[ON_EMULATOR],
                        (long long)number));
    perform(check);
    bool passed = check->verdict.share > 0 && !check->verdict.broken[0];
    free_check(check);
    return passed;
}

/* Runs the check with JOB's edited programs, at least one, until it passes or the work reaches
 * JOB's limit. */
static void try_programs(struct check *check, const struct check_info *info,
                         const struct grade_job *job)
{
    json_int_t passed = -1;
    size_t count = json_array_size(job->tries);
    double work = 0;
    /* racecheck and initcheck make runs slow, and are only needed if nothing else shows the
     * mistake */
    bool unwatched = info->watched && count > 1 && !passes(check, info, job, GRADE_NO_EDIT, true);
    for (size_t i = 0; passed < 0 && i < count && (i == 0 || work < job->work); ++i) {
        json_int_t number = json_integer_value(json_array_get(job->tries, i));
        passed = passes(check, info, job, number, unwatched) ? number : -1;
        work += work_of(check);
    }
    check->job = *job;
    check->info = info;
    write_document(check, json_pack("{s:I, s:f}", "passed", passed, "work", work));
}

void check_perform(const struct check_info *info)
{
    /* static because they are too large for a stack; each process performs one check */
    static struct check check;
    static struct grade_job job;
    double start = clock_seconds();
    json_t *id = json_string(info->id);
    cr_assert(grade_job_read(&job), "checks are started by `lanewise grade`, with a job");
    sandbox_set_bubblewrap(job.bubblewrap);
    if (job.only && json_array_has(job.only, id))
        try_programs(&check, info, &job);
    else if (!job.only && check_runs_on(info, job.device)) {
        check = new_check(info);
        check.job = job;
        perform(&check);
        write_document(&check, describe_verdict(&check, clock_seconds() - start));
        free_check(&check);
    }
    json_decref(id);
    json_decref(job.terms);
    json_decref(job.source);
    json_decref(job.only);
    json_decref(job.tries);
}
