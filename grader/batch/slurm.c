#include "batch/slurm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "batch/chunk.h"
#include "sandbox/process.h"

#define COMMAND_SECONDS 120 /* seconds; a busy Slurm controller can be slow */
#define POLL_SECONDS    2
#define MOST_UNANSWERED 150 /* maximum number of squeue failures in a row; they take five minutes */
#define SMALLER         8   /* the next job's chunks are SMALLER times smaller */
#define MOST_WORDS      64

/* The state of grading on Slurm. */
struct work {
    const struct batch_queue *queue;
    const struct batch_slurm *slurm;
    struct batch_outcome *outcome;
    /* entries without a grade, by key; "why" says how a task failed */
    json_t *open;
    json_t *states;      /* the state of each task of the job, by the task's number */
    bool broken;         /* the store has failed */
    unsigned unanswered; /* consecutive failures of squeue */
};

static bool stop(struct work *work, const char *what, const char *why)
{
    if (!work->outcome->error[0])
        snprintf(work->outcome->error, sizeof work->outcome->error, "%s%s", what, why);
    return false;
}

/* --- Slurm's commands ------------------------------------------------------------------------- */

/* Runs the command WORDS, a NULL-terminated list. Its first word is env, which finds the program on
 * the PATH. Returns true if the exit code is 0. OUTPUT gets the command's output, which the caller
 * frees in any case. */
static bool run_words(const char *const *words, char **output)
{
    struct process_command command = {.argv = words,
                                      .environment = (const char *const *)environ,
                                      .wall_seconds = COMMAND_SECONDS,
                                      .output_keep = 1 << 20,
                                      .output_limit = 1 << 24};
    struct process_outcome outcome;
    process_run(&command, &outcome);
    bool good = outcome.end == PROCESS_EXITED && outcome.code == 0;
    *output = strdup(outcome.output ? outcome.output : "");
    process_outcome_free(&outcome);
    return good;
}

/* The script of each task, which inherits the environment of the process that called sbatch. Paths
 * are arguments of the script, so this text does not need to quote them. */
static const char script[] =
    "#!/bin/sh\n"
    "[ -d \"$TMPDIR\" ] || unset TMPDIR\n"
    "exec \"$1\" batch --chunk \"$2/$SLURM_ARRAY_TASK_ID.json\" --jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n";

/* Reads the job's number from sbatch's output: "123" or "123;cluster", possibly after warnings. */
static bool read_number(const char *said, char job[32])
{
    const char *line = said;
    for (const char *end; (end = strchr(line, '\n')) && end[1];)
        line = end + 1;
    size_t length = strspn(line, "0123456789");
    snprintf(job, 32, "%.*s", (int)length, line);
    return length > 0 && length < 32;
}

/* Submits COUNT chunks of ROUND to Slurm. JOB gets the job's number. */
static bool submit(struct work *work, unsigned round, size_t count, char job[32])
{
    static char array[64], output[PATH_SIZE], gres[200], path[PATH_SIZE], chunks[PATH_SIZE];
    const char *words[MOST_WORDS + 16] = {
        "/usr/bin/env",        "sbatch", "--parsable", "--requeue", "--open-mode=append",
        "--job-name=lanewise", array,    output};
    const struct batch_slurm *slurm = work->slurm;
    char *said = NULL, *rest = NULL, *more = strdup(slurm->options ? slurm->options : "");
    size_t used = 8;
    snprintf(array, sizeof array, "--array=0-%zu", count - 1);
    base_path(output, "--output=%s/log/%%A_%%a", slurm->folder);
    if (slurm->gres && snprintf(gres, sizeof gres, "--gres=%s", slurm->gres) > 0)
        words[used++] = gres;
    for (char *word = strtok_r(more, " ", &rest); word && used < MOST_WORDS;
         word = strtok_r(NULL, " ", &rest))
        words[used++] = word;
    bool good = base_path(path, "%s/task.sh", slurm->folder) &&
                base_path(chunks, "%s/chunks/%u", slurm->folder, round) &&
                base_write_file(path, script, sizeof script - 1, 0755);
    words[used++] = path;
    words[used++] = slurm->program;
    words[used++] = chunks;
    if (!good)
        stop(work, "cannot write to the job folder: ", strerror(errno));
    else if (!run_words(words, &said) || !read_number(said, job))
        good = stop(work, "sbatch did not accept the job: ",
                    strtok_r(said, "\n", &rest) ?: "it gave no reason");
    free(said);
    free(more);
    return good;
}

static bool is_over(const char *state)
{
    static const char *const ends[] = {"COMPLETED", "FAILED",    "TIMEOUT",
                                       "CANCELLED", "NODE_FAIL", "PREEMPTED",
                                       "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
        if (strcmp(state, ends[i]) == 0)
            return true;
    return false;
}

/* Reads the states of JOB's tasks into `states`. *OVER becomes true if all tasks have ended. A few
 * failures of squeue are not an error, because Slurm's controller may be restarting. Returns false
 * after MOST_UNANSWERED failures in a row. */
static bool ask_states(struct work *work, const char *job, bool *over)
{
    const char *words[] = {"/usr/bin/env", "squeue", "--noheader",     "--array", "--states=all",
                           "--jobs",       job,      "--format=%K %T", NULL};
    char *said, *rest = NULL, number[32], state[64];
    bool answered = run_words(words, &said);
    /* the job ended so long ago that Slurm has forgotten it */
    bool forgotten = !answered && strstr(said, "Invalid job id");
    *over = answered || forgotten;
    for (char *line = answered ? strtok_r(said, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (sscanf(line, "%31[0-9] %63s", number, state) != 2)
            continue; /* this line is a warning */
        json_object_set_new(work->states, number, json_string(state));
        *over = *over && is_over(state);
    }
    work->unanswered = answered || forgotten ? 0 : work->unanswered + 1;
    bool patient = work->unanswered < MOST_UNANSWERED;
    if (!patient)
        stop(work, "squeue does not respond; to continue later, run the same command again: ",
             strtok_r(said, "\n", &rest) ?: "");
    free(said);
    return patient;
}

/* --- collecting ------------------------------------------------------------------------------- */

/* Stores the grade in ANSWER. If ANSWER has no grade, records the reason. */
static bool take(const char *key, const json_t *answer, void *context)
{
    struct work *work = context;
    json_t *entry = json_object_get(work->open, key);
    bool graded;
    if (!entry)
        return true; /* the answer belongs to a submission that no longer exists */
    if (!json_object_get(answer, "result")) {
        json_object_set(entry, "why", json_object_get(answer, "error"));
        return true;
    }
    if (!batch_keep(work->queue, entry, answer, &graded)) {
        work->broken = true;
        return false;
    }
    json_object_del(work->open, key);
    ++work->outcome->done;
    return true;
}

static bool collect(struct work *work)
{
    if (!batch_chunk_collect(work->slurm->folder, take, work))
        return stop(work, "cannot read the grading results in ", work->slurm->folder);
    if (work->broken)
        return stop(work, "", batch_store_error(work->queue->store));
    if (work->queue->progress)
        work->queue->progress(work->outcome->done, work->outcome->failed, work->queue->context);
    return true;
}

/* Waits until JOB is over, and stores each grade as it arrives. */
static bool await(struct work *work, const char *job)
{
    const struct timespec pause = {.tv_sec = POLL_SECONDS};
    bool over = false;
    while (!over) {
        /* Read the states first: if all tasks have ended by then, collect() finds all answers. */
        if (!ask_states(work, job, &over) || process_interrupted() || !collect(work))
            return false;
        if (!over)
            nanosleep(&pause, NULL);
    }
    return true;
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* Saves the running job's number in a file. If this process dies, a later process can then wait for
 * the job. Removes the file if JOB is NULL. */
static bool note_job(struct work *work, const char *job)
{
    char path[PATH_SIZE];
    if (!base_path(path, "%s/job", work->slurm->folder))
        return false;
    if (!job) {
        unlink(path);
        return true;
    }
    return base_write_file(path, job, strlen(job), 0644) ||
           stop(work, "cannot save the job ID: ", strerror(errno));
}

/* Waits for the job that an earlier process started, if any, and collects its answers. */
static bool adopt(struct work *work)
{
    char path[PATH_SIZE], why[100];
    struct text job;
    if (!base_path(path, "%s/job", work->slurm->folder) ||
        !base_read_file(path, 32, &job, why, sizeof why))
        return collect(work);
    bool good = await(work, job.bytes) && note_job(work, NULL);
    free(job.bytes);
    return good;
}

/* Reads the last line of a task's log, which may say why the task failed. */
static void read_log(const struct work *work, const char *job, const char *number, char *line,
                     size_t size)
{
    char path[PATH_SIZE], why[100];
    struct text log;
    line[0] = 0;
    if (!base_path(path, "%s/log/%s_%s", work->slurm->folder, job, number) ||
        !base_read_file(path, 1 << 20, &log, why, sizeof why))
        return;
    while (log.size > 0 && log.bytes[log.size - 1] == '\n')
        log.bytes[--log.size] = 0;
    const char *last = strrchr(log.bytes, '\n');
    snprintf(line, size, "%s", last ? last + 1 : log.bytes);
    base_clean_text(line, strlen(line));
    free(log.bytes);
}

/* Records in each entry without an answer how its task ended. GIVEN is the number of grades from
 * this job. Returns false if GIVEN is 0 and all tasks failed, because another job would fail,
 * too. */
static bool blame(struct work *work, const char *job, size_t given)
{
    const char *key;
    json_t *entry;
    bool hopeless = json_object_size(work->open) == given;
    json_object_foreach(work->open, key, entry)
    {
        char number[32], line[300], why[500];
        snprintf(number, sizeof number, "%lld", (long long)json_integer_of(entry, "chunk"));
        const char *state = json_text_of(work->states, number);
        if (*json_text_of(entry, "why")) /* the grading has given a reason */
            continue;
        hopeless = hopeless && strcmp(state, "FAILED") == 0;
        read_log(work, job, number, line, sizeof line);
        snprintf(why, sizeof why, "Slurm job %s_%s ended without a grade%s%s%s%s", job, number,
                 *state ? ": " : "", state, *line ? ": " : "", line);
        json_object_set_new(entry, "why", json_string(why));
        if (hopeless && work->outcome->done == 0)
            snprintf(work->outcome->error, sizeof work->outcome->error, "%s", why);
    }
    if (!hopeless)
        work->outcome->error[0] = 0;
    return !hopeless || work->outcome->done > 0;
}

/* Runs one job for all open entries. */
static bool grade_job(struct work *work, unsigned round)
{
    size_t left = json_object_size(work->open), size = work->slurm->chunk_size, tasks;
    char job[32];
    const char *key;
    json_t *entry, *entries = json_array();
    for (unsigned i = 0; i < round; ++i)
        size = size > SMALLER ? size / SMALLER : 1;
    if (size * BATCH_SLURM_TASKS < left)
        size = (left + BATCH_SLURM_TASKS - 1) / BATCH_SLURM_TASKS;
    json_object_foreach(work->open, key, entry)
    {
        json_object_del(entry, "why");
        json_array_append(entries, entry);
    }
    json_object_clear(work->states);
    tasks = batch_chunk_write(work->queue, work->slurm->folder, round, entries, size,
                              work->outcome->error, sizeof work->outcome->error);
    json_decref(entries);
    return tasks > 0 && submit(work, round, tasks, job) && note_job(work, job) &&
           await(work, job) && note_job(work, NULL) && blame(work, job, left);
}

/* Stores entries that no job could grade as failed, so that a human reviews them. */
static bool give_up(struct work *work)
{
    const char *key;
    json_t *entry;
    bool graded;
    json_object_foreach(work->open, key, entry)
    {
        json_t *answer = json_pack("{s:s}", "error", json_text_of(entry, "why"));
        bool kept = batch_keep(work->queue, entry, answer, &graded);
        json_decref(answer);
        if (!kept)
            return stop(work, "", batch_store_error(work->queue->store));
        ++work->outcome->failed;
    }
    work->outcome->done += json_object_size(work->open);
    return true;
}

enum batch_end batch_slurm_grade(const struct batch_queue *queue, const struct batch_slurm *slurm,
                                 struct batch_outcome *outcome)
{
    struct work work = {.queue = queue,
                        .slurm = slurm,
                        .outcome = outcome,
                        .open = json_object(),
                        .states = json_object()};
    size_t i;
    json_t *entry;
    *outcome = (struct batch_outcome){0};
    json_array_foreach(queue->pending, i, entry)
        json_object_set_new(work.open, json_text_of(entry, "key"), json_copy(entry));
    bool good = batch_chunk_folder(slurm->folder) ||
                stop(&work, "cannot make the job folder: ", strerror(errno));
    good = good && adopt(&work);
    for (unsigned round = 0; good && round < BATCH_SLURM_TRIES && json_object_size(work.open) > 0;
         ++round)
        good = grade_job(&work, round);
    good = good && give_up(&work);
    if (good)
        base_remove_tree(slurm->folder);
    json_decref(work.open);
    json_decref(work.states);
    if (good)
        return BATCH_FINISHED;
    return process_interrupted() || !outcome->error[0] ? BATCH_INTERRUPTED : BATCH_STOPPED;
}
