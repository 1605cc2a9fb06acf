/* Performs one run of the submission. Decides whether main() sees the judged input, reads the files
 * that the run wrote, and repeats the run in other ways if needed.
 *
 * Checks never judge the program's output; reports only show its last lines. */
#include "checks/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "checks/explain.h"
#include "checks/inputs.h"
#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/processes.h"
#include "checks/verdict.h"
#include "record/lines.h"
#include "record/record.h"

/* Makes the path of a file that exists if the submission has hung before. All checks of a grading
 * share this file. */
static bool hung_path(const struct check *check, char path[PATH_SIZE])
{
    return base_path(path, "%s/hung", check->job.folder);
}

static bool has_hung(const struct check *check, const struct run_plan *plan)
{
    char path[PATH_SIZE];
    return !check_is_trial(check) && !plan->own && hung_path(check, path) &&
           access(path, F_OK) == 0;
}

static void note_hung(const struct check *check)
{
    char path[PATH_SIZE];
    if (hung_path(check, path))
        /* a failure here only means that the next run that hangs takes longer */
        base_write_file(path, "", 0, 0600);
}

/* Makes the path of a file that exists if the program has hung TIME times (1 or 2) before it opened
 * its case. Only the case differs between checks, so such a program hangs in every check, and is
 * not run again after the second time. */
static bool early_path(const struct check *check, int time, char path[PATH_SIZE])
{
    return base_path(path, "%s/hung-early-%d", check->job.folder, time);
}

static void note_hung_early(struct check *check)
{
    char path[PATH_SIZE];
    int file = -1;
    for (int time = 1; time <= 2 && file < 0 && early_path(check, time, path); ++time)
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
    check_add(check, "; it had not yet called lab_open()");
}

/* If the submission would certainly hang, fails the check and returns true. */
static bool would_hang(struct check *check, const struct run_plan *plan)
{
    char path[PATH_SIZE];
    if (check_is_trial(check) || plan->own || !early_path(check, 2, path) ||
        access(path, F_OK) != 0)
        return false;
    check_fail(check, "timeout",
               "your program was not run here: in two other checks it did not reach lab_open()");
    check_advise(check, "Is there an endless loop or a wait before lab_open() in main()?");
    return true;
}

/* --- reading the files of a run --------------------------------------------------------------- */

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

/* Adds the counters and accesses of the student's lines to the report. */
static void take_lines(struct check *check, const json_t *record)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
        record_add_lines(check->lines, json_object_get(launch, "lines"), check->job.file_name);
    record_add_accesses(check->accesses, json_object_get(record, "accesses"), check->job.file_name);
}

/* Adds the description of the run's case to each element of LIST (findings or accesses). */
static void name_run(const struct check *check, json_t *list)
{
    size_t i;
    json_t *element;
    json_array_foreach(list, i, element)
        json_object_set_new(element, "case", json_string(check->context));
}

static void take_record(struct check *check, struct run *run)
{
    name_run(check, json_object_get(run->record, "findings"));
    name_run(check, json_object_get(run->record, "accesses"));
    json_decref(check->counters);
    check->counters = json_incref(run->counters);
    json_array_extend(check->findings, json_object_get(run->record, "findings"));
    take_lines(check, run->record);
}

static void take_result(struct check *check, struct run *run, const char *path)
{
    char error[100];
    struct stat status;
    if (!check_is_open(check))
        return;
    if (lstat(path, &status) != 0 || status.st_size == 0)
        check_fail(check, "no-result", "your program ended before it handed in a result");
    else if (!(run->result = case_read(path, RUN_RESULT_BYTES, error, sizeof error)))
        check_fail(check, "no-result", "the result file of your program %s", error);
    if (!run->result)
        check_advise(check, "main() must call lab_result() and, at its end, lab_close().");
}

/* The processes of a run that has ended, and their record. */
struct ended {
    /* the plan as it was carried out; it has no decoy if INPUT is too short to be hidden */
    struct run_plan plan;
    struct run_files files;
    struct process_outcome program, device;
    struct run_limits limits;
    json_t *record; /* NULL if there is none */
    char why[200];  /* why the record is unreadable, otherwise "" */
};

/* Returns whether main() copied the whole decoy to the GPU unchanged, so that kernels worked on the
 * judged input. Also returns true if the grader stopped the program, because a second run would
 * only waste time. */
static bool has_arrived(const struct ended *ended)
{
    enum process_end end = ended->program.end;
    bool by_itself =
        end == PROCESS_EXITED || end == PROCESS_SIGNALLED || end == PROCESS_TOO_MUCH_OUTPUT;
    return !by_itself || json_integer_of(ended->record, "missing") == 0;
}

/* Completes PLAN. Decides whether main() sees another case than INPUT, and whether a second device
 * gets spoilt data. If NO_OTHER is true, main() sees INPUT. */
static struct run_plan plan_data(const struct run_plan *plan, const struct case_data *input,
                                 bool no_other)
{
    struct run_plan carried_out = *plan;
    size_t rate = check_spoil_rate(input);
    bool seen = no_other && plan->device == ON_EMULATOR && !plan->scrambles && !plan->diagnoses;
    carried_out.shows = seen && rate == 0;
    carried_out.spoils = seen && !plan->backwards ? rate : 0;
    carried_out.hides = !no_other || carried_out.shows;
    return carried_out;
}

static bool make_run(struct check *check, const struct run_plan *plan,
                     const struct case_data *input, struct ended *ended)
{
    struct check_random stream;
    check_random_start(check, "shown", &stream);
    struct case_data *decoy =
        plan->hides && !plan->misleads ? check_other_case(input, &stream) : NULL;
    const struct case_data *shown = plan->misleads ? plan->misleads : decoy;
    ended->plan = plan_data(plan, input, !shown);
    bool good = run_files_make(&ended->files, check, &ended->plan, input, shown);
    if (!good)
        check_break(check, "cannot write the case into %s: %s", ended->files.folder,
                    strerror(errno));
    case_free(decoy);
    check->process_count++;
    if (!good)
        return false;
    ended->limits = run_limits_of(plan->device, check_is_trial(check) || has_hung(check, plan));
    if (check_is_trial(check))
        ended->limits.instructions = (unsigned)check->job.instructions;
    run_processes(&ended->files, check, &ended->plan, &ended->limits, &ended->program,
                  &ended->device);
    if (!plan->own) {
        check->run_seconds += run_seconds(plan->device, &ended->program, &ended->device);
        check->idle_seconds += ended->program.idle_seconds;
    }
    if (plan->device == ON_EMULATOR && ended->program.end != PROCESS_NOT_STARTED)
        ended->record = record_read(ended->files.record, ended->why, sizeof ended->why);
    return true;
}

static void end_processes(struct ended *ended)
{
    json_decref(ended->record);
    process_outcome_free(&ended->program);
    process_outcome_free(&ended->device);
    run_files_remove(&ended->files);
}

#define WATCHED_COST 4 /* racecheck and initcheck make a run two to four times as long */

/* Moves the data of a run that has ended to RUN. Fails the check if the data shows a failure. */
static void take_run(struct check *check, struct run *run, struct ended *ended)
{
    char why[100];
    run->seconds = ended->program.seconds;
    run->wider_pitch = ended->files.wider_pitch;
    if (check_is_open(check))
        check_keep_printed(check, &ended->program);
    run->record = json_incref(ended->record);
    check_explain_device(check, &ended->device, &ended->limits);
    if (run->record) {
        run->counters = sum_counters(run->record);
        check->instructions += (run->plan.watched ? WATCHED_COST : 1) *
                               json_number_of(run->counters, "warp_instructions");
        /* the record of a run in the other order would only repeat the first run's record */
        if (!run->plan.backwards)
            take_record(check, run);
        check_explain_findings(check, run, &ended->program);
    } else
        check->instructions += ended->limits.instructions; /* it was stopped */
    if (*ended->why) {
        check_fail(check, "failed", "the emulator's record of your program is unreadable: %s",
                   ended->why);
        if (strstr(ended->why, "too many launches"))
            check_advise(check, "Does a loop in main() launch kernels without end?");
    }
    check_explain_end(check, &ended->program, &ended->limits);
    check_explain_total(check, &ended->limits);
    if (!check_is_open(check) && strcmp(check->verdict.status ?: "", "timeout") == 0) {
        note_hung(check);
        if (!run_files_opened(&ended->files))
            note_hung_early(check);
    }
    take_result(check, run, ended->files.result);
    if (run->plan.hides &&
        !base_read_file(ended->files.answers, SIZE_MAX - 1, &run->judged, why, sizeof why))
        check_break(check, "the file of the kernels' results %s", why);
}

/* Runs the program again without a decoy, because it did not copy the decoy unchanged to the
 * GPU. */
static const struct run *perform_openly(struct check *check, const struct run_plan *plan,
                                        const struct case_data *input)
{
    struct run_plan open = *plan;
    open.hides = false;
    return check_perform_run(check, &open, input);
}

static const struct run *mark_altered(struct check *check, const struct run *run)
{
    if (run)
        check->runs[run - check->runs].was_altered = true;
    return run;
}

const struct run *check_perform_run(struct check *check, const struct run_plan *plan,
                                    const struct case_data *input)
{
    struct ended ended = {.device = {.end = PROCESS_EXITED}};
    if (!check_is_open(check))
        return NULL;
    if (check->run_count == CHECK_MAX_BLOCKS) {
        check_break(check, "more runs than a check may have"); /* checks.c has a mistake */
        return NULL;
    }
    if (would_hang(check, plan) || !make_run(check, plan, input, &ended))
        return NULL;
    if (ended.plan.hides && !ended.plan.shows && !has_arrived(&ended)) {
        end_processes(&ended);
        return mark_altered(check, perform_openly(check, plan, input));
    }
    struct run *run = &check->runs[check->run_count++];
    *run = (struct run){.plan = ended.plan, .input = input};
    memcpy(run->context, check->context, sizeof run->context);
    take_run(check, run, &ended);
    end_processes(&ended);
    return check_is_open(check) ? run : NULL;
}

const struct run *check_run_openly(struct check *check, const struct run *hidden)
{
    struct run *run = &check->runs[hidden - check->runs];
    if (!run->open)
        run->open = mark_altered(check, perform_openly(check, &hidden->plan, hidden->input));
    return run->open;
}

/* Runs the program again on INPUT. Returns its result file, or NULL if there is no readable one. */
static struct case_data *try_run(struct check *check, const struct run_plan *plan,
                                 const struct case_data *input)
{
    struct ended ended = {.device = {.end = PROCESS_EXITED}};
    struct case_data *result = NULL;
    char ignored[100];
    if (!make_run(check, plan, input, &ended))
        return NULL;
    if (ended.program.end == PROCESS_EXITED && ended.program.code == 0)
        result = case_read(ended.files.result, RUN_RESULT_BYTES, ignored, sizeof ignored);
    end_processes(&ended);
    return result;
}

struct case_data *check_run_scrambled(struct check *check, const struct run *run,
                                      enum emu_scramble memory)
{
    struct run_plan plan = run->plan;
    plan.scrambles = memory;
    plan.watched = plan.backwards = plan.hides = false;
    return try_run(check, &plan, run->input);
}

struct case_data *check_run_misled(struct check *check, const struct run *run,
                                   const struct case_data *shown)
{
    struct run_plan plan = run->plan;
    plan.watched = plan.backwards = false;
    plan.hides = true;
    plan.misleads = shown;
    return try_run(check, &plan, run->input);
}

/* Racecheck and initcheck are active in a repeated run only if the first run executed at most this
 * number of warp instructions, because they make a run longer (see WATCHED_COST). */
#define MOST_WATCHED 8e6 /* warp instructions */

struct rerun check_run_again(struct check *check, const struct run *run)
{
    struct ended ended = {.device = {.end = PROCESS_EXITED}};
    struct rerun again = {0};
    struct run_plan plan = {.program = check->job.programs[ON_EMULATOR],
                            .device = ON_EMULATOR,
                            .watched = true,
                            .diagnoses = true,
                            .wider_pitch = run->wider_pitch};
    char ignored[100];
    if (check_is_trial(check) || !*plan.program || run->plan.own || run->plan.repeats > 0 ||
        json_number_of(run->counters, "warp_instructions") > MOST_WATCHED ||
        !make_run(check, &plan, run->input, &ended))
        return again;
    again.record = json_incref(ended.record);
    if (ended.program.end == PROCESS_EXITED && ended.program.code == 0)
        again.result = case_read(ended.files.result, RUN_RESULT_BYTES, ignored, sizeof ignored);
    end_processes(&ended);
    return again;
}

void check_free_rerun(struct rerun *again)
{
    json_decref(again->record);
    case_free(again->result);
}

/* Repeats RUN with blocks and warps in reverse order. A second call returns the run of the first
 * call. */
static const struct run *repeat_backwards(struct check *check, const struct run *run)
{
    struct run *keeper = &check->runs[run - check->runs];
    struct run_plan plan = run->plan;
    plan.watched = false;
    plan.backwards = true;
    plan.hides = plan.hides && !run->open;
    if (!keeper->backwards)
        keeper->backwards = plan.hides ? check_perform_run(check, &plan, run->input)
                                       : perform_openly(check, &plan, run->input);
    check_blame_order(check);
    return keeper->backwards;
}

const struct run *check_run_backwards(struct check *check, const struct run *run)
{
    if (!check_is_open(check) || !run || !run->plan.watched || run->plan.device != ON_EMULATOR)
        return NULL;
    return repeat_backwards(check, run);
}

double check_worse_counter(struct check *check, const struct run *run, const char *name)
{
    double forwards = check_counter(run, name);
    if (!run || !run->counters || !check_is_open(check))
        return forwards;
    double backwards = check_counter(repeat_backwards(check, run), name);
    return backwards > forwards ? backwards : forwards;
}

const struct run *check_run(struct check *check, const struct case_data *input)
{
    enum grading_device device = check_device(check->info, check->job.device);
    bool open = check->info->open_input;
    struct run_plan plan = {.program = check->job.programs[device],
                            .device = device,
                            .watched = check->info->watched && !check->unwatched,
                            .hides = device == ON_EMULATOR && !open};
    if (*plan.program)
        return open ? perform_openly(check, &plan, input) : check_perform_run(check, &plan, input);
    check_break(check, "the submission was not built for %s", grading_device_name(device));
    return NULL;
}

void check_free_runs(struct check *check)
{
    for (unsigned i = 0; i < check->run_count; ++i) {
        case_free(check->runs[i].result);
        json_decref(check->runs[i].record);
        json_decref(check->runs[i].counters);
        free(check->runs[i].judged.bytes);
        check_free_answers(&check->runs[i]);
    }
    check->run_count = 0;
}
