/* Judges the predicted time of a program's copies and kernels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/run.h"
#include "checks/verdict.h"
#include "gpu/predict/predict.h"

/* Returns the number of bytes that the copies on ENGINE ("to-device" or "from-device") move. */
static double copied(const json_t *timeline, const char *engine)
{
    const json_t *work = json_object_get(timeline, "work");
    double sum = 0;
    size_t i;
    json_t *piece;
    json_array_foreach((json_t *)work, i, piece)
    {
        if (strcmp(json_text_of(piece, "engine"), engine) == 0)
            sum += json_number_of(piece, "bytes");
    }
    return sum;
}

static void write_note(struct check *check, const json_t *timeline)
{
    snprintf(check->verdict.note, sizeof check->verdict.note,
             "copies run for %.0f microseconds and kernels for %.0f; both run together for %.0f",
             json_number_of(timeline, "copies_us"), json_number_of(timeline, "kernels_us"),
             json_number_of(timeline, "overlapped_us"));
}

/* Keeps the timeline for the HTML report. */
static void keep(struct check *check, const json_t *timeline)
{
    json_t *kept = check->job.pictures ? json_copy((json_t *)timeline) : NULL;
    if (!kept)
        return;
    json_object_set_new(kept, "case", json_string(check->context));
    json_array_append_new(check->timelines, kept);
}

/* Finds the first launch in RECORD whose time could not be predicted, and returns the reason.
 * Returns NULL if all times were predicted. */
static const char *find_gap(const json_t *record)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        const json_t *gap = json_object_get(launch, "not_predicted");
        if (gap)
            return json_text_of(gap, "why");
    }
    return NULL;
}

double check_makespan(struct check *check, const struct run *run, uint64_t bytes)
{
    const json_t *timeline = run ? json_object_get(run->record, "timeline") : NULL;
    if (!run || !check_is_open(check))
        return 0;
    double in = copied(timeline, "to-device"), out = copied(timeline, "from-device");
    /* there is no timeline if the GPU had no work, or checks.c names no GPU */
    if (timeline) {
        write_note(check, timeline);
        keep(check, timeline);
    }
    const char *why = find_gap(run->record);
    if (why) {
        check_fail(check, "failed", "the time of a kernel cannot be predicted: %s", why);
    } else if (json_number_of(timeline, "unknown") > 0) {
        check_fail(check, "failed", "the time of a kernel cannot be predicted");
        check_advise(check,
                     "Kernels must work in the GPU's own memory, not in memory of the host.");
    } else if (in < (double)bytes || out < (double)bytes) {
        check_fail(
            check, "failed",
            "your program copies %s bytes to the GPU and %s bytes back; the task is to copy %s each way",
            check_number(in), check_number(out), check_number((double)bytes));
        check_advise(check,
                     "Kernels must work in the GPU's own memory: copy the data there and back.");
    }
    return floor(json_number_of(timeline, "us") + 0.5);
}

double check_pieces_on_host(const struct run *run)
{
    return run ? json_number_of(json_object_get(run->record, "timeline"), "on_host") : 0;
}

/* Returns the time of the copies and fills within the GPU, in microseconds. */
static double time_of_copies(const json_t *record)
{
    double us = 0;
    size_t i;
    json_t *piece;
    json_array_foreach(json_object_get(json_object_get(record, "timeline"), "work"), i, piece)
    {
        bool is_copy = json_object_get(piece, "bytes");
        if (is_copy && strcmp(json_text_of(piece, "engine"), "compute") == 0)
            us += json_number_of(piece, "end_us") - json_number_of(piece, "start_us");
    }
    return us;
}

double check_predicted_time(const struct run *run)
{
    double us = time_of_copies(run->record);
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(run->record, "launches"), i, launch)
    {
        us += json_number_of(json_object_get(launch, "predicted"), "us");
    }
    return floor(10 * us + 0.5) / 10;
}

const char *check_predicted_limit(const struct run *run)
{
#define P(name, text) {#name, text},
    static const struct {
        const char *name, *text;
    } parts[] = {PREDICT_PARTS};
#undef P
    double most = time_of_copies(run->record);
    const char *limit = "copies";
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(run->record, "launches"), i, launch)
    {
        const json_t *predicted = json_object_get(launch, "predicted");
        if (json_number_of(predicted, "us") <= most)
            continue;
        most = json_number_of(predicted, "us");
        for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k)
            if (strcmp(json_text_of(predicted, "limit"), parts[k].name) == 0)
                limit = parts[k].text;
    }
    return limit;
}
