/* Reads the file line by line and builds the document. */
#include "record/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "record/lines.h"
#include "record/losses.h"

enum {
    MAX_TRUSTED = 1 << 30, /* maximum size in bytes of a trusted program's record */
    MAX_FUNCTION = 100,    /* maximum length in bytes of the name of an API function */
    MAX_FUNCTIONS = 1000,  /* maximum number of different API functions; CUDA has fewer */
    MAX_COST = 32,         /* maximum number of sectors or wavefronts of one request */
};

/* The document while it is being built. */
struct builder {
    json_t *document, *launches, *findings, *accesses, *calls, *requests, *rows, *sectors;
    json_t *known; /* findings by their finding_key() (findings.c), to detect equal findings */
    json_t *copies, *work;
    json_t *repeated; /* by id: launches that later lines may repeat, with their findings */
};

/* --- accesses --------------------------------------------------------------------------------- */

static bool is_one_of(const json_t *object, const char *name, const char *const *words)
{
    const char *text = json_string_value(json_object_get(object, name));
    while (text && *words && strcmp(text, *words) != 0)
        words++;
    return text && *words;
}

/* Copies the byte offsets of 32 lanes. An offset must be a multiple of BYTES, or null for an
 * inactive lane. At least one lane must have an offset. */
static bool copy_offsets(json_t *into, const json_t *object, json_int_t bytes)
{
    const json_t *from = json_object_get(object, "offsets");
    json_t *offsets = json_array();
    bool good = json_array_size(from) == RECORD_LANES, some = false;
    json_object_set_new(into, "offsets", offsets);
    for (size_t i = 0; i < RECORD_LANES && good; i++) {
        const json_t *one = json_array_get(from, i);
        json_int_t offset = 0;
        bool takes_part = !json_is_null(one);
        good = !takes_part || (copy_is_number(one, MAX_OFFSET, &offset) && offset % bytes == 0);
        some = some || takes_part;
        json_array_append_new(offsets, takes_part ? json_integer(offset) : json_null());
    }
    return good && some;
}

static bool copy_access(json_t *access, const json_t *from)
{
    static const char *const kinds[] = {"load", "store", "atomic", "reduction", NULL};
    static const char *const spaces[] = {"global", "shared", NULL};
    json_int_t bytes = json_integer_of(from, "bytes");
    return copy_text(access, from, "kernel", MAX_NAME) &&
           copy_text(access, from, "file", MAX_NAME) && copy_place(access, from, "line") &&
           copy_place(access, from, "column") && copy_triple(access, from, "block") &&
           copy_number(access, from, "warp", 31) && copy_number(access, from, "step", UINT32_MAX) &&
           is_one_of(from, "kind", kinds) && copy_text(access, from, "kind", MAX_NAME) &&
           is_one_of(from, "space", spaces) && copy_text(access, from, "space", MAX_NAME) &&
           bytes >= 1 && bytes <= 16 && (bytes & (bytes - 1)) == 0 &&
           copy_number(access, from, "bytes", 16) && copy_number(access, from, "cost", MAX_COST) &&
           copy_number(access, from, "ideal", MAX_COST) && copy_offsets(access, from, bytes);
}

/* Checks all accesses, and keeps the one of each line that wastes most. */
static bool add_accesses(struct builder *builder, const json_t *from)
{
    json_t *accesses = json_array(), *one;
    size_t i;
    bool good = true;
    json_array_foreach(from, i, one)
    {
        json_t *access = json_object();
        good = good && copy_access(access, one);
        json_array_append_new(accesses, access);
    }
    if (good)
        record_add_accesses(builder->accesses, accesses, NULL);
    json_decref(accesses);
    return good;
}

/* --- calls and requests ----------------------------------------------------------------------- */

static bool is_function_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length > 0 && length < MAX_FUNCTION && name[length] == '\0';
}

/* Adds the counts in FROM, which may be NULL, to COUNTS. A program with several processes has
 * counts from each process. */
static bool add_counts(json_t *counts, const json_t *from)
{
    const char *name;
    json_t *value;
    bool good = !from || json_is_object(from);
    json_object_foreach((json_t *)from, name, value)
    {
        json_int_t count, before = json_integer_of(counts, name);
        good = good && is_function_name(name) && copy_is_number(value, RECORD_COUNTER, &count) &&
               json_object_size(counts) < MAX_FUNCTIONS &&
               json_object_set_new(counts, name,
                                   json_integer(before + count < RECORD_COUNTER
                                                    ? before + count
                                                    : RECORD_COUNTER)) == 0;
    }
    return good;
}

/* --- copies to the host ----------------------------------------------------------------------- */

static bool is_hash(const char *text)
{
    return text && strlen(text) == HASH_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == HASH_SIZE - 1;
}

static bool add_copy(json_t *copies, const json_t *from)
{
    const char *hash = json_string_value(json_object_get(from, "sha256"));
    const json_t *made = json_object_get(from, "made"), *same = json_object_get(from, "same");
    json_t *copy = json_object();
    bool good = is_hash(hash) && json_is_boolean(made) && json_is_boolean(same) &&
                copy_number(copy, from, "bytes", RECORD_COUNTER) &&
                json_object_set_new(copy, "sha256", json_string(hash)) == 0 &&
                json_object_set_new(copy, "made", json_boolean(json_is_true(made))) == 0 &&
                json_object_set_new(copy, "same", json_boolean(json_is_true(same))) == 0;
    return json_array_append_new(copies, copy) == 0 && good;
}

static bool add_lent(json_t *copies, const json_t *from)
{
    json_t *copy = json_object();
    bool good = copy_number(copy, from, "bytes", RECORD_COUNTER) &&
                copy_number(copy, from, "launch", RECORD_COUNTER) &&
                json_object_set_new(copy, "lent", json_true()) == 0;
    return json_array_append_new(copies, copy) == 0 && good;
}

/* --- launches that repeat earlier launches ---------------------------------------------------- */

static bool add_findings(struct builder *builder, const json_t *findings)
{
    const json_t *finding;
    size_t i;
    bool good = !findings || json_is_array(findings);
    json_array_foreach(findings, i, finding)
    {
        good = good && record_add_finding(builder->findings, builder->known, finding);
    }
    return good;
}

/* Stores the document's last launch, and its FINDINGS, under ID. Later lines of the record may
 * repeat them. */
static bool keep_launch(struct builder *builder, const json_t *id, json_t *findings)
{
    char key[30];
    if (!id)
        return true;
    snprintf(key, sizeof key, "%lld", (long long)json_integer_value(id));
    size_t count = json_array_size(builder->launches);
    return json_is_integer(id) && count && json_array_size(findings) <= RECORD_REPEATED_FINDINGS &&
           json_object_set_new(
               builder->repeated, key,
               json_pack("[O,O]", json_array_get(builder->launches, count - 1), findings)) == 0;
}

/* Adds the launch with this ID again. All repetitions refer to the same JSON object. */
static bool repeat_launch(struct builder *builder, const json_t *id)
{
    char key[30];
    snprintf(key, sizeof key, "%lld", (long long)json_integer_value(id));
    const json_t *old = json_is_integer(id) ? json_object_get(builder->repeated, key) : NULL;
    return old && json_array_append(builder->launches, json_array_get(old, 0)) == 0 &&
           add_findings(builder, json_array_get(old, 1));
}

/* --- the file --------------------------------------------------------------------------------- */

static bool add_line(struct builder *builder, const char *text, size_t size)
{
    json_t *line = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const json_t *launch = json_object_get(line, "launch");
    const json_t *repeats = json_object_get(line, "repeats");
    json_t *findings = json_object_get(line, "findings");
    const json_t *calls = json_object_get(line, "calls");
    const json_t *requests = json_object_get(line, "requests");
    const json_t *accesses = json_object_get(line, "accesses");
    const json_t *copy = json_object_get(line, "copy"), *missing = json_object_get(line, "missing");
    const json_t *lent = json_object_get(line, "lent");
    const json_t *work = json_object_get(line, "work"),
                 *timeline = json_object_get(line, "timeline");
    bool known = launch || repeats || findings || calls || requests || copy || lent || missing ||
                 work || timeline;
    bool good = json_is_object(line) && known && (!copy || add_copy(builder->copies, copy)) &&
                (!lent || add_lent(builder->copies, lent)) &&
                (!missing || copy_number(builder->document, line, "missing", RECORD_COUNTER)) &&
                add_counts(builder->calls, calls) && add_counts(builder->requests, requests) &&
                add_counts(builder->rows, json_object_get(line, "rows")) &&
                add_counts(builder->sectors, json_object_get(line, "sectors")) &&
                (!repeats || repeat_launch(builder, repeats)) &&
                (!accesses || json_is_array(accesses)) &&
                (!launch || record_add_launch(builder->launches, launch)) &&
                (!work || record_add_work(builder->work, work)) &&
                (!timeline || record_copy_timeline(builder->document, timeline, builder->work)) &&
                add_findings(builder, findings) &&
                (!launch || keep_launch(builder, json_object_get(line, "id"), findings));
    good = good && add_accesses(builder, accesses);
    json_decref(line);
    return good;
}

static bool add_lines(struct builder *builder, FILE *file, char *error, size_t size)
{
    char *text = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool good = true;
    for (ssize_t length; good && json_array_size(builder->launches) <= RECORD_LAUNCHES &&
                         (length = getline(&text, &room, file)) > 0;) {
        number++;
        if (text[length - 1] != '\n')
            break; /* the last line is incomplete */
        good = add_line(builder, text, length);
    }
    if (!good)
        snprintf(error, size, "is malformed in line %u", number);
    if (good && json_array_size(builder->launches) > RECORD_LAUNCHES) {
        snprintf(error, size, "has more than %u launches", RECORD_LAUNCHES);
        good = false;
    }
    free(text);
    return good;
}

static FILE *open_record(int fd, size_t most, char *error, size_t size)
{
    struct stat status;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = regular && status.st_size <= (off_t)most ? fdopen(fd, "r") : NULL;
    if (!file) {
        if (regular)
            snprintf(error, size, "is larger than %zu MB: are there too many launches?",
                     most >> 20);
        else
            snprintf(error, size, "is not a file");
        close(fd);
    }
    return file;
}

static json_t *read_record(int fd, size_t most, char *error, size_t size)
{
    FILE *file = open_record(fd, most, error, size);
    if (!file)
        return NULL;
    struct builder builder = {.document = json_object(),
                              .launches = json_array(),
                              .findings = json_array(),
                              .accesses = json_array(),
                              .calls = json_object(),
                              .requests = json_object(),
                              .rows = json_object(),
                              .sectors = json_object(),
                              .known = json_object(),
                              .copies = json_array(),
                              .work = json_array(),
                              .repeated = json_object()};
    json_object_set_new(builder.document, "schema", json_string(RECORD_SCHEMA));
    json_object_set_new(builder.document, "launches", builder.launches);
    json_object_set_new(builder.document, "findings", builder.findings);
    json_object_set_new(builder.document, "calls", builder.calls);
    json_object_set_new(builder.document, "requests", builder.requests);
    json_object_set_new(builder.document, "rows", builder.rows);
    json_object_set_new(builder.document, "sectors", builder.sectors);
    json_object_set_new(builder.document, "accesses", builder.accesses);
    json_object_set_new(builder.document, "copies", builder.copies);
    bool good = add_lines(&builder, file, error, size);
    fclose(file);
    json_decref(builder.known);
    json_decref(builder.work);
    json_decref(builder.repeated);
    if (good) {
        record_describe_losses(builder.document);
        return builder.document;
    }
    json_decref(builder.document);
    return NULL;
}

json_t *record_take(int fd, char *error, size_t size)
{
    return read_record(fd, MAX_TRUSTED, error, size);
}

/* Reads a record. Opens only regular files, because a hostile process may have put something else
 * at PATH. */
json_t *record_read(const char *path, char *error, size_t size)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        snprintf(error, size, "%s",
                 errno == ENOENT  ? "is missing"
                 : errno == ELOOP ? "is not a file"
                                  : strerror(errno));
        return NULL;
    }
    return read_record(fd, RECORD_BYTES, error, size);
}
