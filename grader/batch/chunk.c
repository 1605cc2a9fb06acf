#include "batch/chunk.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "batch/key.h"
#include "grade/grade.h"
#include "grade/installed_gpu.h"
#include "sandbox/pool.h"

#define SCHEMA       "lanewise/chunk/v1"
#define SOURCE_BYTES ((size_t)1 << 20)
#define ENDING       ".json"

/* --- writing chunks --------------------------------------------------------------------------- */

static bool make_folder(const char *path)
{
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

bool batch_chunk_folder(const char *folder)
{
    static const char *const parts[] = {"", "/sources", "/chunks", "/answers", "/log"};
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (!base_path(path, "%s%s", folder, parts[i]) || !make_folder(path))
            return false;
    return true;
}

/* Writes the source with this hash into FOLDER, unless the file exists. The file's name is the hash
 * of its content, so an existing file has the right content. */
static bool write_source(const struct batch_queue *queue, const char *folder, const char *hash,
                         char *error, size_t size)
{
    char path[PATH_SIZE];
    struct text source;
    if (!base_path(path, "%s/sources/%s", folder, hash) || access(path, F_OK) == 0)
        return path[0] != 0;
    if (!batch_store_source(queue->store, hash, &source)) {
        snprintf(error, size, "%s", batch_store_error(queue->store));
        return false;
    }
    bool written = base_write_file(path, source.bytes, source.size, 0644);
    if (!written)
        snprintf(error, size, "cannot write %s: %s", path, strerror(errno));
    free(source.bytes);
    return written;
}

/* Lists the labs with their hashes and terms. Another machine uses this list to check that it has
 * the same labs, because different labs would give different grades. */
static json_t *describe_labs(const struct batch_queue *queue)
{
    json_t *labs = json_array();
    for (size_t i = 0; i < queue->lab_count; ++i)
        json_array_append_new(labs, json_pack("{s:s, s:s, s:O*}", "lab", queue->labs[i].lab.name,
                                              "grader", queue->labs[i].grader, "terms",
                                              queue->labs[i].lab.terms));
    return labs;
}

static bool write_chunk(const struct batch_queue *queue, const char *folder, unsigned round,
                        size_t number, json_t *entries)
{
    char path[PATH_SIZE];
    json_t *chunk =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:b, s:o, s:O}", "schema", SCHEMA, "folder",
                  folder, "device", grading_device_name(queue->device), "arch", queue->gpu_arch,
                  "seed", (json_int_t)queue->seed.number, "secret", queue->seed.secret, "unsafe",
                  (int)queue->unsafe, "labs", describe_labs(queue), "entries", entries);
    char *text = json_dumps(chunk, JSON_INDENT(1));
    bool written = text && base_path(path, "%s/chunks/%u/%zu" ENDING, folder, round, number) &&
                   base_write_file(path, text, strlen(text), 0600);
    free(text);
    json_decref(chunk);
    return written;
}

size_t batch_chunk_write(const struct batch_queue *queue, const char *folder, unsigned round,
                         json_t *entries, size_t chunk_size, char *error, size_t size)
{
    char path[PATH_SIZE];
    size_t count = 0, total = json_array_size(entries);
    bool good = base_path(path, "%s/chunks/%u", folder, round) && make_folder(path);
    json_t *part = json_array();
    for (size_t i = 0; good && i < total; ++i) {
        json_t *entry = json_array_get(entries, i);
        if (!write_source(queue, folder, json_text_of(entry, "source"), error, size)) {
            json_decref(part);
            return 0;
        }
        json_object_set_new(entry, "chunk", json_integer((json_int_t)count));
        json_array_append(part, entry);
        if (json_array_size(part) < chunk_size && i + 1 < total)
            continue;
        good = write_chunk(queue, folder, round, count++, part);
        json_array_clear(part);
    }
    json_decref(part);
    if (!good)
        snprintf(error, size, "cannot write to %s: %s", folder, strerror(errno));
    return good ? count : 0;
}

/* --- grading a chunk -------------------------------------------------------------------------- */

/* A chunk being graded. */
struct chunk {
    json_t *json;
    const char *folder;
    json_t *entries; /* the entries that have no answer (grading) yet */
    struct batch_queue queue;
    struct batch_lab labs[MAX_LABS];
    char gpu_name[256];
    char *error; /* the error so far, or "" if there is none */
    size_t size;
};

static bool fail(struct chunk *chunk, const char *what, const char *why)
{
    if (!chunk->error[0])
        snprintf(chunk->error, chunk->size, "%s %s", what, why);
    return false;
}

/* Opens the labs. Returns false if this machine would not give the same grades as the machine that
 * wrote the chunk. */
static bool open_labs(struct chunk *chunk)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(chunk->json, "labs"), i, entry)
    {
        char error[PATH_SIZE + 200];
        struct batch_lab *lab = &chunk->labs[i];
        if (i == MAX_LABS || !labs_open(json_text_of(entry, "lab"), &lab->lab, error, sizeof error))
            return fail(chunk,
                        "cannot grade on this machine:", i == MAX_LABS ? "too many labs" : error);
        chunk->queue.lab_count = i + 1;
        lab_set_terms(&lab->lab, json_object_get(entry, "terms"));
        if (!batch_grader_hash(&lab->lab, chunk->queue.device, json_text_of(chunk->json, "arch"),
                               lab->grader) ||
            strcmp(lab->grader, json_text_of(entry, "grader")) != 0)
            return fail(
                chunk,
                "Lanewise or the compiler on this machine is not the same version as on the machine where",
                "`lanewise batch` runs, so grades would not be comparable: use the same installation on both machines");
    }
    return chunk->queue.lab_count > 0 || fail(chunk, "the chunk names", "no labs");
}

static bool answer_path(const struct chunk *chunk, const json_t *entry, char path[PATH_SIZE])
{
    return base_path(path, "%s/answers/%s" ENDING, chunk->folder, json_text_of(entry, "key"));
}

/* Returns the entries that have no answer yet. An earlier execution of the same chunk may have
 * written answers for the others. */
static json_t *find_missing(const struct chunk *chunk)
{
    char path[PATH_SIZE];
    size_t i;
    json_t *entry, *missing = json_array();
    json_array_foreach(json_object_get(chunk->json, "entries"), i, entry)
    {
        if (answer_path(chunk, entry, path) && access(path, F_OK) != 0)
            json_array_append(missing, entry);
    }
    return missing;
}

static json_t *grade(size_t i, void *context)
{
    struct chunk *chunk = context;
    const json_t *entry = json_array_get(chunk->entries, i);
    char path[PATH_SIZE], why[100];
    struct text source;
    for (size_t lab = 0; lab < chunk->queue.lab_count; ++lab)
        if (strcmp(chunk->labs[lab].lab.name, json_text_of(entry, "lab")) == 0 &&
            base_path(path, "%s/sources/%s", chunk->folder, json_text_of(entry, "source")) &&
            base_read_file(path, SOURCE_BYTES, &source, why, sizeof why))
            return batch_grade_one(&chunk->queue, &chunk->labs[lab].lab, &source);
    return NULL;
}

/* Writes the answer to entry I. If the worker died or was interrupted, writes none, so that the
 * entry can be graded again. */
static bool keep(size_t i, const json_t *answer, void *context)
{
    struct chunk *chunk = context;
    char path[PATH_SIZE];
    bool ended = answer && json_integer_of(answer, "end") != GRADE_INTERRUPTED;
    char *text = ended ? json_dumps(answer, JSON_COMPACT) : NULL;
    bool written = !text || (answer_path(chunk, json_array_get(chunk->entries, i), path) &&
                             base_write_file(path, text, strlen(text), 0644));
    free(text);
    return written || fail(chunk, "cannot write to", chunk->folder);
}

static bool read_chunk(struct chunk *chunk, const char *path)
{
    json_error_t why;
    chunk->json = json_load_file(path, 0, &why);
    if (!chunk->json)
        return fail(chunk, path, why.text);
    if (strcmp(json_text_of(chunk->json, "schema"), SCHEMA) != 0)
        return fail(chunk, path, "was not written by this version of Lanewise");
    chunk->folder = json_text_of(chunk->json, "folder");
    chunk->queue = (struct batch_queue){
        .labs = chunk->labs,
        .device = strcmp(json_text_of(chunk->json, "device"), "gpu") == 0 ? ON_GPU : ON_EMULATOR,
        .gpu_name = chunk->gpu_name,
        .unsafe = json_is_true(json_object_get(chunk->json, "unsafe"))};
    if (!grade_seed_read(chunk->json, &chunk->queue.seed))
        return fail(chunk, path, "has no secret for the seed");
    if (chunk->queue.device == ON_GPU &&
        !installed_gpu_find(chunk->gpu_name, sizeof chunk->gpu_name))
        return fail(chunk, "no GPU to grade on:", chunk->gpu_name);
    chunk->queue.gpu_arch = installed_gpu_arch();
    return open_labs(chunk);
}

bool batch_chunk_grade(const char *path, unsigned jobs, char *error, size_t size)
{
    /* static because labs have paths of 4 KB, which are too large for a stack */
    static struct chunk chunk;
    chunk = (struct chunk){.error = error, .size = size};
    error[0] = 0;
    bool done = read_chunk(&chunk, path);
    if (done) {
        chunk.entries = find_missing(&chunk);
        struct process_pool pool = {.count = json_array_size(chunk.entries),
                                    .jobs = jobs,
                                    .context = &chunk,
                                    .work = grade,
                                    .done = keep};
        done = process_pool_run(&pool);
    }
    for (size_t i = 0; i < chunk.queue.lab_count; ++i)
        labs_close(&chunk.labs[i].lab);
    json_decref(chunk.entries);
    json_decref(chunk.json);
    return done;
}

/* --- collecting ------------------------------------------------------------------------------- */

static void collect_one(const char *folder, const char *name, size_t length,
                        bool (*take)(const char *key, const json_t *answer, void *context),
                        void *context)
{
    char path[PATH_SIZE], key[HASH_SIZE];
    if (length != HASH_SIZE - 1 || !base_path(path, "%s/answers/%s", folder, name))
        return;
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    json_t *answer = json_load_file(path, 0, NULL);
    if (answer && take(key, answer, context))
        unlink(path);
    json_decref(answer);
}

bool batch_chunk_collect(const char *folder,
                         bool (*take)(const char *key, const json_t *answer, void *context),
                         void *context)
{
    char path[PATH_SIZE];
    struct dirent *entry;
    DIR *answers = base_path(path, "%s/answers", folder) ? opendir(path) : NULL;
    if (!answers)
        return false;
    while ((entry = readdir(answers))) {
        const char *dot = strchr(entry->d_name, '.');
        if (dot && strcmp(dot, ENDING) == 0) /* skips temporary files of base_write_file() */
            collect_one(folder, entry->d_name, (size_t)(dot - entry->d_name), take, context);
    }
    closedir(answers);
    return true;
}
