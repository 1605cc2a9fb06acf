#include "batch/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "batch/feedback.h"
#include "batch/key.h"
#include "report/class_html.h"
#include "report/gradebook.h"
#include "report/html_student.h"

/* The state of writing the files. */
struct output {
    struct batch_store *store;
    const json_t *class;
    const char *folder;
    char *error;
    size_t size;
};

/* Returns true if the file at PATH already contains exactly TEXT. */
static bool is_unchanged(const char *path, const char *text, size_t size)
{
    struct text old;
    char why[100];
    bool same = base_read_file(path, (size_t)1 << 30, &old, why, sizeof why) && old.size == size &&
                memcmp(old.bytes, text, size) == 0;
    free(old.bytes);
    return same;
}

static bool fail(struct output *output, const char *path)
{
    int reason = errno;
    snprintf(output->error, output->size, "cannot write %s: %s%s", path, strerror(reason),
             reason == ENOSPC || reason == EFBIG || reason == EDQUOT
                 ? "; all grades are kept: free some space and run this command again"
                 : "");
    return false;
}

/* Writes TEXT to the file NAME in the output's folder, and frees TEXT. Reports "out of memory" if
 * TEXT is NULL. */
static bool write_text(struct output *output, const char *name, char *text, size_t size)
{
    char path[PATH_SIZE];
    errno = text ? ENAMETOOLONG : ENOMEM;
    bool written = text && base_path(path, "%s/%s", output->folder, name) &&
                   (is_unchanged(path, text, size) || base_write_file(path, text, size, 0644));
    free(text);
    return written || fail(output, name);
}

static bool write_json(struct output *output, const char *name, const json_t *document)
{
    /* 12 digits are enough, and prevent output such as 22.100000000000001 for 22.1. */
    char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    size_t size = text ? strlen(text) : 0;
    if (text)
        text[size] = '\n'; /* the newline replaces the final NUL */
    return write_text(output, name, text, size + 1);
}

/* Writes the text that WRITE prints about the class to the file NAME. */
static bool write_class(struct output *output, const char *name,
                        void (*write)(FILE *to, const json_t *class))
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory) {
        write(memory, output->class);
        fclose(memory);
    }
    return write_text(output, name, text, size);
}

/* Removes the temporary files that base_write_file() leaves in the folder PATH if it is killed
 * while it writes FILE. */
static void remove_leftovers(const char *path, const char *file)
{
    size_t length = strlen(file);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strncmp(entry->d_name, file, length) == 0 && entry->d_name[length] == '.' &&
            strlen(entry->d_name) == length + 7)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

/* --- students --------------------------------------------------------------------------------- */

/* Returns true if ID is the name of a file that batch_write_all() writes, such as class.json. */
static bool is_taken(const char *id)
{
    static const char *const names[] = {"gradebook.csv",
                                        "class.json",
                                        "class.html",
                                        "slurm",
                                        BATCH_FEEDBACK,
                                        BATCH_STORE_FILE,
                                        BATCH_STORE_FILE "-journal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcasecmp(id, names[i]) == 0)
            return true;
    return false;
}

void batch_folder_name(const char *id, char name[256])
{
    char hash[HASH_SIZE];
    /* an escaped byte takes 3 bytes; of a long id, only 150 bytes are kept, and its hash follows */
    size_t length = 0, most = strlen(id) > 200 ? 150 : 250;
    bool taken = is_taken(id);
    for (const char *at = id; *at && length < most; ++at) {
        bool bad = *at == '/' || (at == id && (*at == '.' || taken));
        if (length + 3 > most || (length + 8 > most && (*at & 0xc0) == 0xc0))
            break; /* do not cut a multi-byte character in two */
        length += (size_t)sprintf(name + length, bad ? "%%%02X" : "%c", (unsigned char)*at);
    }
    name[length] = 0;
    if (most == 250)
        return;
    base_text_hash(&(struct text){.bytes = (char *)id, .size = strlen(id)}, hash);
    sprintf(name + length, "-%.16s", hash);
}

/* Adds LAB's complete result to RESULTS and its source to SOURCES. Returns false if the store
 * cannot be read. */
static bool add_grading(struct output *output, const char *lab, const char *key, json_t *results,
                        json_t *sources)
{
    struct text source;
    json_t *grading = *key ? batch_store_grading(output->store, key) : json_object();
    json_t *result = json_object_get(grading, "result");
    /* An older grader made this grade. CLASS has a shortened copy of its result. */
    if (grading && !result && *key)
        result = json_object_get(json_object_get(output->class, "gradings"), key);
    batch_store_strip(result);
    const char *hash = json_text_of(result, "source_sha256");
    bool good = grading != NULL;
    if (result)
        json_object_set(results, lab, result);
    if (*hash && (good = batch_store_source(output->store, hash, &source))) {
        json_object_set_new(sources, lab, json_stringn_nocheck(source.bytes, source.size));
        free(source.bytes);
    }
    json_decref(grading);
    if (!good)
        snprintf(output->error, output->size, "%s", batch_store_error(output->store));
    return good;
}

static bool write_page(struct output *output, const char *name, const json_t *student,
                       const json_t *sources)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory) {
        report_html_student(memory, student, sources);
        fclose(memory);
    }
    return write_text(output, name, text, size);
}

static bool write_student(struct output *output, const json_t *row)
{
    char folder[256], path[PATH_SIZE], name[300];
    const char *lab;
    json_t *entry, *sources = json_object(), *results = json_object();
    json_t *student = json_pack("{s:s, s:O, s:O}", "schema", "lanewise/student/v1", "version",
                                json_object_get(output->class, "version"), "course",
                                json_object_get(output->class, "course"));
    bool good = true;
    json_object_update(student, (json_t *)row);
    json_object_foreach(json_object_get(row, "labs"), lab, entry)
    {
        good = good && add_grading(output, lab, json_text_of(entry, "key"), results, sources);
    }
    json_object_set_new(student, "results", results);
    batch_folder_name(json_text_of(row, "student"), folder);
    if (good && (!base_path(path, "%s/%s", output->folder, folder) ||
                 (mkdir(path, 0755) != 0 && errno != EEXIST)))
        good = fail(output, folder);
    remove_leftovers(path, "results.json");
    remove_leftovers(path, "report.html");
    snprintf(name, sizeof name, "%s/results.json", folder);
    good = good && write_json(output, name, student);
    snprintf(name, sizeof name, "%s/report.html", folder);
    good = good && write_page(output, name, student, sources);
    json_decref(student);
    json_decref(sources);
    return good;
}

bool batch_write_all(struct batch_store *store, const json_t *class, const char *folder,
                     char *error, size_t size)
{
    static const char *const files[] = {"gradebook.csv", "class.json", "class.html"};
    struct output output = {store, class, folder, error, size};
    size_t i;
    json_t *student;
    for (i = 0; i < sizeof files / sizeof *files; ++i)
        remove_leftovers(folder, files[i]);
    bool good = write_class(&output, "gradebook.csv", report_gradebook) &&
                write_json(&output, "class.json", class) &&
                write_class(&output, "class.html", report_class_html);
    json_array_foreach(json_object_get(class, "students"), i, student)
    {
        good = good && write_student(&output, student);
    }
    return good && batch_write_feedback(class, folder, error, size);
}

/* --- folders of former students --------------------------------------------------------------- */

static int by_bytes(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

json_t *batch_old_folders(const json_t *class, const char *folder)
{
    char path[PATH_SIZE], name[256];
    struct dirent **entries;
    json_t *old = json_array(), *names = json_object(), *student;
    size_t i;
    json_array_foreach(json_object_get(class, "students"), i, student)
    {
        batch_folder_name(json_text_of(student, "student"), name);
        json_object_set_new(names, name, json_true());
    }
    int count = scandir(folder, &entries, NULL, by_bytes);
    for (int entry = 0; entry < count; ++entry) {
        const char *found = entries[entry]->d_name;
        if (*found != '.' && !json_object_get(names, found) &&
            base_path(path, "%s/%s/results.json", folder, found) && access(path, F_OK) == 0)
            json_array_append_new(old, json_string(found));
        free(entries[entry]);
    }
    if (count >= 0)
        free(entries);
    json_decref(names);
    return old;
}
