/* One run of the submission: what it left, and what that says.
 *
 * Nothing that the program prints is ever judged; its last line is only shown. */
#include "checks/run.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "gpu/finding_kinds.h"
#include "gpu/remote/server.h"
#include "record/lines.h"
#include "record/record.h"

#define WALL_SECONDS 10
#define HUNG_SECONDS 3 /* once it has hung: whoever waited 10 s need not wait so long again */

/* The file that says that the submission has hung: seen by the other checks of this grading too. */
static bool hung_path(const struct check *check, char path[PATH_SIZE])
{
    return base_path(path, "%s/hung", check->job.folder);
}

/* How long a run may take. */
static int wall_seconds(const struct check *check, const struct check_run *run)
{
    char path[PATH_SIZE];
    bool hung = !run->own && hung_path(check, path) && access(path, F_OK) == 0;
    return hung ? HUNG_SECONDS : WALL_SECONDS;
}

/* --- why a run is no good ------------------------------------------------------------------------- */

/* The last line that is not empty, fit to be shown; "" if there is none. */
static const char *last_line(struct process_outcome *outcome)
{
    char *text = outcome->output, *end = text + outcome->output_size;
    base_clean_text(text, outcome->output_size);
    if (outcome->output_cut) /* in the midst of a line */
        while (end > text && end[-1] != '\n')
            --end;
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
                   PROCESS_FILE_BYTES >> 20);
    else
        check_fail(check, "crashed", "your program crashed, outside of any kernel: %s (signal %d)",
                   strsignal(number), number);
}

/* What to try about a finding, as a sentence. */
static void advise_about(struct check *check, const char *id)
{
    const struct finding_kind *kind = emu_finding_kind(id);
    if (kind)
        check_advise(check, "%c%s%s", toupper((unsigned char)*kind->help), kind->help + 1,
                     strchr(".?", kind->help[strlen(kind->help) - 1]) ? "" : ".");
}

/* What to try, by how a run ended. */
static const char *advice_for_end(const struct process_outcome *outcome)
{
    switch (outcome->end) {
    case PROCESS_TIMED_OUT:
        return "Is there a loop that never ends, or one that calls CUDA for each number?";
    case PROCESS_TOO_MUCH_OUTPUT:
        return "Is there a printf() left, in a kernel or in a loop? Each thread prints a line of its own.";
    case PROCESS_SIGNALLED:
        return outcome->code == SIGSEGV || outcome->code == SIGBUS
                   ? "Memory from cudaMalloc() may be used by kernels only; main() must copy it first."
                   : "";
    default:
        return "";
    }
}

static void explain_exit(struct check *check, struct process_outcome *outcome)
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
    else if (strstr(said, "out of memory"))
        check_advise(
            check,
            "In a grading the GPU has %llu MB. Does your program ask for more than it needs, or never free any?",
            (unsigned long long)PROCESS_GPU_BYTES >> 20);
}

static void explain_timeout(struct check *check, int seconds)
{
    char path[PATH_SIZE];
    check_fail(check, "timeout", "your program did not end within %d seconds%s", seconds,
               seconds < WALL_SECONDS ? " (no longer, as it has hung before)" : "");
    if (hung_path(check, path))
        base_write_file(path, "", 0, 0600); /* if not, the next one waits longer: no harm */
}

/* A verdict from how the process ended. Does nothing if it ended well, or there is a verdict. */
static void explain_end(struct check *check, struct process_outcome *outcome, int seconds)
{
    bool was_open = check_is_open(check);
    switch (outcome->end) {
    case PROCESS_EXITED:
        if (outcome->code != 0 && was_open)
            explain_exit(check, outcome);
        break;
    case PROCESS_SIGNALLED:
        explain_signal(check, outcome->code);
        break;
    case PROCESS_TIMED_OUT:
        explain_timeout(check, seconds);
        break;
    case PROCESS_TOO_MUCH_OUTPUT:
        check_fail(check, "failed", "your program printed more than %zu MB",
                   PROCESS_OUTPUT_LIMIT >> 20);
        break;
    case PROCESS_NOT_STARTED:
        check_break(check, "the program could not be started: %s", process_start_error(outcome));
        break;
    case PROCESS_INTERRUPTED:
        check_break(check, "interrupted");
        break;
    }
    if (was_open && !check_is_open(check) && !check->advised)
        check_advise(check, "%s", advice_for_end(outcome));
}

/* A verdict from how the device's process ended, if not well. It ends as it was told to, unless it is
 * broken, or the program has asked too much of it. */
static void explain_device(struct check *check, struct process_outcome *device)
{
    switch (device->end) {
    case PROCESS_EXITED:
        if (device->code == SERVER_BROKEN)
            check_fail(check, "failed", "your program has spoken to the GPU past the CUDA library");
        else if (device->code != SERVER_DONE)
            check_break(check, "the emulator ended with code %d: %s", device->code,
                        last_line(device));
        break;
    case PROCESS_SIGNALLED:
        check_break(check, "the emulator crashed: %s (signal %d)", strsignal(device->code),
                    device->code);
        break;
    case PROCESS_NOT_STARTED:
        check_break(check, "the emulator could not be started: %s", process_start_error(device));
        break;
    default: /* out of time, as the program that waits for it soon will be */
        break;
    }
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

/* "; allocated here: line 88", and the same of other places that say what they are. */
static void tell_places(char *text, size_t size, const json_t *finding)
{
    size_t i, used = 0;
    json_t *place;
    *text = '\0';
    json_array_foreach(json_object_get(finding, "related"), i, place)
    {
        const char *what = json_string_value(json_object_get(place, "message"));
        if (what && used < size)
            used += (size_t)snprintf(text + used, size - used, "; %s: line %lld", what,
                                     (long long)json_integer_of(place, "line"));
    }
}

/* A verdict from one finding of severity error, which knows more than an exit code. */
static void explain_finding(struct check *check, const json_t *finding, const char *status,
                            struct process_outcome *outcome)
{
    const char *id = "", *message = "", *file = "", *kernel = "", *said = "";
    json_int_t line = 0, column = 0;
    char places[200];
    json_unpack((json_t *)finding, "{s?s, s?s, s?s, s?s, s?I, s?I}", "id", &id, "message", &message,
                "file", &file, "kernel", &kernel, "line", &line, "column", &column);
    if (strcmp(id, "invalid-launch") == 0)
        snprintf(check->kernel, sizeof check->kernel, "%s", kernel);
    else if (line == 0 && outcome) /* then the program itself may have said where it was */
        said = last_line(outcome);
    tell_places(places, sizeof places, finding);
    check_fail(check, strcmp(status, "timeout") == 0 ? "timeout" : "failed", "%s%s%s%s", message,
               places, *said ? "; your program said: " : "", said);
    check_point_at(check, file, (unsigned)line, (unsigned)column);
    advise_about(check, id);
}

/* A verdict from what the emulator found: an error costs the check in whose run it was, whatever the
 * answer. That comes before the answer is judged, since it explains a wrong one. */
static void explain_findings(struct check *check, const json_t *record,
                             struct process_outcome *outcome)
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
        json_int_t sum = json_integer_of(totals, name);
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
        record_add_lines(check->lines, json_object_get(launch, "lines"), check->job.file_name);
    record_add_accesses(check->accesses, json_object_get(record, "accesses"), check->job.file_name);
}

static void take_record(struct check *check, struct trial *trial)
{
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
    else if (!(trial->result = case_read(path, PROCESS_RESULT_BYTES, error, sizeof error)))
        check_fail(check, "no-result", "the result file of your program %s", error);
    if (!trial->result)
        check_advise(check, "main() must come to lab_result() and, at its end, to lab_close().");
}

/* The processes of a run, and what they left. */
struct ended {
    struct check_run run; /* as it was in the end: perhaps there was nothing to hide */
    struct process process;
    struct process_outcome program, device;
    int seconds;    /* that it was given */
    json_t *record; /* NULL: there is none, or WHY not */
    char why[200];
};

/* Whether the whole input came to the GPU as main() saw it, so that kernels had the judged one. A program that was
 * stopped is not run again to find out. */
static bool has_arrived(const struct ended *ended)
{
    enum process_end end = ended->program.end;
    bool by_itself =
        end == PROCESS_EXITED || end == PROCESS_SIGNALLED || end == PROCESS_TOO_MUCH_OUTPUT;
    return !by_itself || json_integer_of(ended->record, "missing") == 0;
}

static bool run_processes(struct check *check, const struct check_run *run,
                          const struct case_data *input, struct ended *ended)
{
    uint64_t stream = check_random_apart(check, "shown");
    struct case_data *shown = run->hides ? check_other_case(input, &stream) : NULL;
    ended->run = *run;
    ended->run.hides = shown;
    if (run->hides && !shown)
        ended->run.spoils = check_spoil_rate(input);
    bool good = process_prepare(&ended->process, check, run, input, shown);
    if (!good)
        check_break(check, "cannot write the case into %s: %s", ended->process.folder,
                    strerror(errno));
    case_free(shown);
    check->run_count++;
    if (!good)
        return false;
    ended->seconds = wall_seconds(check, run);
    process_execute(&ended->process, check, &ended->run, ended->seconds, &ended->program,
                    &ended->device);
    if (run->device == ON_EMULATOR && ended->program.end != PROCESS_NOT_STARTED)
        ended->record = record_read(ended->process.record, ended->why, sizeof ended->why);
    return true;
}

static void end_processes(struct ended *ended)
{
    json_decref(ended->record);
    process_outcome_free(&ended->program);
    process_outcome_free(&ended->device);
    process_remove(&ended->process);
}

/* A verdict from what a run left, if anything of it is wrong. */
static void take_run(struct check *check, struct trial *trial, struct ended *ended)
{
    char why[100];
    trial->seconds = ended->program.seconds;
    trial->record = json_incref(ended->record);
    explain_device(check, &ended->device);
    if (trial->record) {
        trial->counters = sum_counters(trial->record);
        if (!trial->run.backwards) /* the same again */
            take_record(check, trial);
        explain_findings(check, trial->record, &ended->program);
    } else if (*ended->why) {
        check_fail(check, "failed", "the emulator's record of your program is unreadable: %s",
                   ended->why);
    }
    explain_end(check, &ended->program, ended->seconds);
    take_result(check, trial, ended->process.result);
    if (trial->run.hides &&
        !base_read_file(ended->process.answers, SIZE_MAX - 1, &trial->judged, why, sizeof why))
        check_break(check, "what the kernels made cannot be read: it %s", why);
}

/* With nothing hidden: where the input cannot be told from what the program sends to the GPU. */
static const struct trial *perform_openly(struct check *check, const struct check_run *run,
                                          const struct case_data *input)
{
    struct check_run open = *run;
    open.hides = false;
    open.spoils = run->device == ON_EMULATOR && !run->backwards ? check_spoil_rate(input) : 0;
    return check_perform_run(check, &open, input);
}

static const struct trial *mark_altered(struct check *check, const struct trial *trial)
{
    if (trial)
        check->trials[trial - check->trials].was_altered = true;
    return trial;
}

const struct trial *check_perform_run(struct check *check, const struct check_run *run,
                                      const struct case_data *input)
{
    struct ended ended = {.device = {.end = PROCESS_EXITED}};
    if (!check_is_open(check))
        return NULL;
    if (check->trial_count == CHECK_MAX_BLOCKS) {
        check_break(check, "more runs than a check may have"); /* a mistake in checks.c */
        return NULL;
    }
    if (!run_processes(check, run, input, &ended))
        return NULL;
    if (ended.run.hides && !has_arrived(&ended)) {
        end_processes(&ended);
        return mark_altered(check, perform_openly(check, run, input));
    }
    struct trial *trial = &check->trials[check->trial_count++];
    *trial = (struct trial){.run = ended.run, .input = input};
    take_run(check, trial, &ended);
    end_processes(&ended);
    return check_is_open(check) ? trial : NULL;
}

const struct trial *check_run_openly(struct check *check, const struct trial *hidden)
{
    struct trial *trial = &check->trials[hidden - check->trials];
    if (!trial->open)
        trial->open = mark_altered(check, perform_openly(check, &hidden->run, hidden->input));
    return trial->open;
}

void check_blame_order(struct check *check)
{
    char verdict[CHECK_MESSAGE_SIZE];
    if (check_is_open(check) || check->broken[0])
        return;
    memcpy(verdict, check->message, sizeof verdict);
    snprintf(check->message, sizeof check->message,
             "right only in one order of warps: with the last one first, %.*s",
             CHECK_MESSAGE_SIZE - 100, verdict);
    check_advise(
        check,
        "No thread may count on another's work before both were at one __syncthreads(); on another block's, not within a launch. Atomics wait for nobody.");
}

const struct trial *check_run_backwards(struct check *check, const struct trial *trial)
{
    if (!check_is_open(check) || !trial || !trial->run.watched || trial->run.device != ON_EMULATOR)
        return NULL;
    struct trial *keeper = &check->trials[trial - check->trials];
    struct check_run run = trial->run;
    run.watched = false;
    run.backwards = true;
    run.hides = run.hides && !trial->open;
    if (!keeper->backwards)
        keeper->backwards = run.hides ? check_perform_run(check, &run, trial->input)
                                      : perform_openly(check, &run, trial->input);
    check_blame_order(check);
    return keeper->backwards;
}

const struct trial *check_run(struct check *check, const struct case_data *input)
{
    enum grading_device device = check_device(check->info, check->job.device);
    bool open = check->info->open_input;
    struct check_run run = {.program = check->job.programs[device],
                            .device = device,
                            .watched = check->info->watched,
                            .hides = device == ON_EMULATOR && !open};
    if (*run.program)
        return open ? perform_openly(check, &run, input) : check_perform_run(check, &run, input);
    check_break(check, "the submission was not built for %s", grading_device_name(device));
    return NULL;
}

void check_free_trials(struct check *check)
{
    for (unsigned i = 0; i < check->trial_count; ++i) {
        case_free(check->trials[i].result);
        json_decref(check->trials[i].record);
        json_decref(check->trials[i].counters);
        free(check->trials[i].judged.bytes);
        check_free_answers(&check->trials[i]);
    }
    check->trial_count = 0;
}
