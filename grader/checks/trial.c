/* One run of the submission: a fresh folder with the case in it, a process, and what it left.
 *
 *     case ----> [ ./program --case case --result result ] ----> result   bytes, judged by the check
 *                                                          ----> record   launches and findings
 *
 * Nothing that the program prints is ever judged; its last line is only shown. */
#include "checks/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "run/exec.h"
#include "run/line_record.h"
#include "run/record.h"
#include "run/text.h"

#define WALL_SECONDS  10
#define HUNG_SECONDS  3 /* once it has hung: whoever waited 10 s need not wait so long again */
#define RESULT_BYTES  ((size_t)64 << 20)
#define ADDRESS_BYTES ((uint64_t)64 << 30) /* the emulator reserves much and touches little */
#define DATA_BYTES    ((uint64_t)4 << 30)
#define THREADS       512 /* the GPU's driver has some, the emulator one for each core */
#define OUTPUT_KEEP   ((size_t)64 << 10)
#define OUTPUT_LIMIT  ((size_t)1 << 20)

/* A launch may execute this many warp instructions: several times what the slowest right kernel
 * needs (about 5 million, for one thread and a million numbers), and done in a few seconds. */
#define MAX_INSTRUCTIONS "32000000"

/* One run's files and environment. */
struct surroundings {
    char folder[RUN_PATH_SIZE], input[RUN_PATH_SIZE], result[RUN_PATH_SIZE];
    char record[RUN_PATH_SIZE];         /* "" on a GPU */
    char program_folder[RUN_PATH_SIZE]; /* the runtime library is there, too */
    char record_variable[RUN_PATH_SIZE + 32], poison[64], visible[256];
    char libraries[RUN_PATH_SIZE + 32];
    const char *environment[16];
};

static void take_over(const char *name, char *text, size_t size, const char ***next)
{
    const char *value = getenv(name);
    if (value && (size_t)snprintf(text, size, "%s=%s", name, value) < size)
        *(*next)++ = text;
}

static void fill_environment(struct surroundings *around, const struct check *check,
                             const struct check_run *run, uint64_t poison)
{
    const char **next = around->environment;
    run_path(around->program_folder, "%.*s", (int)(strrchr(run->program, '/') - run->program),
             run->program);
    *next++ = "PATH=/usr/bin:/bin";
    *next++ = "LC_ALL=C";
    if (run->device == RUN_GPU) { /* where the driver is, and which GPU a batch system gave us */
        take_over("CUDA_VISIBLE_DEVICES", around->visible, sizeof around->visible, &next);
        take_over("LD_LIBRARY_PATH", around->libraries, sizeof around->libraries, &next);
    } else {
        snprintf(around->record_variable, sizeof around->record_variable, "LANEWISE_RECORD=%s",
                 around->record);
        snprintf(around->libraries, sizeof around->libraries, "LD_LIBRARY_PATH=%s",
                 around->program_folder);
        snprintf(around->poison, sizeof around->poison, "LANEWISE_POISON=%llu",
                 (unsigned long long)poison);
        *next++ = around->record_variable;
        *next++ = around->poison;
        *next++ = around->libraries;
        *next++ = "LANEWISE_DETERMINISTIC=1";
        *next++ = "LANEWISE_MAX_INSTRUCTIONS=" MAX_INSTRUCTIONS;
        if (run->watched)
            *next++ = "LANEWISE_TOOLS=racecheck,initcheck";
        if (check->job.pictures)
            *next++ = "LANEWISE_TRACE=*";
#ifdef LANEWISE_PRELOAD
        /* The runtime library is built with it too, and its program is not. */
        *next++ = "LD_PRELOAD=" LANEWISE_PRELOAD;
        *next++ = "ASAN_OPTIONS=" LANEWISE_ASAN_OPTIONS;
#endif
    }
    *next = NULL;
}

/* The file that says that the submission has hung: seen by the other checks of this grading too. */
static bool hung_path(const struct check *check, char path[RUN_PATH_SIZE])
{
    return run_path(path, "%s/hung", check->job.folder);
}

/* How long a run may take. */
static int wall_seconds(const struct check *check, const struct check_run *run)
{
    char path[RUN_PATH_SIZE];
    bool hung = !run->own && hung_path(check, path) && access(path, F_OK) == 0;
    return hung ? HUNG_SECONDS : WALL_SECONDS;
}

/* Adds the folders of $LD_LIBRARY_PATH, which TEXT is a copy of, to a list with ROOM for more. */
static void add_folders(char *text, const char **list, size_t room)
{
    char *rest, *folder = strtok_r(text, ":", &rest);
    for (; folder && room > 0; folder = strtok_r(NULL, ":", &rest))
        if (folder[0] == '/' && access(folder, F_OK) == 0) {
            *list++ = folder;
            --room;
        }
}

static void execute(const struct check *check, const struct surroundings *around,
                    const struct check_run *run, int seconds, struct run_outcome *outcome)
{
    char count[16];
    char libraries[RUN_PATH_SIZE] = "";
    const char *read[12] = {around->program_folder, around->input};
    const char *const keep[] = {around->result, *around->record ? around->record : NULL, NULL};
    struct run_sandbox sandbox = {.level = check->job.level,
                                  .folder = around->folder,
                                  .read = read,
                                  .keep = keep,
                                  .processes = THREADS,
                                  .gpu = run->device == RUN_GPU};
    if (run->device == RUN_GPU) {
        snprintf(libraries, sizeof libraries, "%s", getenv("LD_LIBRARY_PATH") ?: "");
        add_folders(libraries, read + 2, 9);
    }
    snprintf(count, sizeof count, "%d", run->repeats);
    const char *words[] = {run->program, "--case",    "case", "--result",
                           "result",     "--repeats", count,  run->copy_rate ? "--copy-rate" : NULL,
                           "1",          NULL};
    struct run_command command = {
        .argv = words,
        .environment = around->environment,
        .folder = around->folder,
        .wall_seconds = seconds,
        .cpu_seconds = 8 * WALL_SECONDS,
        .address_bytes = run->device == RUN_GPU ? 0 : ADDRESS_BYTES,
        .data_bytes = run->device == RUN_GPU ? 0 : DATA_BYTES,
        /* The driver grows large files in shared memory. */
        .file_bytes = run->device == RUN_GPU ? 0 : 2 * RESULT_BYTES,
        .output_keep = OUTPUT_KEEP,
        .output_limit = OUTPUT_LIMIT,
        .sandbox = &sandbox,
    };
#ifdef LANEWISE_PRELOAD
    command.address_bytes = command.data_bytes = 0; /* its shadow is larger than all */
#endif
    run_exec(&command, outcome);
}

/* --- why a run is no good ------------------------------------------------------------------------- */

/* The last line that is not empty, fit to be shown; "" if there is none. */
static const char *last_line(struct run_outcome *outcome)
{
    char *text = outcome->output, *end = text + outcome->output_size;
    run_clean_text(text, outcome->output_size);
    while (end > text && (end[-1] == '\n' || end[-1] == ' ' || end[-1] == '\t'))
        --end;
    *end = 0;
    char *start = strrchr(text, '\n');
    start = start ? start + 1 : text;
    if (strlen(start) > 300)
        start[300] = 0;
    return start;
}

static void explain_signal(struct check *check, int number)
{
    if (number == SIGXFSZ)
        check_fail(check, "crashed", "your program wrote a file larger than %zu MB",
                   2 * RESULT_BYTES >> 20);
    else
        check_fail(check, "crashed", "your program crashed, outside of any kernel: %s (signal %d)",
                   strsignal(number), number);
}

/* What to try, by how the emulator's id of a finding and its message begin. */
static const char *advice_for(const char *id, const char *message)
{
    static const struct {
        const char *id, *message, *hint;
    } rows[] = {
        {"out-of-bounds", "shared ",
         "Has the array in shared memory room for all that is kept there, and does every index "
         "stay "
         "below its length? An array that is extern has as many bytes as the third number of its "
         "launch."},
        {"out-of-bounds", "", "Compare every index with the number of elements before you use it."},
        {"endless-loop", "",
         "Does the loop's counter change in every step, and towards its end? Or "
         "does every thread do "
         "the whole work?"},
        {"invalid-launch", "",
         "Look at the numbers between <<< and >>>: are they right for every size of the input?"},
        {"divergent-barrier", "", "Every thread of a block must reach the same __syncthreads()."},
        {"bad-warp-mask", "",
         "The mask must name just the lanes that call: not those outside of the if."},
        {"race-", "",
         "What one thread writes and another reads needs a __syncthreads() in between, or "
         "__syncwarp() within a warp."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (strncmp(rows[i].id, id, strlen(rows[i].id)) == 0 &&
            strncmp(rows[i].message, message, strlen(rows[i].message)) == 0)
            return rows[i].hint;
    return "";
}

/* What to try, by how a run ended. */
static const char *advice_for_end(enum run_end end)
{
    switch (end) {
    case RUN_TIMED_OUT:
        return "Is there a loop that never ends, in main() or in a kernel?";
    case RUN_SIGNALLED:
        return "Memory from cudaMalloc() may be used by kernels only; main() must copy it first.";
    default:
        return "";
    }
}

static void explain_exit(struct check *check, struct run_outcome *outcome)
{
    static const char no_input[] = "lab.h: the case has no array named: ";
    const char *said = last_line(outcome);
    if (strncmp(said, no_input, strlen(no_input)) == 0)
        check_fail(check, "failed",
                   "your program asks for an input \"%s\", which this lab does not give",
                   said + strlen(no_input));
    else
        check_fail(check, "failed", "your program ended with exit code %d%s%s", outcome->code,
                   *said ? " and said: " : "", said);
    if (strncmp(said, no_input, strlen(no_input)) == 0)
        check_advise(check, "Is it the file of another lab, or did you change main()?");
}

static void explain_timeout(struct check *check, int seconds)
{
    char path[RUN_PATH_SIZE];
    check_fail(check, "timeout", "your program did not end within %d seconds%s", seconds,
               seconds < WALL_SECONDS ? " (no longer, as it has hung before)" : "");
    if (hung_path(check, path))
        run_write_file(path, "", 0, 0600); /* if not, the next one waits longer: no harm */
}

/* A verdict from how the process ended. Does nothing if it ended well, or there is a verdict. */
static void explain_end(struct check *check, struct run_outcome *outcome, int seconds)
{
    bool was_open = check_is_open(check);
    switch (outcome->end) {
    case RUN_EXITED:
        if (outcome->code != 0 && was_open)
            explain_exit(check, outcome);
        break;
    case RUN_SIGNALLED:
        explain_signal(check, outcome->code);
        break;
    case RUN_TIMED_OUT:
        explain_timeout(check, seconds);
        break;
    case RUN_TOO_MUCH:
        check_fail(check, "failed", "your program printed more than %zu MB", OUTPUT_LIMIT >> 20);
        break;
    case RUN_NOT_STARTED:
        check_break(check, "the program could not be started: %s", run_start_error(outcome));
        break;
    case RUN_INTERRUPTED:
        check_break(check, "interrupted");
        break;
    }
    if (was_open && !check_is_open(check) && !check->advised)
        check_advise(check, "%s", advice_for_end(outcome->end));
}

/* The status of the first launch that did not end well; "ok" if all did. */
static const char *launch_status(const json_t *record)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        const char *status = json_string_value(json_object_get(launch, "status"));
        if (status && strcmp(status, "ok") != 0)
            return status;
    }
    return "ok";
}

/* A verdict from one finding of severity error, which knows more than an exit code. */
static void explain_finding(struct check *check, const json_t *finding, const char *status,
                            struct run_outcome *outcome)
{
    const char *id = "", *message = "", *file = "", *said = "";
    json_int_t line = 0, column = 0;
    json_unpack((json_t *)finding, "{s?s, s?s, s?s, s?I, s?I}", "id", &id, "message", &message,
                "file", &file, "line", &line, "column", &column);
    if (line == 0 && outcome) /* then the program itself may have said where it was */
        said = last_line(outcome);
    check_fail(check, strcmp(status, "timeout") == 0 ? "timeout" : "failed", "%s%s%s", message,
               *said ? "; your program said: " : "", said);
    check_point_at(check, file, (unsigned)line, (unsigned)column);
    check_advise(check, "%s", advice_for(id, message));
}

/* A verdict from what the emulator found: an error costs the check in whose run it was, whatever the
 * answer. That comes before the answer is judged, since it explains a wrong one. */
static void explain_findings(struct check *check, const json_t *record, struct run_outcome *outcome)
{
    const char *status = launch_status(record);
    size_t i;
    json_t *finding;
    if (strcmp(status, "internal") == 0)
        check_break(check, "the emulator failed while it ran a kernel");
    json_array_foreach(json_object_get(record, "findings"), i, finding)
    {
        const char *severity = json_string_value(json_object_get(finding, "severity"));
        if (severity && strcmp(severity, "error") == 0 && check_is_open(check))
            explain_finding(check, finding, status, outcome);
    }
    if (strcmp(status, "ok") != 0)
        check_fail(check, strcmp(status, "timeout") == 0 ? "timeout" : "failed",
                   "a kernel ended badly: %s", status);
}

/* --- what a run left ------------------------------------------------------------------------------ */

static void add_counters(json_t *totals, const json_t *counters)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)counters, name, value)
    {
        json_int_t sum = json_integer_value(json_object_get(totals, name));
        json_int_t more = json_integer_value(value);
        json_object_set_new(totals, name, json_integer(sum + more));
    }
}

static json_t *sum_counters(const json_t *record)
{
    json_t *totals = json_object(), *launch;
    size_t i;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
        add_counters(totals, json_object_get(launch, "counters"));
    return totals;
}

/* What the submission's own lines did. */
static void take_lines(struct check *check, const json_t *record)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
        run_lines_add(check->lines, json_object_get(launch, "lines"), check->job.file_name);
    run_accesses_add(check->accesses, json_object_get(record, "accesses"), check->job.file_name);
}

static void take_record(struct check *check, struct trial *trial, const char *path)
{
    char error[200] = "";
    trial->record = run_record_read(path, error, sizeof error);
    if (!trial->record) {
        check_fail(check, "failed", "the emulator's record of your program is unreadable: %s",
                   error);
        return;
    }
    trial->counters = sum_counters(trial->record);
    json_decref(check->counters);
    check->counters = json_incref(trial->counters);
    json_array_extend(check->findings, json_object_get(trial->record, "findings"));
    take_lines(check, trial->record);
}

static void take_result(struct check *check, struct trial *trial, const char *path)
{
    char error[100];
    struct stat status;
    if (!check_is_open(check))
        return;
    if (lstat(path, &status) != 0 || status.st_size == 0)
        check_fail(check, "no-result", "your program ended before it handed in a result");
    else if (!(trial->result = case_read(path, RESULT_BYTES, error, sizeof error)))
        check_fail(check, "no-result", "the result file of your program %s", error);
    if (!trial->result)
        check_advise(check, "main() must come to lab_result() and, at its end, to lab_close().");
}

/* Writes the case, and the empty files that the run fills. */
static bool write_files(const struct surroundings *around, const struct case_data *input)
{
    return run_make_folder(around->folder) && case_write(input, around->input) &&
           run_write_file(around->result, "", 0, 0600) &&
           (!*around->record || run_write_file(around->record, "", 0, 0600));
}

/* Makes the folder of the next run, with the case in it. */
static bool prepare(struct check *check, const struct check_run *run, struct surroundings *around,
                    const struct case_data *input)
{
    if (check->trial_count == CHECK_MAX_BLOCKS) {
        check_break(check, "more runs than a check may have"); /* a mistake in checks.c */
        return false;
    }
    around->record[0] = 0;
    bool named = run_path(around->folder, "%s/%s-%u", check->job.folder, check->info->id,
                          check->run_count) &&
                 run_path(around->input, "%s/case", around->folder) &&
                 run_path(around->result, "%s/result", around->folder) &&
                 (run->device == RUN_GPU || run_path(around->record, "%s/record", around->folder));
    if (named && write_files(around, input))
        return true;
    check_break(check, "cannot write the case into %s: %s", around->folder, strerror(errno));
    return false;
}

const struct trial *check_perform_run(struct check *check, const struct check_run *run,
                                      const struct case_data *input)
{
    struct surroundings around;
    struct run_outcome outcome;
    if (!check_is_open(check) || !prepare(check, run, &around, input))
        return NULL;
    uint64_t stream = check_random_start(check->job.seed ^ check->run_count++, check->info->id);
    struct trial *trial = &check->trials[check->trial_count++];
    *trial = (struct trial){0};
    fill_environment(&around, check, run, check_random_next(&stream) >> 1 | 1);
    int seconds = wall_seconds(check, run);
    execute(check, &around, run, seconds, &outcome);
    if (run->device == RUN_EMULATOR && outcome.end != RUN_NOT_STARTED)
        take_record(check, trial, around.record);
    if (trial->record)
        explain_findings(check, trial->record, &outcome);
    explain_end(check, &outcome, seconds);
    take_result(check, trial, around.result);
    run_outcome_free(&outcome);
    run_remove_tree(around.folder);
    return check_is_open(check) ? trial : NULL;
}

const struct trial *check_run(struct check *check, const struct case_data *input)
{
    enum run_device device = check_device(check->info, check->job.device);
    struct check_run run = {
        .program = check->job.programs[device], .device = device, .watched = check->info->watched};
    if (*run.program)
        return check_perform_run(check, &run, input);
    check_break(check, "the submission was not built for %s", run_device_name(device));
    return NULL;
}

void check_free_trials(struct check *check)
{
    for (unsigned i = 0; i < check->trial_count; ++i) {
        case_free(check->trials[i].result);
        json_decref(check->trials[i].record);
        json_decref(check->trials[i].counters);
    }
    check->trial_count = 0;
}
