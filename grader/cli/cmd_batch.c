/* lanewise batch: grades a class and writes its gradebook and a report for each student.
 *
 *     folder --scan--> store --pending--> queue --grades--> store --> gradebook, reports
 *
 * Each grade is stored as soon as its grading ends, so after an interruption the next run
 * continues. */
#include "cli/batch_session.h"
#include "cli/options.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/kit.h"
#include "batch/chunk.h"
#include "batch/class.h"
#include "batch/output.h"
#include "batch/pairs.h"
#include "batch/slurm.h"
#include "grade/installed_gpu.h"

#define INTERRUPTED (128 + SIGINT)

/* --- the command line ------------------------------------------------------------------------- */

static const struct cli_option table[] = {
    CLI_TEXT(out, "out", "DIR", "where to write the grades (default: grades/)"),
    CLI_TEXT(labs, "labs", "LIST", "only these labs, such as 1,2,tiled (default: all)"),
    CLI_TEXT(roster, "roster", "FILE", "the students: a CSV file with the columns id and name"),
    CLI_TEXT(course, "course", "FILE",
             "a course file: labs, points, deadlines (see grader/course/course.yaml)"),
    CLI_TEXT(attempt, "attempt", "WHICH",
             "which of several attempts counts: best (default) or latest"),
    CLI_NUMBER(late_penalty, "late-penalty", "P", 0, 100,
               "percent to deduct for each started day after the deadline"),
    CLI_WHOLE(late_limit, "late-limit", "DAYS", 0, 10000,
              "do not grade attempts more than DAYS days late (0: no late attempts)"),
    CLI_WHOLE(per_day, "per-day", "N", 1, 10000,
              "grade at most N attempts per student, lab and day"),
    CLI_TEXT(device, "device", "DEVICE", CLI_HELP_DEVICE),
    CLI_TEXT(seed, "seed", "N", "the seed for all random inputs (default: the last run's seed)"),
    CLI_WHOLE(jobs, "jobs", "N", 1, 1024, "grade N at a time (default: one per core)"),
    CLI_TEXT(key, "key", "FILE", CLI_HELP_KEY),
    CLI_FLAG(unsafe, "unsafe", CLI_HELP_UNSAFE),
    CLI_FLAG(slurm, "slurm",
             "grade on a Slurm cluster; its nodes must be able to access the\n--out folder"),
    CLI_WHOLE(chunk_size, "chunk-size", "N", 1, 10000,
              "how many gradings each cluster task does (default: 20)"),
    CLI_TEXT(gres, "gres", "GRES",
             "grade on GPUs; passed to sbatch as --gres for each task, such as gpu:1"),
    CLI_TEXT(slurm_options, "slurm-options", "TEXT",
             "more options for sbatch, such as \"--partition=short --time=30\""),
    CLI_TEXT(chunk, "chunk", "FILE", NULL),
    CLI_END};

static const struct cli_syntax syntax = {
    .command = "batch",
    .usage =
        "usage: lanewise batch SUBMISSIONS/ [OPTIONS]\n"
        "Grades a class. SUBMISSIONS/ has a folder, an archive (zip, tar, 7z, rar) or a file for "
        "each\n"
        "student, or it has a folder for each lab, with these in it. After a change, run the "
        "command again:\n"
        "it grades only what changed.\n",
    .options = table,
    .end =
        "exit code: 0 every submission has a grade, 2 wrong usage or environment, 3 something needs\n"
        "your review and has no grade yet, 130 interrupted\n",
    .words = 1,
    .word_advice = "batch takes one folder of submissions"};

/* Reads the options. Returns the exit code, or -1 if the command should continue. */
static int read_options(int argc, char **argv, struct options *options)
{
    int code = cli_read_options(&syntax, argc, argv, options);
    if (code >= 0)
        return code;
    options->submissions = argv[optind];
    if (!options->slurm && (options->chunk_size || options->gres || options->slurm_options))
        return complain(EXIT_USAGE, "--chunk-size, --gres and --slurm-options need --slurm");
    if (options->attempt && strcmp(options->attempt, "best") != 0 &&
        strcmp(options->attempt, "latest") != 0)
        return complain(EXIT_USAGE, "--attempt must be best or latest, not \"%s\"",
                        options->attempt);
    if (!options->submissions && !options->chunk)
        return complain(EXIT_USAGE, "name the folder of submissions: lanewise batch SUBMISSIONS/");
    return -1;
}

/* --- the work --------------------------------------------------------------------------------- */

static bool scan(struct session *session)
{
    char error[2 * PATH_SIZE], more[32] = "";
    struct batch_hidden hidden = {0};
    struct batch_scan scan = {.folder = session->options.submissions,
                              .out = session->options.out,
                              .labs = session->labs,
                              .lab_count = session->lab_count,
                              .other_count = session->other_count,
                              .roster = session->options.roster ? &session->roster : NULL,
                              .device = session->device,
                              .seed = session->seed,
                              .hidden = &hidden};
    bool good = batch_scan(session->store, &scan, error, sizeof error);
    if (hidden.count > 1)
        snprintf(more, sizeof more, " and %zu more", hidden.count - 1);
    if (hidden.count > 0)
        complain(0, "ignored %s%s: names that start with a dot are not submissions", hidden.first,
                 more);
    if (good) {
        session->new_out = false;
        return true;
    }
    complain(EXIT_USAGE, "%s", error);
    return false;
}

static void show_progress(size_t done, size_t failed, void *context)
{
    struct session *session = context;
    report_bar_show(&session->bar, done, failed, clock_seconds());
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static size_t count_rows(json_t *rows)
{
    size_t count = json_array_size(rows);
    json_decref(rows);
    return count;
}

/* Grades the queue on the cluster. */
static enum batch_end grade_by_slurm(const struct session *session, const struct batch_queue *queue,
                                     struct batch_outcome *outcome)
{
    char out[PATH_MAX], folder[PATH_SIZE], program[PATH_SIZE];
    struct batch_slurm slurm = {.folder = folder,
                                .program = program,
                                .chunk_size = session->chunk_size,
                                .gres = session->options.gres,
                                .options = session->options.slurm_options};
    *outcome = (struct batch_outcome){0};
    if (realpath(session->options.out, out) && base_path(folder, "%s/slurm", out) &&
        kit_path(program, "%s/lanewise", LANEWISE_BUILD))
        return batch_slurm_grade(queue, &slurm, outcome);
    snprintf(outcome->error, sizeof outcome->error, "the path of %s is too long",
             session->options.out);
    return BATCH_STOPPED;
}

/* Does the work of one task on a cluster. */
static int grade_chunk(const struct options *options)
{
    char error[2 * PATH_SIZE];
    cli_catch_signals();
    if (batch_chunk_grade(options->chunk, batch_number_or(options->jobs, 1), error, sizeof error))
        return 0;
    return error[0] ? complain(EXIT_USAGE, "%s", error) : complain(INTERRUPTED, "interrupted");
}

/* Grades all pending submissions. Returns 0, or the exit code of an error. */
static int grade(struct session *session)
{
    static struct batch_outcome outcome;
    json_t *pending = batch_class_pending(session->store, &session->terms);
    size_t students = count_rows(batch_store_students(session->store));
    size_t handed_in = count_rows(batch_store_submissions(session->store));
    size_t total = json_array_size(pending);
    if (!pending)
        return batch_session_fail(session), EXIT_USAGE;
    printf("%zu student%s, %zu submission%s to %zu lab%s, on the %s, seed %llu; %zu to grade\n",
           students, plural(students), handed_in, plural(handed_in), session->lab_count,
           plural(session->lab_count), grading_device_name(session->device),
           (unsigned long long)session->seed.number, total);
    struct batch_queue queue = {.store = session->store,
                                .pending = pending,
                                .labs = session->labs,
                                .lab_count = session->lab_count,
                                .jobs = session->jobs,
                                .device = session->device,
                                .gpu_name = session->gpu_name,
                                .gpu_arch = installed_gpu_arch(),
                                .seed = session->seed,
                                .key = session->has_key ? &session->key : NULL,
                                .unsafe = session->options.unsafe,
                                .progress = show_progress,
                                .context = session};
    session->bar = report_bar_begin(stdout, total, clock_seconds());
    enum batch_end end = session->options.slurm ? grade_by_slurm(session, &queue, &outcome)
                                                : batch_grade(&queue, &outcome);
    report_bar_end(&session->bar);
    json_decref(pending);
    if (end == BATCH_STOPPED)
        return complain(EXIT_USAGE, "%s", outcome.error);
    if (end == BATCH_INTERRUPTED)
        return complain(
            INTERRUPTED,
            "interrupted; %zu of %zu are graded and saved; run the same command to continue%s",
            outcome.done - outcome.failed, total,
            session->options.slurm ? " (the cluster keeps grading)" : "");
    return 0;
}

/* Prints "s017, 02-coalesce: path: why". Leaves out the student if the path starts with the
 * student's folder. */
static void print_review(const char *student, const char *lab, const char *path, const char *why)
{
    const char *who = strncmp(path, student, strlen(student)) == 0 ? "" : student;
    printf("  %s%s%s%s%s: %s\n", who, *who && *lab ? ", " : "", lab, *who || *lab ? ": " : "", path,
           why);
}

/* Lists the entries for review, at most SHOWN of them. */
static void print_reviews(const struct session *session, const json_t *review)
{
    enum { SHOWN = 10 };
    size_t i, count = json_array_size(review);
    json_t *one;
    if (count == 0)
        return;
    printf("%zu to review:\n", count);
    json_array_foreach(review, i, one)
    {
        const char *student, *lab, *path, *why;
        if (i < SHOWN && json_unpack(one, "{s:s, s:s, s:s, s:s}", "student", &student, "lab", &lab,
                                     "path", &path, "why", &why) == 0)
            print_review(student, lab, path, why);
    }
    if (count > SHOWN)
        cli_say(stdout, "  and %zu more in %s/class.json", count - SHOWN, session->options.out);
}

/* Lists hand-ins that are empty or links, at most SHOWN of them. A hand-in can be for several
 * labs. */
static void print_empty(const json_t *class)
{
    enum { SHOWN = 10 };
    size_t i, count = 0;
    const char *lab, *last = "";
    json_t *student, *entry;
    json_array_foreach(json_object_get(class, "students"), i, student)
        json_object_foreach(json_object_get(student, "labs"), lab, entry)
    {
        const char *why = json_text_of(entry, "why");
        if (!*why || strcmp(why, last) == 0)
            continue;
        if (count++ == 0)
            printf("nothing to grade, so 0 points:\n");
        if (count <= SHOWN)
            printf("  %s\n", why);
        last = why;
    }
    if (count > SHOWN)
        printf("  and %zu more\n", count - SHOWN);
}

/* Lists folders of students who have left the class. The instructor decides whether to remove
 * them. */
static void print_old_folders(const struct session *session, const json_t *class)
{
    enum { SHOWN = 10 };
    json_t *old = batch_old_folders(class, session->options.out), *name;
    size_t i, count = json_array_size(old);
    if (count > 0)
        printf("%zu old folder%s in %s for students who are not in this class:", count,
               plural(count), session->options.out);
    json_array_foreach(old, i, name)
    {
        if (i < SHOWN)
            printf("%s %s", i > 0 ? "," : "", json_string_value(name));
    }
    if (count > SHOWN)
        printf(" and %zu more", count - SHOWN);
    if (count > 0)
        putchar('\n');
    json_decref(old);
}

/* Writes all reports. Searches for similar submissions only if everything is graded, because the
 * search may run the compiler. */
static int write_reports(struct session *session, bool finished)
{
    char error[2 * PATH_SIZE];
    json_t *class = batch_class(session->store, &session->terms);
    if (!class)
        return batch_session_fail(session), EXIT_USAGE;
    struct batch_pairs similar = {session->store, session->labs, finished ? session->lab_count : 0,
                                  session->device, installed_gpu_arch()};
    /* this is only a warning, because the grades are right */
    if (!batch_pairs(&similar, class, error, sizeof error))
        complain(0, "%s", error);
    bool written =
        batch_write_all(session->store, class, session->options.out, error, sizeof error);
    size_t review = json_array_size(json_object_get(class, "review"));
    if (!written)
        complain(EXIT_USAGE, "%s", error);
    else if (finished) {
        print_reviews(session, json_object_get(class, "review"));
        print_empty(class);
        cli_say(
            stdout,
            "%s has gradebook.csv, class.html and a folder for each student; send students the pages in feedback/",
            session->options.out);
        print_old_folders(session, class);
    } else
        cli_say(stdout,
                "%s has gradebook.csv and all reports so far; %lld submission%s not graded yet",
                session->options.out, json_integer_of(class, "pending"),
                json_integer_of(class, "pending") == 1 ? " is" : "s are");
    json_decref(class);
    return !written ? EXIT_USAGE : review > 0 ? EXIT_GRADER : 0;
}

int cmd_batch(int argc, char **argv)
{
    static struct session session; /* static because it is too large for the stack */
    session = (struct session){.options = {.out = "grades"}, .lock = -1};
    int code = read_options(argc, argv, &session.options);
    if (code >= 0)
        return code;
    if (session.options.chunk)
        return grade_chunk(&session.options);
    cli_catch_signals();
    code = cli_read_key("batch", session.options.key, &session.key, &session.has_key) &&
                   batch_session_prepare(&session) && batch_session_open(&session) && scan(&session)
               ? grade(&session)
               : EXIT_USAGE;
    if (code == 0)
        code = write_reports(&session, true);
    else if (code == INTERRUPTED && batch_store_count(session.store) > 0)
        write_reports(&session, false);
    seal_key_forget(&session.key);
    batch_session_close(&session);
    return code;
}
