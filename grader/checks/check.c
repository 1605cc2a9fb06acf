/* One check: its verdict, what it may ask, and the report that it leaves for `lanewise grade`. */
#include "checks/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "judge/compare.h"

/* --- the verdict ---------------------------------------------------------------------------------- */

bool check_is_open(const struct check *check)
{
    return !check->status && !check->broken[0];
}

void check_fail(struct check *check, const char *status, const char *format, ...)
{
    va_list arguments;
    if (!check_is_open(check))
        return;
    check->status = status;
    va_start(arguments, format);
    vsnprintf(check->message, sizeof check->message, format, arguments);
    va_end(arguments);
    base_clean_text(check->message, strlen(check->message));
    memcpy(check->failed_case, check->context, sizeof check->failed_case);
}

void check_advise(struct check *check, const char *format, ...)
{
    va_list arguments;
    check->advised = true;
    va_start(arguments, format);
    vsnprintf(check->hint, sizeof check->hint, format, arguments);
    va_end(arguments);
}

void check_break(struct check *check, const char *format, ...)
{
    va_list arguments;
    if (check->broken[0])
        return;
    va_start(arguments, format);
    vsnprintf(check->broken, sizeof check->broken, format, arguments);
    va_end(arguments);
    base_clean_text(check->broken, strlen(check->broken));
}

bool check_is_own_file(const struct check *check, const char *file)
{
    return strcmp(base_name(file), check->job.file_name) == 0;
}

void check_point_at(struct check *check, const char *file, unsigned line, unsigned column)
{
    /* Only into the student's own file: it was compiled in a folder that no longer exists. */
    if (line == 0 || !check_is_own_file(check, file))
        return;
    snprintf(check->file, sizeof check->file, "%s", check->job.file_name);
    check->line = line;
    check->column = column;
}

/* --- judging -------------------------------------------------------------------------------------- */

/* The one number of an array, in words: one of two static buffers. */
static const char *one_number(enum case_type type, const void *value)
{
    static char buffers[2][24];
    static unsigned next;
    char *buffer = buffers[next++ % 2];
    if (type == CASE_INT)
        snprintf(buffer, sizeof buffers[0], "%d", *(const int *)value);
    else
        snprintf(buffer, sizeof buffers[0], "%llu", (unsigned long long)*(const uint64_t *)value);
    return buffer;
}

static bool equal(enum case_type type, const void *got, const void *want)
{
    return type == CASE_INT ? judge_first_difference_int(got, want, 1) == 1
                            : judge_first_difference_u64(got, want, 1) == 1;
}

/* The result NAME of TRIAL must be the one number WANT, of TYPE. */
static void look_equal(struct check *check, const struct trial *trial, const char *name,
                       enum case_type type, const void *want)
{
    const char *type_name = type == CASE_INT ? "LAB_INT" : "LAB_U64";
    if (!trial || !check_is_open(check))
        return;
    const struct answer *answer = check_answer(check, trial, name);
    const struct case_array *got = answer ? &answer->array : NULL;
    bool is_one = got && got->type == type && got->count == 1;
    if (is_one && equal(type, got->values, want))
        return;
    if (!got)
        check_fail(check, "no-result", "your program did not hand in a result called \"%s\"", name);
    else if (!is_one)
        check_fail(check, "failed", "the result \"%s\" is not one %s number", name, type_name);
    else if (answer->same)
        check_fail(check, "failed", "%s is %s whatever data the GPU has", name,
                   one_number(type, got->values));
    else
        check_fail(check, "failed", "%s is %s, but %s is right%s", name,
                   one_number(type, got->values), one_number(type, want),
                   check_if_no_kernel(trial));
    if (!is_one)
        check_advise(check, "Hand it in with lab_result(&lab, \"%s\", %s, &%s, 1).", name,
                     type_name, name);
    else if (answer->same)
        check_advise(check, CHECK_ADVICE_SAME);
    else if (check->info->figure.text || check->info->where == CHECK_COUNTS)
        check_advise(check, "The right answer comes first: without it this earns no points.");
}

static void check_equal(struct check *check, const struct trial *trial, const char *name,
                        enum case_type type, const void *want)
{
    look_equal(check, trial, name, type, want);
    const struct trial *backwards = check_run_backwards(check, trial);
    look_equal(check, backwards, name, type, want);
    if (backwards)
        check_blame_order(check);
}

void check_equal_int(struct check *check, const struct trial *trial, const char *name, int want)
{
    check_equal(check, trial, name, CASE_INT, &want);
}

void check_equal_u64(struct check *check, const struct trial *trial, const char *name,
                     uint64_t want)
{
    check_equal(check, trial, name, CASE_U64, &want);
}

double check_counter(const struct trial *trial, const char *name)
{
    return trial ? (double)json_integer_of(trial->counters, name) : 0;
}

void check_has_read(struct check *check, const struct trial *trial, uint64_t bytes)
{
    if (!trial || !trial->counters || !check_is_open(check))
        return;
    /* A sector is 32 bytes. What is read twice counts twice, which a student gains nothing by. */
    double read = check_counter(trial, "global_load_sectors") * 32;
    if (read >= (double)bytes)
        return;
    if (json_array_size(json_object_get(trial->record, "launches")) == 0)
        check_fail(check, "failed", "no kernel was launched");
    else
        check_fail(check, "failed",
                   "the kernels read %s of the %s bytes of data from global memory",
                   read > 0 ? check_number(read) : "none", check_number((double)bytes));
    check_advise(check, "The answer must come from kernels that read the data, not from main().");
}

static bool is_word_of(const char *word, const char *words)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* The sum of the numbers in MEMBER of the record whose names are among WHAT. */
static unsigned long sum_of(const struct trial *trial, const char *member, const char *what)
{
    json_t *counts = trial ? json_object_get(trial->record, member) : NULL, *count;
    const char *name;
    json_int_t sum = 0;
    json_object_foreach(counts, name, count)
    {
        if (is_word_of(name, what))
            sum += json_integer_value(count);
    }
    return (unsigned long)sum;
}

unsigned long check_requests(const struct trial *trial, const char *what)
{
    return sum_of(trial, "requests", what);
}

unsigned long check_rows(const struct trial *trial, const char *what)
{
    return sum_of(trial, "rows", what);
}

void check_called(struct check *check, const struct trial *trial, const char *name,
                  const char *what, unsigned long least, unsigned long most)
{
    unsigned long count = check_requests(trial, what);
    if (!trial || !trial->record || !check_is_open(check) || (count >= least && count <= most))
        return;
    if (count == 0)
        check_fail(check, "failed", "your program never calls %s()", name);
    else
        check_fail(check, "failed", "your program calls %s() %s times; %s %s would do", name,
                   check_number((double)count), count < least ? "at least" : "at most",
                   check_number((double)(count < least ? least : most)));
}

const char *check_other_call(const struct trial *trial, const char *part, const char *wanted,
                             const char *otherwise)
{
    const char *name;
    json_t *calls = trial ? json_object_get(trial->record, "calls") : NULL, *count;
    json_object_foreach(calls, name, count)
    {
        if (strstr(name, part) && strncmp(name, wanted, strlen(wanted)) != 0 &&
            json_integer_value(count) > 0)
            return name;
    }
    return otherwise;
}

/* Shows the line of the student's file that has most of the figure's counter. */
static void point_at_worst_line(struct check *check, const struct trial *trial)
{
    const char *counter = check->info->figure.counter;
    json_t *launch, *line;
    size_t i, j;
    json_int_t most = 0;
    if (!counter || check_point_at_loss(check, trial))
        return;
    json_array_foreach(json_object_get(trial->record, "launches"), i, launch)
    {
        json_array_foreach(json_object_get(launch, "lines"), j, line)
        {
            const char *file = json_string_value(json_object_get(line, "file"));
            json_int_t count = json_integer_of(json_object_get(line, "counters"), counter);
            if (!file || count <= most || !check_is_own_file(check, file))
                continue;
            most = count;
            check_point_at(check, file, (unsigned)json_integer_of(line, "line"), 0);
        }
    }
}

/* Writes TEMPLATE with its "%s" replaced by VALUE. */
static void fill_in(char *text, size_t size, const char *template, double value)
{
    const char *hole = strstr(template, "%s");
    if (hole)
        snprintf(text, size, "%.*s%s%s", (int)(hole - template), template, check_number(value),
                 hole + 2);
    else
        snprintf(text, size, "%s", template);
}

void check_value(struct check *check, double value)
{
    check->measured = true;
    check->value = value;
    check->share = judge_share(&check->budget, value);
}

void check_is_counted(struct check *check, const struct trial *trial)
{
    if (!check->info->figure.textures && check_counter(trial, "texture_requests") > 0)
        check_refuse(check, trial, "Read and write memory through pointers.",
                     "your kernels use textures or surfaces, which this check does not count");
    if (check_counter(trial, "constant_requests") > 0)
        check_refuse(
            check, trial,
            "Hand pointers and numbers to the kernel as its parameters, and read the data through these.",
            "your kernels read __constant__ variables, which this check does not count");
    if (check_counter(trial, "cluster_requests") > 0)
        check_refuse(
            check, trial, "Keep to the block's own shared memory.",
            "your kernels use the shared memory of other blocks, which this check does not count");
    if (check_counter(trial, "block_votes") > 0)
        check_refuse(
            check, trial, "Put numbers for other threads into shared memory.",
            "your kernels let a block's threads vote, as __syncthreads_count() does, which this check does not count");
}

void check_measure(struct check *check, const struct trial *trial, double value)
{
    check_is_counted(check, trial);
    if (!trial || !check_is_open(check))
        return;
    check_value(check, value);
    if (check->share < 1)
        point_at_worst_line(check, trial);
}

/* --- the report ----------------------------------------------------------------------------------- */

void check_public_id(const struct check_info *info, char id[64])
{
    snprintf(id, 64, "%s", info->id);
    for (char *at = id; *at; ++at)
        if (*at == '_')
            *at = '-';
}

/* Says what was measured, and if that is not enough, where points begin and end. */
static void tell_figure(struct check *check)
{
    const struct check_figure *figure = &check->info->figure;
    const struct judge_budget *budget = &check->budget;
    char got[200], want[100];
    fill_in(got, sizeof got, figure->text, check->value);
    fill_in(want, sizeof want, figure->want, judge_full(budget));
    if (check->share >= 1)
        snprintf(check->message, sizeof check->message, "%s", got);
    else
        snprintf(check->message, sizeof check->message,
                 "%s; points begin %s %s, full points for %s", got,
                 budget->solution < budget->naive ? "below" : "above", check_number(budget->naive),
                 want);
}

/* Settles the verdict of a check whose body has ended with nothing gone wrong. */
static void settle(struct check *check)
{
    if (!check->info->figure.text)
        check->share = 1;
    else if (check->measured)
        tell_figure(check);
    else {
        check_break(check, "nothing was measured"); /* a mistake in checks.c */
        return;
    }
    bool some = judge_points(check->share, check->points) > 0;
    check->status = check->share >= 1 ? "passed" : some ? "partial" : "failed";
}

static json_t *describe_figure(const struct check *check)
{
    const struct judge_budget *budget = &check->budget;
    if (!check->measured)
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "value", check->value, "full", judge_full(budget), "naive",
                     budget->naive);
}

static json_t *describe_verdict(const struct check *check, double seconds)
{
    char id[64];
    const char *hint = check->advised ? check->hint : check->info->hint;
    bool full = check->share >= 1;
    check_public_id(check->info, id);
    return json_pack(
        "{s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:s, s:f, s:O, s:o, s:s, s:i, s:i, s:s, s:s, s:O, s:O, s:O, s:s, s:s, s:s}",
        "id", id, "title", check->info->title, "points", judge_points(check->share, check->points),
        "max_points", check->points, "status", check->status ? check->status : "", "message",
        check->message, "case", check->failed_case, "hint", full || !hint ? "" : hint, "seconds",
        seconds, "counters", check->counters, "figure", describe_figure(check), "file", check->file,
        "line", (int)check->line, "column", (int)check->column, "cause", check->cause, "spare",
        check->spare, "findings", check->findings, "lines", check->lines, "accesses",
        check->accesses, "broken", check->broken, "note", check->note, "kernel", check->kernel);
}

static void write_verdict(const struct check *check, double seconds)
{
    char path[PATH_SIZE];
    json_t *verdict = describe_verdict(check, seconds);
    char *text = verdict ? json_dumps(verdict, JSON_INDENT(2)) : NULL;
    /* Atomic, so that a verdict that is there is a whole one. */
    cr_assert(text && base_path(path, "%s/%s.json", check->job.folder, check->info->id) &&
                  base_write_file(path, text, strlen(text), 0600),
              "cannot write the verdict of %s", check->info->id);
    free(text);
    json_decref(verdict);
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

/* Puts what a course has changed (lab_set_terms) in place of what checks.c declares. */
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
        budget->solution = full; /* the course has thought of the slack */
        budget->slack = 1;
    }
}

void check_perform(const struct check_info *info)
{
    static struct check check; /* too large for a stack; one check a process */
    double start = clock_seconds();
    check = (struct check){.info = info,
                           .points = info->points,
                           .budget = info->figure.budget,
                           .counters = json_object(),
                           .findings = json_array(),
                           .lines = json_array(),
                           .accesses = json_array()};
    cr_assert(grade_job_read(&check.job), "checks are started by `lanewise grade`, with a job");
    if (check_runs_on(info, check.job.device)) {
        apply_terms(&check);
        check.random = check_random_start(check.job.seed, info->id);
        info->body(&check);
        if (check_is_open(&check))
            settle(&check);
        else
            check.share = 0;
        write_verdict(&check, clock_seconds() - start);
    }
    check_free_trials(&check);
    check_free_inputs(&check);
    json_decref(check.counters);
    json_decref(check.findings);
    json_decref(check.lines);
    json_decref(check.accesses);
    json_decref(check.job.terms);
}
