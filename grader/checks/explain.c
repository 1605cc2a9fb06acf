#include "checks/explain.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "checks/deduce.h"
#include "checks/internal.h"
#include "checks/makers.h"
#include "checks/processes.h"
#include "checks/slice.h"
#include "checks/source.h"
#include "checks/verdict.h"
#include "gpu/deductions.h"
#include "gpu/finding_kinds.h"
#include "gpu/remote/server.h"
#include "record/record.h"

/* Returns the last line of output that is not empty, cleaned for display, or "" if there is
 * none. */
static const char *last_line(struct process_outcome *outcome)
{
    char *text = outcome->output, *end = text + outcome->output_size;
    base_clean_text(text, outcome->output_size);
    if (outcome->output_cut) /* the output was cut in the middle of a line */
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

#define PRINTED_LINES 5

/* Returns the beginning of the last PRINTED_LINES lines of TEXT (LENGTH bytes). If these lines have
 * more than MOST bytes, returns the beginning of the last MOST bytes. */
static const char *last_lines(const char *text, size_t length, size_t most)
{
    const char *start = text + length, *end = start;
    for (unsigned lines = 0; start > text; --start) {
        lines += start[-1] == '\n';
        if (lines == PRINTED_LINES || (size_t)(end - start) >= most)
            break;
    }
    while (start > text && start[-1] != '\n' && *start && *start != '\n')
        ++start; /* TEXT begins in the middle of a line */
    return start;
}

static size_t without_blanks(const char *text, size_t length)
{
    while (length > 0 && strchr(" \n\r\t", text[length - 1]))
        --length;
    return length;
}

void check_keep_printed(struct check *check, const struct process_outcome *outcome)
{
    char *printed = check->verdict.printed;
    size_t room = sizeof check->verdict.printed - 8, length = outcome->output_size;
    const char *text = outcome->output;
    *printed = '\0';
    length = without_blanks(text, length);
    if (outcome->end == PROCESS_EXITED && outcome->code != 0) { /* lab.h printed the last line */
        while (length > 0 && text[length - 1] != '\n')
            --length;
        length = without_blanks(text, length);
    }
    if (length == 0)
        return;
    const char *start = last_lines(text, length, room);
    size_t kept = (size_t)(text + length - start);
    if (kept == 0 || kept > room) /* this is one long line */
        start = text, kept = length < room ? length : room;
    bool whole = start == text && !outcome->output_cut;
    snprintf(printed, sizeof check->verdict.printed, "%s%.*s", whole ? "" : "...\n", (int)kept,
             start);
    base_clean_text(printed, strlen(printed));
}

static void explain_signal(struct check *check, int number)
{
    if (number == SIGXFSZ)
        check_fail(check, "crashed", "your program wrote a file larger than %zu MB",
                   RUN_FILE_BYTES >> 20);
    else
        check_fail(check, "crashed", "your program crashed, outside of any kernel: %s (signal %d)",
                   strsignal(number), number);
}

/* Makes the help of FINDING the check's hint, written as a sentence. */
static void advise_about(struct check *check, const json_t *finding)
{
    const struct finding_kind *kind = emu_finding_kind(json_text_of(finding, "id"));
    const char *help = json_text_of(finding, "help");
    if (!*help && kind)
        help = kind->help;
    if (*help)
        check_advise(check, "%c%s%s", toupper((unsigned char)*help), help + 1,
                     strchr(".?", help[strlen(help) - 1]) ? "" : ".");
}

#define SHORTER " (shorter limit after the first hang)"
#define ENDLESS "Is there an endless loop, or a loop that calls a CUDA function for each number?"

/* Returns a hint about the way in which a process ended, or "" if there is none. */
static const char *advice_for_end(const struct process_outcome *outcome)
{
    switch (outcome->end) {
    case PROCESS_TIMED_OUT:
        return ENDLESS;
    case PROCESS_IDLE:
        return "Does the program sleep, or wait for input? During grading there is no input.";
    case PROCESS_TOO_MUCH_OUTPUT:
        return "Is there a printf() left in a kernel or a loop? Every thread prints its own line.";
    case PROCESS_SIGNALLED:
        return outcome->code == SIGSEGV || outcome->code == SIGBUS
                   ? "Only kernels can use memory from cudaMalloc(); main() must copy the data first."
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
                   "your program asks for an input \"%s\", which this lab does not have",
                   said + strlen(no_input));
    else
        check_fail(check, "failed", "your program ended with exit code %d%s%s", outcome->code,
                   *said ? " and printed: " : "", said);
    if (strncmp(said, no_input, strlen(no_input)) == 0)
        check_advise(check, "Is this the file of another lab, or did you change main()?");
    else if (strstr(said, "out of memory"))
        check_advise(
            check,
            "During grading, the GPU has %llu MB of memory. Does your program allocate more than it needs, or never free memory?",
            (unsigned long long)RUN_GPU_BYTES >> 20);
}

/* Explains that WHO ("your program" or "your kernels") did not end in time. OUTCOME says which of
 * LIMITS was reached. */
static void explain_timeout(struct check *check, const char *who,
                            const struct process_outcome *outcome, const struct run_limits *limits,
                            unsigned cpu_seconds)
{
    const char *shorter = limits->are_short ? SHORTER : "";
    if (outcome->end == PROCESS_IDLE)
        check_fail(check, "timeout", "%s did not end: it has waited for %u second%s%s", who,
                   limits->idle, base_plural(limits->idle), shorter);
    else if (outcome->used_cpu)
        check_fail(check, "timeout", "%s did not end within %u second%s of CPU time%s", who,
                   cpu_seconds, base_plural(cpu_seconds), shorter);
    else
        check_fail(check, "timeout", "%s did not end within %u seconds%s", who, limits->wall,
                   shorter);
}

void check_explain_end(struct check *check, struct process_outcome *outcome,
                       const struct run_limits *limits)
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
    case PROCESS_IDLE:
        explain_timeout(check, "your program", outcome, limits, limits->program);
        break;
    case PROCESS_TOO_MUCH_OUTPUT:
        check_fail(check, "failed", "your program printed more than %zu MB",
                   RUN_OUTPUT_BYTES >> 20);
        break;
    case PROCESS_NOT_STARTED:
        check_break(check, "the program could not be started: %s", process_start_error(outcome));
        break;
    case PROCESS_INTERRUPTED:
        check_break(check, "interrupted");
        break;
    case PROCESS_UNSERVED: /* check_explain_device() has already explained why the device ended */
        break;
    }
    if (was_open && !check_is_open(check) && !check->verdict.advised)
        check_advise(check, "%s", advice_for_end(outcome));
}

void check_explain_total(struct check *check, const struct run_limits *limits)
{
    if (check->run_seconds <= limits->check || !check_is_open(check))
        return;
    bool waits = check->idle_seconds > check->run_seconds / 2;
    check_fail(check, "timeout",
               "after %u run%s, your program has %s for %.0f seconds in this check",
               check->process_count, base_plural(check->process_count), waits ? "waited" : "worked",
               waits ? check->idle_seconds : check->run_seconds);
    check_advise(
        check, "%s",
        waits ? "Does the program sleep, or wait for input? A run should take less than a second."
              : "Which loop takes so long? A run should take less than a second.");
}

static void explain_tired(struct check *check, const struct run_limits *limits)
{
    check_fail(
        check, "timeout",
        "your program was stopped: its launches and other CUDA calls together took too much work%s",
        limits->are_short ? SHORTER : "");
    check_advise(check, "%s", ENDLESS);
}

void check_explain_device(struct check *check, struct process_outcome *device,
                          const struct run_limits *limits)
{
    switch (device->end) {
    case PROCESS_EXITED:
        if (device->code == SERVER_BROKEN)
            check_fail(check, "failed", "your program bypassed the CUDA library");
        else if (device->code == SERVER_TIRED)
            explain_tired(check, limits);
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
    case PROCESS_TIMED_OUT:
        explain_timeout(check, "your kernels", device, limits, limits->device);
        check_advise(check, "%s", advice_for_end(device));
        break;
    default:
        break;
    }
}

/* Returns the status of the first launch that failed, or "ok" if none did. */
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

/* Returns the rank of FINDING among the errors of a run. An error of a low rank can cause errors of
 * higher ranks: a missing barrier, for example, makes a thread read an unwritten value. Errors that
 * the runtime reports have the highest rank, because any other error can cause them. */
static int rank_of(const json_t *finding)
{
    static const char *const tools[] = {"synccheck", "racecheck", "initcheck"};
    const char *id = json_text_of(finding, "id");
    const struct finding_kind *kind = emu_finding_kind(id);
    int last = sizeof tools / sizeof *tools;
    for (int i = 0; kind && i < last; ++i)
        if (strcmp(kind->tool, tools[i]) == 0)
            return i + 1;
    return strcmp(id, "kernel-fault") == 0 ? last + 1 : 0;
}

/* Returns the error in RECORD that probably causes the others, or NULL if there are no errors. */
static const json_t *find_cause(const json_t *record)
{
    size_t i;
    json_t *finding;
    const json_t *first = NULL;
    json_array_foreach(json_object_get(record, "findings"), i, finding)
    {
        if (strcmp(json_text_of(finding, "severity"), "error") == 0 &&
            (!first || rank_of(finding) < rank_of(first)))
            first = finding;
    }
    return first;
}

/* Finds the cause of FINDING, an access outside of memory. The cause is a race or an uninitialised
 * read in RECORD, in a line from which the access's address is computed. Returns NULL if there is
 * none. */
static const json_t *find_feeder(const struct check *check, const json_t *record,
                                 const json_t *finding)
{
    const json_t *found = NULL, *other;
    size_t i;
    struct slice *slice = slice_new(json_string_value(check->job.source));
    if (slice)
        slice_begin_at(slice, (unsigned)json_integer_of(finding, "line"), 0, true);
    json_array_foreach(slice ? json_object_get(record, "findings") : NULL, i, other)
    {
        const struct finding_kind *kind = emu_finding_kind(json_text_of(other, "id"));
        bool is_value = kind && (check_has_deduced(other, DEDUCED_READ) ||
                                 strcmp(kind->tool, "initcheck") == 0);
        unsigned line = (unsigned)json_integer_of(other, "line");
        bool fits = is_value && line != (unsigned)json_integer_of(finding, "line") &&
                    check_is_own_file(check, json_text_of(other, "file")) &&
                    slice_reaches(slice, line);
        if (fits && (!found || rank_of(other) < rank_of(found)))
            found = other;
    }
    slice_free(slice);
    return found;
}

/* FINDING is an error of RUN. If it is an access outside of memory, its address may have been
 * computed from a value that was read too early. In this case, returns the error about the early
 * read. If it was found only in a second run with racecheck and initcheck, *RECORD becomes the
 * record of that run. Otherwise returns FINDING. */
static const json_t *find_earlier(struct check *check, const struct run *run, const json_t *finding,
                                  json_t **record)
{
    bool is_outside = check_has_deduced(finding, DEDUCED_TOO_FAR) ||
                      check_has_deduced(finding, DEDUCED_NEGATIVE) ||
                      check_has_deduced(finding, DEDUCED_SHORT_ARRAY);
    if (!is_outside || !check_is_own_file(check, json_text_of(finding, "file")))
        return finding;
    struct rerun again = run->plan.watched ? (struct rerun){0} : check_run_again(check, run);
    const json_t *feeder = find_feeder(check, again.record ? again.record : run->record, finding);
    if (feeder && again.record) {
        json_decref(*record);
        *record = json_incref(again.record);
        json_array_append(check->findings, (json_t *)feeder);
    }
    check_free_rerun(&again);
    return feeder ? feeder : finding;
}

/* Makes the report show FINDING, which comes from RECORD, as the cause of the failure. */
static void blame(struct check *check, const json_t *record, const json_t *finding)
{
    json_decref(check->cause);
    check->cause = json_incref((json_t *)finding);
    check_deduce(check, record, check->cause);
    check_add_makers(check, check->cause);
    check_point_at(check, json_text_of(finding, "file"), (unsigned)json_integer_of(finding, "line"),
                   (unsigned)json_integer_of(finding, "column"));
    advise_about(check, finding);
}

/* Adds the line that launches FINDING's kernel, if this launch may give an array too few bytes.
 * Does nothing if several lines launch the kernel. */
static void name_launch(const struct check *check, json_t *finding)
{
    const char *kernel = json_text_of(finding, "kernel"), *end = kernel + strcspn(kernel, "(<");
    const char *name = end;
    char launch[128];
    while (name > kernel && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
        --name;
    snprintf(launch, sizeof launch, "%.*s<<<", (int)(end - name), name);
    unsigned line =
        check_has_deduced(finding, DEDUCED_SHORT_EXTERN) ? check_find_line(check, launch) : 0;
    if (!line)
        return;
    json_t *related = json_object_get(finding, "related");
    if (!related)
        json_object_set_new(finding, "related", related = json_array());
    json_array_append_new(related, json_pack("{s:s, s:s, s:i}", "message", "launched here", "file",
                                             json_text_of(finding, "file"), "line", (int)line));
}

/* Makes the verdict from FINDING, an error in RECORD, which says more than an exit code. */
static void explain_finding(struct check *check, const json_t *record, const json_t *finding,
                            const char *status, struct process_outcome *outcome)
{
    const char *said = "";
    char places[200] = "";
    FILE *memory = fmemopen(places, sizeof places, "w");
    if (strcmp(json_text_of(finding, "id"), "invalid-launch") == 0)
        snprintf(check->verdict.kernel, sizeof check->verdict.kernel, "%s",
                 json_text_of(finding, "kernel"));
    else if (json_integer_of(finding, "line") == 0 && outcome)
        said = last_line(outcome); /* the program itself may have printed where it failed */
    name_launch(check, (json_t *)finding);
    if (memory) {
        record_write_places(memory, finding);
        fclose(memory);
    }
    check_fail(check, strcmp(status, "timeout") == 0 ? "timeout" : "failed", "%s%s%s%s",
               json_text_of(finding, "message"), places, *said ? "; your program printed: " : "",
               said);
    blame(check, record, finding);
}

/* Returns a finding that is not an error, but explains wrong results, or NULL if there is none. */
static const json_t *find_suspect(const json_t *record)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(record, "findings"), i, finding)
    {
        if (strcmp(json_text_of(finding, "id"), "other-pitch") == 0)
            return finding;
    }
    return NULL;
}

bool check_explain_wrong(struct check *check, const json_t *record)
{
    size_t i;
    json_t *finding;
    const json_t *cause = find_cause(record), *suspect = cause ? NULL : find_suspect(record);
    json_array_foreach(json_object_get(record, "findings"), i, finding)
    {
        if (strcmp(json_text_of(finding, "severity"), "error") == 0)
            json_array_append(check->findings, finding);
    }
    if (cause)
        blame(check, record, cause);
    if (suspect) {
        check_add(check, ": %s", json_text_of(suspect, "message"));
        blame(check, record, suspect);
    }
    return cause || suspect;
}

/* If the program ended because a CUDA call failed, makes a verdict from this call. */
static void explain_failed_call(struct check *check, const json_t *record,
                                struct process_outcome *outcome)
{
    const json_t *call = NULL, *finding;
    size_t i;
    json_array_foreach(json_object_get(record, "findings"), i, finding)
    {
        if (strcmp(json_text_of(finding, "id"), "failed-call") == 0)
            call = finding;
    }
    if (!call || !outcome || outcome->end != PROCESS_EXITED || outcome->code == 0 ||
        !check_is_open(check))
        return;
    explain_exit(check, outcome);
    check_point_at(check, json_text_of(call, "file"), (unsigned)json_integer_of(call, "line"), 0);
    if (!check->verdict.advised)
        advise_about(check, call);
}

void check_explain_findings(struct check *check, const struct run *run,
                            struct process_outcome *outcome)
{
    json_t *record = json_incref(run->record);
    const char *status = launch_status(run->record);
    const json_t *cause = find_cause(record);
    if (strcmp(status, "internal") == 0)
        check_break(check, "the emulator failed while it ran a kernel");
    if (cause && check_is_open(check)) {
        cause = find_earlier(check, run, cause, &record);
        explain_finding(check, record, cause, status, outcome);
    }
    json_decref(record);
    explain_failed_call(check, run->record, outcome);
    if (strcmp(status, "ok") != 0)
        check_fail(check, strcmp(status, "timeout") == 0 ? "timeout" : "failed",
                   "a kernel failed: %s", status);
}
