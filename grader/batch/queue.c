#include "batch/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grade/grade.h"
#include "sandbox/pool.h"

/* A grading is impossible if the machine lacks something. After MOST_REFUSED such gradings in a
 * row, the queue stops, because the machine can probably not grade at all. A single one can be the
 * submission's fault, so it is stored for review. */
#define MOST_REFUSED 5

/* The state of a running queue. */
struct work {
    const struct batch_queue *queue;
    struct batch_outcome *outcome;
    struct text source; /* source of the next submission to grade */
    json_t *refused;    /* impossible gradings: {"entry", "answer"} */
    size_t in_a_row;    /* number of impossible gradings since the last grade */
};

static const struct batch_lab *lab_of(const struct batch_queue *queue, const json_t *entry)
{
    for (size_t i = 0; i < queue->lab_count; ++i)
        if (strcmp(queue->labs[i].lab.name, json_text_of(entry, "lab")) == 0)
            return &queue->labs[i];
    return NULL;
}

/* --- one grading ------------------------------------------------------------------------------ */

json_t *batch_grade_one(const struct batch_queue *queue, const struct lab *lab,
                        const struct text *source)
{
    /* static because a path of 4 KB is too large for a stack */
    static struct submission submission;
    char error[6000] = "";
    json_t *result = NULL;
    submission.source = *source;
    snprintf(submission.shown, sizeof submission.shown, "%s", lab->file);
    struct grading grading = {.lab = lab,
                              .submission = &submission,
                              .device = queue->device,
                              .gpu_name = queue->gpu_name,
                              .gpu_arch = queue->gpu_arch,
                              .seed = queue->seed,
                              .pictures = true,
                              .fingerprint = true,
                              .unsafe = queue->unsafe};
    enum grade_end end = grade_submission(&grading, &result, error, sizeof error);
    return json_pack("{s:i, s:s, s:o*}", "end", (int)end, "error", error, "result", result);
}

static struct batch_key key_of(const struct batch_queue *queue, const json_t *entry)
{
    const struct batch_lab *lab = lab_of(queue, entry);
    return (struct batch_key){.key = json_text_of(entry, "key"),
                              .lab = json_text_of(entry, "lab"),
                              .source = json_text_of(entry, "source"),
                              .grader = lab ? lab->grader : "",
                              .device = grading_device_name(queue->device),
                              .seed = queue->seed.number};
}

/* Returns a sealed copy of RESULT. Before sealing, removes the members that students do not get
 * (batch_store_strip()), so the seal is valid for the students' files. */
static json_t *seal(const struct batch_queue *queue, const json_t *result)
{
    json_t *whole = json_copy((json_t *)result), *stripped = json_copy((json_t *)result);
    batch_store_strip(stripped);
    if (seal_document(stripped, queue->key))
        json_object_set(whole, "seal", json_object_get(stripped, "seal"));
    else {
        json_decref(whole);
        whole = NULL; /* out of memory: store nothing, rather than a result without a seal */
    }
    json_decref(stripped);
    return whole;
}

bool batch_keep(const struct batch_queue *queue, const json_t *entry, const json_t *answer,
                bool *graded)
{
    struct batch_key key = key_of(queue, entry);
    const json_t *result = json_object_get(answer, "result");
    const char *error = json_text_of(answer, "error");
    *graded = result != NULL;
    if (result) {
        json_t *sealed = seal(queue, result);
        bool kept = batch_store_put(queue->store, &key, sealed);
        json_decref(sealed);
        return kept;
    }
    return batch_store_fail(queue->store, &key,
                            *error ? error : "the grader exited without a result");
}

/* --- the pool's functions --------------------------------------------------------------------- */

static bool fail(struct work *work)
{
    snprintf(work->outcome->error, sizeof work->outcome->error, "%s",
             batch_store_error(work->queue->store));
    return false;
}

static bool prepare(size_t i, void *context)
{
    struct work *work = context;
    const json_t *entry = json_array_get(work->queue->pending, i);
    free(work->source.bytes);
    return batch_store_source(work->queue->store, json_text_of(entry, "source"), &work->source) ||
           fail(work);
}

static json_t *grade(size_t i, void *context)
{
    struct work *work = context;
    const struct batch_lab *lab = lab_of(work->queue, json_array_get(work->queue->pending, i));
    return lab ? batch_grade_one(work->queue, &lab->lab, &work->source) : NULL;
}

static void tell(struct work *work)
{
    if (work->queue->progress)
        work->queue->progress(work->outcome->done, work->outcome->failed, work->queue->context);
}

/* Keeps an impossible grading in `refused` until the queue has ended. Returns false if the queue
 * must stop now. */
static bool refuse(struct work *work, const json_t *entry, const json_t *answer)
{
    json_array_append_new(work->refused, json_pack("{s:O, s:O}", "entry", entry, "answer", answer));
    ++work->outcome->done;
    ++work->outcome->failed;
    tell(work);
    if (++work->in_a_row < MOST_REFUSED)
        return true;
    snprintf(work->outcome->error, sizeof work->outcome->error, "%s",
             json_text_of(answer, "error"));
    return false;
}

static bool done(size_t i, const json_t *answer, void *context)
{
    struct work *work = context;
    const json_t *entry = json_array_get(work->queue->pending, i);
    json_int_t end = json_integer_of(answer, "end");
    bool graded;
    if (answer && end == GRADE_INTERRUPTED)
        return false;
    if (answer && end == GRADE_IMPOSSIBLE)
        return refuse(work, entry, answer);
    if (!batch_keep(work->queue, entry, answer, &graded))
        return fail(work);
    ++work->outcome->done;
    work->outcome->failed += !graded;
    if (graded)
        work->in_a_row = 0;
    tell(work);
    return true;
}

static void tick(void *context)
{
    tell(context);
}

/* Stores the refused gradings for review. This is right only if other gradings succeeded, because
 * then the machine is not the cause. */
static bool keep_refused(struct work *work)
{
    size_t i;
    json_t *one;
    bool graded;
    json_array_foreach(work->refused, i, one)
    {
        if (!batch_keep(work->queue, json_object_get(one, "entry"), json_object_get(one, "answer"),
                        &graded))
            return fail(work);
    }
    return true;
}

enum batch_end batch_grade(const struct batch_queue *queue, struct batch_outcome *outcome)
{
    struct work work = {.queue = queue, .outcome = outcome, .refused = json_array()};
    struct process_pool pool = {.count = json_array_size(queue->pending),
                                .jobs = queue->jobs,
                                .context = &work,
                                .prepare = prepare,
                                .work = grade,
                                .done = done,
                                .tick = tick};
    *outcome = (struct batch_outcome){0};
    bool finished = process_pool_run(&pool);
    size_t refused = json_array_size(work.refused);
    if (finished && refused > 0 && refused == pool.count) { /* all gradings were impossible */
        const json_t *first = json_object_get(json_array_get(work.refused, 0), "answer");
        snprintf(outcome->error, sizeof outcome->error, "%s", json_text_of(first, "error"));
        finished = false;
    }
    finished = finished && keep_refused(&work);
    json_decref(work.refused);
    free(work.source.bytes);
    if (finished)
        return BATCH_FINISHED;
    return outcome->error[0] ? BATCH_STOPPED : BATCH_INTERRUPTED;
}
