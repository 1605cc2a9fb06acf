/* Opens what a run of `lanewise batch` needs: the device, the course, the labs, the roster, the
 * folder of --out, the store of grades and the seed. */
#include "cli/batch_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "batch/key.h"
#include "grade/installed_gpu.h"

/* The default number of gradings in a task on a cluster. A task with this number takes minutes.
 * That is long compared with its start, but little work is lost if the task fails. */
#define CHUNK_SIZE 20

unsigned batch_number_or(const char *text, unsigned otherwise)
{
    return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

/* --- before anything is written --------------------------------------------------------------- */

/* Reads the course's terms from the course file. Options override these terms. */
static bool read_terms(struct session *session)
{
    const struct options *options = &session->options;
    if (!cli_read_course(options->course, &session->course))
        return false;
    struct course_policy *terms = &session->terms;
    *terms = session->course.policy;
    unsigned cores = (unsigned)get_nprocs();
    if (options->attempt)
        terms->latest = strcmp(options->attempt, "latest") == 0;
    if (options->late_penalty)
        terms->late_penalty = strtod(options->late_penalty, NULL);
    terms->limits_late = terms->limits_late || options->late_limit;
    terms->late_limit = batch_number_or(options->late_limit, terms->late_limit);
    terms->per_day = batch_number_or(options->per_day, terms->per_day);
    session->chunk_size = batch_number_or(options->chunk_size, CHUNK_SIZE);
    session->jobs =
        batch_number_or(options->jobs, session->device == ON_GPU && cores > 4 ? 4 : cores);
    return true;
}

static bool add_lab(struct session *session, const char *word)
{
    struct batch_lab *lab = &session->labs[session->lab_count];
    if (session->lab_count == MAX_LABS || !cli_open_lab("batch", word, &lab->lab))
        return false;
    ++session->lab_count;
    const struct course_lab *counted = course_find(&session->course, lab->lab.name);
    if (!counted) {
        complain(EXIT_USAGE, "%s is not one of the labs in %s", lab->lab.name,
                 session->options.course);
        return false;
    }
    lab_set_terms(&lab->lab, counted->terms);
    if (batch_grader_hash(&lab->lab, session->device, installed_gpu_arch(), lab->grader))
        return true;
    complain(EXIT_USAGE, "out of memory");
    return false;
}

static int by_lab(const void *left, const void *right)
{
    return strcmp(((const struct batch_lab *)left)->lab.name,
                  ((const struct batch_lab *)right)->lab.name);
}

/* Opens the kit's other labs, so that the scan recognises files for them. */
static void open_other_labs(struct session *session)
{
    struct lab_names names;
    char error[2 * PATH_SIZE];
    labs_list(&names);
    for (size_t i = 0; i < names.count; ++i) {
        struct batch_lab *lab = &session->labs[session->lab_count + session->other_count];
        bool graded = session->lab_count + session->other_count == MAX_LABS;
        for (size_t k = 0; k < session->lab_count; ++k)
            graded = graded || strcmp(session->labs[k].lab.name, names.names[i]) == 0;
        if (!graded && labs_open(names.names[i], &lab->lab, error, sizeof error))
            ++session->other_count;
    }
    labs_free(&names);
}

/* Opens the labs in --labs, or all labs of the course. */
static bool open_labs(struct session *session)
{
    bool good = true;
    if (session->options.labs) {
        char *list = strdup(session->options.labs), *rest = list, *word;
        while (good && (word = strsep(&rest, ", ")))
            good = !*word || add_lab(session, word);
        free(list);
    } else
        for (size_t i = 0; good && i < session->course.lab_count; ++i)
            good = add_lab(session, session->course.labs[i].name);
    qsort(session->labs, session->lab_count, sizeof *session->labs, by_lab);
    for (size_t i = 1; good && i < session->lab_count; ++i)
        if (by_lab(&session->labs[i - 1], &session->labs[i]) == 0) {
            complain(EXIT_USAGE, "--labs names %s twice", session->labs[i].lab.name);
            good = false;
        }
    if (good && session->lab_count == 0)
        complain(EXIT_USAGE, "no labs to grade");
    open_other_labs(session);
    return good && session->lab_count > 0;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Chooses the device. With --slurm, the GPUs are in the nodes, and --gres requests them. */
static bool choose_device(struct session *session)
{
    const struct options *options = &session->options;
    const char *device = options->device ? options->device : "auto";
    if (!options->slurm)
        return cli_choose_device("batch", device, &session->device, session->gpu_name,
                                 sizeof session->gpu_name);
    bool gpu = strcmp(device, "gpu") == 0 || (strcmp(device, "auto") == 0 && options->gres);
    session->device = gpu ? ON_GPU : ON_EMULATOR;
    if (gpu && !options->gres) {
        complain(EXIT_USAGE, "name the GPUs: add --gres gpu:1, or your cluster's name for them");
        return false;
    }
    return gpu || cli_choose_device("batch", strcmp(device, "auto") == 0 ? "emulator" : device,
                                    &session->device, session->gpu_name, sizeof session->gpu_name);
}

/* Checks that every student in the course file is on the roster, to catch a mistyped id. */
static bool check_exceptions(const struct session *session)
{
    const struct course_exceptions *exceptions = &session->course.exceptions;
    for (size_t i = 0; i < exceptions->count; ++i) {
        bool known = false;
        for (size_t k = 0; !known && k < session->roster.count; ++k)
            known = strcmp(session->roster.students[k].id, exceptions->all[i].student) == 0;
        if (!known) {
            complain(EXIT_USAGE, "%s:%zu: no student on the roster has the id \"%s\"",
                     session->options.course, exceptions->all[i].line, exceptions->all[i].student);
            return false;
        }
    }
    return true;
}

bool batch_session_prepare(struct session *session)
{
    char error[2 * PATH_SIZE];
    const struct options *options = &session->options;
    if (!is_folder(options->submissions)) {
        complain(EXIT_USAGE, "%s is not a folder of submissions", options->submissions);
        return false;
    }
    if (!choose_device(session) || !read_terms(session) || !open_labs(session))
        return false;
    if (options->roster &&
        !batch_roster_read(options->roster, &session->roster, error, sizeof error)) {
        complain(EXIT_USAGE, "%s", error);
        return false;
    }
    if (options->roster && !check_exceptions(session))
        return false;
    struct grade_seed seed;
    if (options->seed && !cli_choose_seed("batch", options->seed, &seed))
        return false;
    return options->slurm ||
           /* with --slurm, each node checks its own sandbox */
           cli_check_sandbox("batch", options->unsafe);
}

/* --- the folder of --out, the store and the seed ---------------------------------------------- */

/* Makes and locks the folder of --out. Worker processes do not inherit the lock. So if this process
 * is killed, workers that are still cleaning up do not block the next one. */
static bool open_out(struct session *session)
{
    char path[PATH_SIZE];
    const char *out = session->options.out;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    session->new_out = mkdir(out, 0755) == 0;
    if (!session->new_out && !is_folder(out)) {
        complain(EXIT_USAGE, "cannot make %s: %s", out, strerror(errno));
        return false;
    }
    if (base_path(path, "%s/.lock", out))
        session->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (session->lock >= 0 && fcntl(session->lock, F_SETLK, &lock) == 0)
        return true;
    if (errno == EACCES || errno == EAGAIN)
        complain(EXIT_USAGE, "another lanewise batch is writing to %s", out);
    else
        complain(EXIT_USAGE, "cannot write to %s: %s", out, strerror(errno));
    return false;
}

bool batch_session_fail(struct session *session)
{
    complain(EXIT_USAGE, "%s", batch_store_error(session->store));
    return false;
}

/* Decides whether to use the last run's seed and its secret again. Returns true if WANTED is NULL,
 * or is the number of that seed. */
static bool keep_seed(struct session *session, const char *wanted, const char *last)
{
    char *secret = batch_store_get(session->store, "secret");
    bool same = secret && last && (!wanted || strcmp(wanted, last) == 0);
    if (same) {
        session->seed.number = strtoull(last, NULL, 10);
        snprintf(session->seed.secret, sizeof session->seed.secret, "%s", secret);
    }
    free(secret);
    return same;
}

/* Chooses the seed: the number after --seed, otherwise the last run's seed, otherwise a new
 * seed. */
static bool choose_seed(struct session *session)
{
    char text[40], *last = batch_store_get(session->store, "seed");
    const char *wanted = session->options.seed;
    bool good = keep_seed(session, wanted, last) ||
                cli_choose_seed("batch", wanted ? wanted : last, &session->seed);
    free(last);
    snprintf(text, sizeof text, "%llu", (unsigned long long)session->seed.number);
    return good &&
           ((batch_store_set(session->store, "seed", text) &&
             batch_store_set(session->store, "secret", session->seed.secret) &&
             batch_store_set(session->store, "device", grading_device_name(session->device))) ||
            batch_session_fail(session));
}

/* Makes the temporary folder of gradings. */
static bool open_scratch(struct session *session)
{
    if (!base_private_folder(session->scratch)) {
        complain(EXIT_USAGE, "cannot make a folder in %s: %s", base_temporary_folder(),
                 strerror(errno));
        session->scratch[0] = 0;
        return false;
    }
    setenv("TMPDIR", session->scratch, 1);
    return true;
}

static bool open_store(struct session *session)
{
    char path[PATH_SIZE], error[PATH_SIZE + 300];
    if (!base_path(path, "%s/" BATCH_STORE_FILE, session->options.out)) {
        complain(EXIT_USAGE, "the path of %s is too long", session->options.out);
        return false;
    }
    session->store = batch_store_open(path, error, sizeof error);
    if (!session->store)
        complain(EXIT_USAGE, "%s", error);
    /* with --slurm, do not set TMPDIR: tasks on other nodes would inherit it, but the folder does
     * not exist there */
    return session->store && choose_seed(session) &&
           (session->options.slurm || open_scratch(session));
}

bool batch_session_open(struct session *session)
{
    return open_out(session) && open_store(session);
}

void batch_session_close(struct session *session)
{
    batch_store_close(session->store);
    if (session->scratch[0])
        base_remove_tree(session->scratch);
    for (size_t i = 0; i < session->lab_count + session->other_count; ++i)
        labs_close(&session->labs[i].lab);
    batch_roster_free(&session->roster);
    course_free(&session->course);
    if (session->new_out)
        base_remove_tree(session->options.out);
    if (session->lock >= 0)
        close(session->lock);
}
