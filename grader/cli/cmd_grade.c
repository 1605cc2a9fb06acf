/* lanewise grade: grades one lab or all labs and reports the result.
 *
 * The exit code is 0 for full marks and 1 for less. It is 2 after wrong usage or if the machine
 * lacks something, and 3 if the grader failed; in both cases there is no grade. Results of an
 * earlier grading are removed first, so there is no result if this grading fails.
 *
 * With --format, the caller is a learning system. The exit code is then 0 for any grade, even for
 * an unreadable submission, and only the document goes to stdout. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/kit.h"
#include "config.h"
#include "grade/grade.h"
#include "grade/installed_gpu.h"
#include "grade/progress.h"
#include "report/format.h"
#include "report/progress_terminal.h"
#include "report/result_json.h"
#include "report/result_terminal.h"
#include "report/sarif.h"
#include "sandbox/pool.h"

/* The format in which messages show the path of a handout. */
#define PAGE "%s (make serve shows it as a page)"

struct options {
    const char *lab, *submission, *device, *seed, *course, *json, *sarif, *format, *out, *key;
    bool quick, unsafe;
};

#define complain(...) cli_complain("grade", __VA_ARGS__)

/* --- the command line ------------------------------------------------------------------------- */

static const struct cli_option table[] = {
    CLI_TEXT(lab, "lab", "NAME", "grade this lab, such as 01-parallelize (default: all labs)"),
    CLI_TEXT(submission, "submission", "PATH",
             "the student's file, or a folder that has FILE or NAME/FILE\n"
             "(default: your own copy in labs/)"),
    CLI_TEXT(device, "device", "DEVICE", CLI_HELP_DEVICE),
    CLI_TEXT(seed, "seed", "N", CLI_HELP_SEED),
    CLI_TEXT(course, "course", "FILE",
             "a course file: labs, points, thresholds (see grader/course/course.yaml)"),
    CLI_TEXT(json, "json", "FILE", "where to write the result (default: build/results.json)"),
    CLI_TEXT(sarif, "sarif", "FILE",
             "write the findings as SARIF 2.1.0, for editors and code review"),
    CLI_TEXT(format, "format", "FORMAT",
             "write the result for a course platform: gradescope, autolab,\n"
             "classroom50, junit, csv, json or lines (for editors)"),
    CLI_TEXT(out, "out", "FILE",
             "where --format writes (default: stdout; the report then goes to\n"
             "stderr)"),
    CLI_TEXT(key, "key", "FILE", CLI_HELP_KEY),
    CLI_FLAG(quick, "quick", "do not look for the line of a mistake by trying small edits"),
    CLI_FLAG(unsafe, "unsafe", CLI_HELP_UNSAFE),
    CLI_END};

static const struct cli_syntax syntax = {
    .command = "grade",
    .usage = "usage: lanewise grade [OPTIONS]\n"
             "Compiles, runs and grades one lab, or all labs.\n",
    .options = table,
    .end = "exit code: 0 full marks, 1 less, 2 wrong usage or environment, 3 the grader "
           "failed;\n"
           "with --format, 0 for any grade\n",
    .word_advice = "name the file with --submission, the lab with --lab"};

static int check_format(const struct options *options)
{
    char names[200] = "";
    report_format_names(names, sizeof names);
    if (options->out && !options->format)
        return complain(EXIT_USAGE, "--out needs --format too; the formats are %s", names);
    if (options->format && !report_format(options->format))
        return complain(EXIT_USAGE, "unknown format \"%s\"; the formats are %s", options->format,
                        names);
    return -1;
}

/* --- grading ---------------------------------------------------------------------------------- */

struct session {
    const struct options *options;
    enum grading_device device;
    char gpu_name[256];
    struct grade_seed seed;
    /* without --course, all labs as their checks.c files declare them */
    struct course course;
    struct seal_key key; /* the key that signs the results, if has_key */
    bool has_key;
    bool own; /* true if the student's own files are graded, so progress is recorded */
    struct report_progress page;
    json_t *results, *progress;
    json_t *needs;   /* for each lab, the labs that the student should do first */
    json_t *pages;   /* path of the handout of each lab that the student has not begun */
    json_t *changes; /* the changes in each lab since its last grading; only used without --lab */
};

static bool has_passed(const json_t *result)
{
    const char *status = json_string_value(json_object_get(result, "status"));
    return status && strcmp(status, "passed") == 0;
}

/* Shows the changes since the last grading: immediately with --lab, otherwise after the table. */
static void show_change(struct session *session, const json_t *result)
{
    double difference;
    char *change = progress_change(session->progress, result, &difference), *line = NULL;
    const char *lab = session->options->lab ? "since last time" : json_text_of(result, "lab");
    if (change && asprintf(&line, "%s: %s", lab, change) >= 0) {
        if (session->options->lab) {
            report_change_terminal(session->page.to, line, difference, session->page.colour);
            fputc('\n', session->page.to);
        } else
            json_array_append_new(session->changes,
                                  json_pack("{s:s, s:f}", "text", line, "difference", difference));
        free(line);
    }
    free(change);
}

/* Shows RESULT, in full with --lab, otherwise as a row of a table. NEEDS are the labs that the
 * student should do first. */
static void show(struct session *session, const json_t *result, const json_t *needs)
{
    const char *lab = json_string_value(json_object_get(result, "lab"));
    if (session->options->lab)
        report_result_terminal(session->page.to, result, session->page.colour);
    if (session->own) {
        show_change(session, result);
        progress_note(session->progress, result, time(NULL));
    }
    if (!session->options->lab)
        report_progress_row(&session->page, result, needs);
    const char *page = json_string_value(json_object_get(session->pages, lab));
    if (session->options->lab && session->own && page)
        fprintf(session->page.to, "  new here? Read " PAGE " first\n\n", page);
    else if (session->options->lab && session->own && !has_passed(result))
        fprintf(session->page.to, "  stuck? make hint LAB=%s\n\n", lab);
    fflush(session->page.to);
}

/* Grades SUBMISSION. If SUBMISSION is unfit (ERROR says why), makes a result with this reason,
 * because a learning system needs a result for every submission. */
static enum grade_end grade(struct session *session, const struct lab *lab,
                            const struct submission *submission, json_t **result, char *error,
                            size_t size)
{
    struct grading grading = {.lab = lab,
                              .submission = submission,
                              .device = session->device,
                              .gpu_name = session->gpu_name,
                              .gpu_arch = installed_gpu_arch(),
                              .repairs = !session->options->format && !session->options->quick,
                              .unsafe = session->options->unsafe,
                              .seed = session->seed};
    enum grade_end end = GRADE_DONE;
    if (submission->unfit)
        *result = grade_unfit(&grading, error);
    else
        end = grade_submission(&grading, result, error, size);
    if (end != GRADE_DONE || seal_document(*result, session->has_key ? &session->key : NULL))
        return end;
    json_decref(*result);
    snprintf(error, size, "out of memory");
    return GRADER_FAILED;
}

/* Grades the lab NAME. Returns {"end", "error"}. If "end" is GRADE_DONE, the object also has
 * "result" and "needs", and "page" if the student should read the lab's handout first. Returns NULL
 * if the lab could not be opened, which cli_open_lab() has already reported. */
static json_t *grade_lab(struct session *session, const char *name)
{
    static struct submission submission; /* static because it is too large for the stack */
    static struct lab lab;
    char error[6000] = "", page[PATH_SIZE];
    json_t *result = NULL, *needs = NULL;
    enum grade_end end = GRADE_IMPOSSIBLE;
    if (!cli_open_lab("grade", name, &lab))
        return NULL;
    const struct course_lab *counted = course_find(&session->course, lab.name);
    lab_set_terms(&lab, counted ? counted->terms : NULL);
    if (!counted)
        snprintf(error, sizeof error, "%s is not one of the labs in %s", lab.name,
                 session->options->course);
    else if (submission_open(&lab, session->options->submission, &submission, error,
                             sizeof error) ||
             (session->options->format && submission.unfit))
        end = grade(session, &lab, &submission, &result, error, sizeof error);
    json_t *answer =
        json_pack("{s:i, s:s, s:o*}", "end", (int)end, "error", error, "result", result);
    needs = json_object_get(lab.declared, "needs");
    if (needs)
        json_object_set(answer, "needs", needs);
    if (end == GRADE_DONE && session->own && cli_wants_handout(&lab, page))
        json_object_set_new(answer, "page", json_string(page));
    submission_close(&submission);
    labs_close(&lab);
    return answer;
}

/* Shows the result in ANSWER, which grade_lab() returned for the lab NAME. Returns 0, or the exit
 * code of an error. */
static int show_answer(struct session *session, const char *name, const json_t *answer)
{
    enum grade_end end = (enum grade_end)json_integer_of(answer, "end");
    json_t *result = json_object_get(answer, "result");
    json_t *needs = json_object_get(answer, "needs"), *page = json_object_get(answer, "page");
    if (!answer)
        return EXIT_USAGE;
    if (end != GRADE_DONE)
        return cli_complain_end("grade", end, name, json_text_of(answer, "error"));
    const char *lab = json_text_of(result, "lab");
    if (page)
        json_object_set(session->pages, lab, page);
    show(session, result, needs);
    json_array_append(session->results, result);
    json_object_set(session->needs, lab, needs);
    return 0;
}

static int grade_one_lab(struct session *session)
{
    json_t *answer = grade_lab(session, session->options->lab);
    int code = show_answer(session, session->options->lab, answer);
    json_decref(answer);
    return code;
}

/* --- all labs, several at a time -------------------------------------------------------------- */

/* The gradings of all labs. Their results are shown in the order of the labs. */
struct all_labs {
    struct session *session;
    json_t **answers; /* the answer of grade_lab() for each lab; NULL until its grading has ended */
    size_t shown;     /* number of labs whose results were shown */
    int code;         /* the exit code of the first error, otherwise 0 */
};

static json_t *grade_next(size_t i, void *context)
{
    struct all_labs *all = context;
    return grade_lab(all->session, all->session->course.labs[i].name);
}

/* Keeps the answer for lab I. Then shows all answers up to the first one that is missing. Returns
 * false after an error. */
static bool keep(size_t i, const json_t *answer, void *context)
{
    struct all_labs *all = context;
    const struct course *course = &all->session->course;
    all->answers[i] = answer ? json_incref((json_t *)answer) : json_null();
    while (all->code == 0 && all->shown < course->lab_count && all->answers[all->shown]) {
        const json_t *next = all->answers[all->shown];
        all->code = show_answer(all->session, course->labs[all->shown].name,
                                json_is_null(next) ? NULL : next);
        ++all->shown;
    }
    return all->code == 0;
}

static int grade_all_labs(struct session *session)
{
    const struct course *course = &session->course;
    struct stat status;
    const char *submission = session->options->submission;
    if (submission && stat(submission, &status) == 0 && !S_ISDIR(status.st_mode))
        return complain(EXIT_USAGE, "the lab of %s is unknown: add --lab NAME", submission);
    if (course->lab_count == 0)
        return complain(EXIT_USAGE, "no labs in %s/labs", kit_folder());
    for (size_t i = 0; i < course->lab_count; ++i)
        if ((int)strlen(course->labs[i].name) > session->page.width)
            session->page.width = (int)strlen(course->labs[i].name);
    report_progress_head(&session->page);
    struct all_labs all = {.session = session,
                           .answers = calloc(course->lab_count, sizeof *all.answers)};
    struct process_pool pool = {.count = course->lab_count,
                                .jobs = cli_most_gradings(session->device),
                                .context = &all,
                                .work = grade_next,
                                .done = keep};
    if (!all.answers)
        return complain(EXIT_GRADER, "out of memory");
    if (!process_pool_run(&pool) && all.code == 0)
        all.code = cli_complain_end("grade", GRADE_INTERRUPTED, "", "");
    for (size_t i = 0; i < course->lab_count; ++i)
        json_decref(all.answers[i]);
    free(all.answers);
    return all.code;
}

/* Returns the path of the JSON file if the command line has no --json. */
static const char *default_json(void)
{
    static char path[PATH_SIZE];
    kit_kept_path(path, LANEWISE_BUILD, "results.json");
    return path;
}

/* Writes the JSON file: one lab's result, or the results of all labs. If the user did not choose
 * the file, a failure to write it is not an error. */
static int write_json(const struct session *session, const json_t *document)
{
    const char *path = session->options->json;
    if (report_json_write(document, path ? path : default_json()) || !path)
        return 0;
    return complain(EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
}

static int write_sarif(const struct session *session, const json_t *document)
{
    const char *path = session->options->sarif;
    json_t *log = path ? report_sarif(document) : NULL;
    bool written = !path || (log && report_json_write(log, path));
    int reason = errno;
    json_decref(log);
    return written ? 0 : complain(EXIT_USAGE, "cannot write %s: %s", path, strerror(reason));
}

/* Returns the current time in the form that learning systems use. */
static char *write_now(char text[32])
{
    time_t now = time(NULL);
    struct tm utc;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    return text;
}

/* Writes the document in the format of --format. Writes to memory first, so that the file is never
 * half written. */
static int write_format(const struct session *session, const json_t *document)
{
    const char *path = session->options->out;
    char *text = NULL, now[32];
    size_t size;
    FILE *memory = session->options->format ? open_memstream(&text, &size) : NULL;
    if (!memory)
        return 0;
    /* Classroom 50 sets these variables, but other systems do not */
    struct report_context context = {.classroom = getenv("CLASSROOM"),
                                     .assignment = getenv("ASSIGNMENT"),
                                     .assignment_type = getenv("ASSIGNMENT_TYPE"),
                                     .owner = getenv("OWNER") ?: getenv("USERNAME"),
                                     .submission = getenv("SUBMISSION_TAG"),
                                     .commit = getenv("COMMIT_URL"),
                                     .release = getenv("RELEASE_URL"),
                                     .review = getenv("REVIEW_URL"),
                                     .datetime = getenv("LANEWISE_SUBMITTED") ?: write_now(now),
                                     .graded_at = write_now(now)};
    report_format(session->options->format)(memory, document, &context);
    bool written = fclose(memory) == 0;
    if (written && path)
        written = base_write_output(path, text, size, 0644);
    else if (written)
        written = fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
    int reason = errno;
    free(text);
    return written ? 0
                   : complain(EXIT_USAGE, "cannot write %s: %s", path ? path : "the result",
                              strerror(reason));
}

static double sum_seconds(const json_t *results)
{
    double sum = 0;
    size_t i;
    json_t *result;
    json_array_foreach(results, i, result) sum += json_number_of(result, "seconds");
    return sum;
}

/* Returns true if LAB has full marks, in this run or an earlier run. */
static bool is_done(const struct session *session, const char *lab)
{
    size_t i;
    json_t *result;
    json_array_foreach(session->results, i, result)
    {
        if (strcmp(json_text_of(result, "lab"), lab) == 0 && has_passed(result))
            return true;
    }
    return progress_done(session->progress, lab);
}

/* Returns the first lab without full marks that the student should do before LAB, or NULL if there
 * is none. */
static const char *missing_need(const struct session *session, const char *lab)
{
    size_t i;
    json_t *need;
    json_array_foreach(json_object_get(session->needs, lab), i, need)
    {
        if (!is_done(session, json_string_value(need)))
            return json_string_value(need);
    }
    return NULL;
}

/* Suggests the next lab: the first lab without full marks whose earlier labs are done. */
static void suggest_next(const struct session *session)
{
    size_t i;
    json_t *result;
    json_array_foreach(session->results, i, result)
    {
        const char *lab = json_string_value(json_object_get(result, "lab"));
        if (has_passed(result) || missing_need(session, lab))
            continue;
        const char *page = json_string_value(json_object_get(session->pages, lab));
        if (page)
            fprintf(session->page.to, "next: read " PAGE ", then make grade LAB=%s\n", page, lab);
        else
            fprintf(
                session->page.to,
                "next: make grade LAB=%s shows what is missing; make hint LAB=%s gives a hint\n",
                lab, lab);
        return;
    }
}

static void show_changes(const struct session *session)
{
    size_t i;
    json_t *change;
    if (json_array_size(session->changes) > 0)
        fputs("since last time:\n", session->page.to);
    json_array_foreach(session->changes, i, change)
        report_change_terminal(session->page.to, json_text_of(change, "text"),
                               json_number_of(change, "difference"), session->page.colour);
}

static int report(const struct session *session)
{
    bool one = session->options->lab != NULL;
    json_t *document = one ? json_incref(json_array_get(session->results, 0))
                           : report_result_set(session->results, sum_seconds(session->results));
    if (!one)
        report_total_terminal(session->page.to, document, session->page.colour);
    show_changes(session);
    if (!one && session->own)
        suggest_next(session);
    if (session->own)
        progress_save(session->progress);
    int code = write_json(session, document);
    if (code == 0)
        code = write_sarif(session, document);
    if (code == 0)
        code = write_format(session, document);
    if (code == 0 && !session->options->format)
        code = has_passed(document) ? EXIT_FULL : EXIT_NOT_YET;
    json_decref(document);
    return code;
}

int cmd_grade(int argc, char **argv)
{
    struct options options = {0};
    struct session session = {.options = &options};
    int code = cli_read_options(&syntax, argc, argv, &options);
    const struct cli_files files = {{options.json, options.sarif, options.out},
                                    {options.submission, options.course, options.key}};
    if (code < 0)
        code = check_format(&options);
    if (code >= 0)
        return cli_clear_after_mistake(code, &files);
    if (!cli_clear_outputs("grade", &files))
        return EXIT_USAGE;
    if (!options.json)
        base_remove_output(default_json());
    if (!cli_choose_seed("grade", options.seed, &session.seed) ||
        !cli_read_course(options.course, &session.course) ||
        !cli_read_key("grade", options.key, &session.key, &session.has_key))
        return EXIT_USAGE;
    cli_catch_signals();
    if (!cli_choose_device("grade", options.device, &session.device, session.gpu_name,
                           sizeof session.gpu_name) ||
        !cli_check_sandbox("grade", options.unsafe))
        return EXIT_USAGE;
    session.own = options.submission == NULL;
    if (session.own && access(lab_students_folder(), W_OK) != 0)
        cli_say(
            stderr,
            "you cannot write into %s: copy it to your own folder, and set LANEWISE_LABS to the copy",
            lab_students_folder());
    session.results = json_array();
    session.needs = json_object();
    session.pages = json_object();
    session.changes = json_array();
    session.progress = progress_load();
    FILE *to = options.format && !options.out ? stderr : stdout;
    session.page = (struct report_progress){.to = to,
                                            .colour = report_wants_colour(to),
                                            .width = 3,
                                            .progress = session.own ? session.progress : NULL};
    code = options.lab ? grade_one_lab(&session) : grade_all_labs(&session);
    if (code == 0)
        code = report(&session);
    seal_key_forget(&session.key);
    json_decref(session.results);
    json_decref(session.needs);
    json_decref(session.pages);
    json_decref(session.changes);
    json_decref(session.progress);
    course_free(&session.course);
    return code;
}
