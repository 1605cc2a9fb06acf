/* For each lab:  gradings' prints - what all have --marks' owners--> pairs --sources--> excerpts
 *
 * Pairs are found by way of the marks that few have, so that a class of thousands needs no comparison of
 * each with each. */
#include "batch/similar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/key.h"
#include "judge/similar.h"
#include "run/json.h"
#include "run/print.h"
#include "run/text.h"

#define SOURCE_BYTES ((size_t)1 << 20)
#define MOST_PAIRS   500u /* of a class: nobody reads more */
#define EXCERPT      80u  /* lines */
#define FEW_OWNERS   10u /* a mark that more have, and more than a quarter of the class, is common */

/* A student's program for the lab at hand. */
struct entry {
    const char *student, *key;
    const json_t *grade;  /* of the student's labs */
    const json_t *result; /* its grading */
    struct judge_print own;
};

struct owner {
    uint64_t mark;
    size_t entry;
};

/* One lab under way. */
struct search {
    const struct batch_similar *similar;
    const struct batch_lab *lab;
    struct run_text skeleton, solution;
    struct judge_print known;
    struct entry *entries;
    struct owner *owners; /* by mark */
    size_t count, owner_count;
    json_t *pairs;
    char *error;
    size_t size;
};

static bool fail(struct search *search, const char *what, const char *why)
{
    snprintf(search->error, search->size, "cannot look for near-duplicates: %s: %s", what, why);
    return false;
}

/* --- what everybody has ------------------------------------------------------------------------------- */

/* Adds the print of what SOURCE compiles to. */
static bool add_built(struct search *search, const struct run_text *source)
{
    const struct batch_similar *similar = search->similar;
    char folder[RUN_PATH_SIZE];
    struct run_build build;
    if (!run_private_folder(folder))
        return fail(search, "a folder for the compiler", strerror(errno));
    struct run_build_job job = {.source = source,
                                .file_name = search->lab->lab.file,
                                .shown = search->lab->lab.file,
                                .device = similar->device,
                                .gpu_arch = similar->gpu_arch,
                                .level = run_sandbox_level(NULL, 0),
                                .folder = folder};
    run_build(&job, &build);
    bool good = build.end == RUN_BUILT && run_print_program(build.program, &search->known);
    if (!good)
        fail(search, search->lab->lab.name, build.messages ? build.messages : "cannot be built");
    run_build_free(&build);
    run_remove_tree(folder);
    return good;
}

/* What the print depends on, as a hash. */
static void hash_known(const struct search *search, char hex[RUN_HASH_SIZE])
{
    struct run_hash *hash = run_hash_new();
    hex[0] = 0;
    if (!hash)
        return;
    run_hash_add(hash, search->lab->grader, strlen(search->lab->grader) + 1);
    run_hash_add(hash, search->skeleton.bytes, search->skeleton.size + 1);
    run_hash_add(hash, search->solution.bytes, search->solution.size);
    run_hash_end(hash, hex);
}

/* Takes the print from the store, where it stands behind the hash of what it was made from; or makes it. */
static bool find_known(struct search *search)
{
    char hex[RUN_HASH_SIZE], name[RUN_LAB_NAME_SIZE + 16], *kept;
    snprintf(name, sizeof name, "print %s", search->lab->lab.name);
    hash_known(search, hex);
    kept = batch_store_get(search->similar->store, name);
    if (kept && strncmp(kept, hex, RUN_HASH_SIZE - 1) == 0) {
        json_t *text = json_string(kept + RUN_HASH_SIZE - 1);
        bool read = run_print_read(text, &search->known);
        json_decref(text);
        free(kept);
        return read;
    }
    free(kept);
    if (!add_built(search, &search->skeleton) ||
        (search->solution.bytes && !add_built(search, &search->solution)))
        return false;
    json_t *text = run_print_json(&search->known);
    char *value;
    bool put = text && asprintf(&value, "%s%s", hex, json_string_value(text)) >= 0;
    json_decref(text);
    if (!put)
        return fail(search, search->lab->lab.name, "out of memory");
    put = batch_store_set(search->similar->store, name, value);
    free(value);
    return put || fail(search, "the store", batch_store_error(search->similar->store));
}

/* A kit that students' machines have too may lack solutions; a lab without a skeleton is none. */
static bool read_sources(struct search *search)
{
    char path[RUN_PATH_SIZE], why[100] = "the path is too long";
    if (!run_lab_pristine_path(&search->lab->lab, path) ||
        !run_read_file(path, SOURCE_BYTES, &search->skeleton, why, sizeof why))
        return fail(search, path, why);
    run_read_file(search->lab->lab.solution, SOURCE_BYTES, &search->solution, why, sizeof why);
    return true;
}

/* --- entries and owners --------------------------------------------------------------------------------- */

static bool add_entry(struct search *search, const json_t *student, const json_t *gradings)
{
    const json_t *labs = json_object_get(student, "labs");
    const json_t *grade = json_object_get(labs, search->lab->lab.name);
    const json_t *result = json_object_get(gradings, run_text_of(grade, "key"));
    struct entry *entry = &search->entries[search->count];
    if (!json_is_string(json_object_get(result, "print")))
        return true;
    *entry = (struct entry){
        run_text_of(student, "student"), run_text_of(grade, "key"), grade, result, {0}};
    ++search->count;
    if (!run_print_read(json_object_get(result, "print"), &entry->own))
        return fail(search, entry->student, "out of memory");
    judge_print_subtract(&entry->own, &search->known);
    return true;
}

static int by_mark(const void *left, const void *right)
{
    const struct owner *a = left, *b = right;
    if (a->mark != b->mark)
        return a->mark < b->mark ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

/* How many owners from AT on have the same mark. */
static size_t owners_from(const struct search *search, size_t at)
{
    size_t end = at;
    while (end < search->owner_count && search->owners[end].mark == search->owners[at].mark)
        ++end;
    return end - at;
}

/* Takes off what too many have: the next exercise's hint, a text book, a friend of all. */
static bool subtract_common(struct search *search)
{
    size_t few = search->count / 4 > FEW_OWNERS ? search->count / 4 : FEW_OWNERS, number;
    struct judge_print common = {0};
    bool good = true;
    for (size_t at = 0; good && at < search->owner_count; at += number) {
        struct judge_print mark = {&search->owners[at].mark, 1};
        number = owners_from(search, at);
        good = number <= few || judge_print_join(&common, &mark);
    }
    for (size_t i = 0; i < search->count; ++i)
        judge_print_subtract(&search->entries[i].own, &common);
    judge_print_free(&common);
    return good || fail(search, search->lab->lab.name, "out of memory");
}

/* Lists each entry's marks by mark. */
static bool list_owners(struct search *search)
{
    size_t total = 0;
    for (size_t i = 0; i < search->count; ++i)
        total += search->entries[i].own.count;
    free(search->owners);
    search->owner_count = 0;
    search->owners = calloc(total + 1, sizeof *search->owners);
    if (!search->owners)
        return fail(search, search->lab->lab.name, "out of memory");
    for (size_t i = 0; i < search->count; ++i)
        for (size_t k = 0; k < search->entries[i].own.count; ++k)
            search->owners[search->owner_count++] =
                (struct owner){search->entries[i].own.marks[k], i};
    qsort(search->owners, search->owner_count, sizeof *search->owners, by_mark);
    return true;
}

/* --- excerpts ------------------------------------------------------------------------------------------- */

/* A line without the blanks around it. */
struct line {
    const char *text;
    size_t length;
};

/* The line that begins at *AT, which moves behind it. */
static struct line next_line(const char **at)
{
    struct line line = {*at, strcspn(*at, "\n")};
    *at += line.length + ((*at)[line.length] == '\n');
    while (line.length > 0 && strchr(" \t\r", *line.text)) {
        ++line.text;
        --line.length;
    }
    while (line.length > 0 && strchr(" \t\r", line.text[line.length - 1]))
        --line.length;
    return line;
}

static bool has_line(const char *text, struct line wanted)
{
    while (*text) {
        struct line line = next_line(&text);
        if (line.length == wanted.length && memcmp(line.text, wanted.text, line.length) == 0)
            return true;
    }
    return false;
}

/* What a student wrote: the lines that the skeleton lacks, with their numbers. */
static json_t *excerpt_of(const struct search *search, const char *source)
{
    json_t *lines = json_array();
    for (int number = 1; *source && json_array_size(lines) < EXCERPT; ++number) {
        const char *begin = source;
        struct line line = next_line(&source);
        if (line.length == 0 || has_line(search->skeleton.bytes, line))
            continue;
        char *clean = strndup(begin, (size_t)(line.text - begin) + line.length);
        run_clean_text(clean, strlen(clean));
        json_array_append_new(lines, json_pack("{s:i, s:s}", "line", number, "text", clean));
        free(clean);
    }
    return lines;
}

static json_t *side_of(const struct search *search, const struct entry *entry)
{
    struct run_text source = {0};
    json_int_t counted = json_integer_value(json_object_get(entry->grade, "counted"));
    const json_t *attempts = json_object_get(entry->grade, "attempts");
    const json_t *attempt = json_array_get(attempts, counted > 0 ? (size_t)counted - 1 : 0);
    batch_store_source(search->similar->store, run_text_of(entry->result, "source_sha256"),
                       &source);
    json_t *side =
        json_pack("{s:s, s:I, s:s, s:s, s:o}", "student", entry->student, "attempt", counted,
                  "path", run_text_of(attempt, "path"), "key", entry->key, "excerpt",
                  source.bytes ? excerpt_of(search, source.bytes) : json_array());
    free(source.bytes);
    return side;
}

/* --- pairs ---------------------------------------------------------------------------------------------- */

static void add_pair(struct search *search, const struct entry *left, const struct entry *right,
                     bool same)
{
    if (json_array_size(search->pairs) >= MOST_PAIRS)
        return;
    size_t shared = judge_print_shared(&left->own, &right->own);
    double likeness = same ? 1 : judge_print_likeness(&left->own, &right->own);
    json_array_append_new(search->pairs,
                          json_pack("{s:s, s:f, s:I, s:b, s:[o, o]}", "lab", search->lab->lab.name,
                                    "similarity", (double)(long)(1000 * likeness + 0.5) / 1000,
                                    "shared", (json_int_t)shared, "same_file", same, "pair",
                                    side_of(search, left), side_of(search, right)));
}

/* Has nobody written this but the lab's author? */
static bool is_given(const struct search *search, const struct entry *entry)
{
    char hex[RUN_HASH_SIZE];
    const struct run_text *const given[] = {&search->skeleton, &search->solution};
    for (size_t i = 0; i < 2; ++i) {
        if (!given[i]->bytes)
            continue;
        batch_source_hash(given[i], hex);
        if (strcmp(hex, run_text_of(entry->result, "source_sha256")) == 0)
            return true;
    }
    return false;
}

/* Adds up in SHARED how many marks each later entry has in common with entry I. */
static void count_shared(const struct search *search, size_t i, unsigned *shared)
{
    memset(shared, 0, search->count * sizeof *shared);
    for (size_t k = 0; k < search->entries[i].own.count; ++k) {
        struct owner wanted = {search->entries[i].own.marks[k], i};
        const struct owner *mine =
            bsearch(&wanted, search->owners, search->owner_count, sizeof wanted, by_mark);
        const struct owner *end = search->owners + search->owner_count;
        for (; mine && ++mine < end && mine->mark == wanted.mark;)
            ++shared[mine->entry];
    }
}

static bool find_pairs(struct search *search)
{
    unsigned *shared = calloc(search->count + 1, sizeof *shared);
    if (!shared)
        return fail(search, search->lab->lab.name, "out of memory");
    for (size_t i = 0; i < search->count; ++i) {
        const struct entry *one = &search->entries[i];
        bool given = is_given(search, one);
        count_shared(search, i, shared);
        for (size_t k = i + 1; k < search->count; ++k) {
            const struct entry *other = &search->entries[k];
            bool same = strcmp(one->key, other->key) == 0;
            if (same ? !given
                     : shared[k] >= JUDGE_SIMILAR_MARKS && judge_print_near(&one->own, &other->own))
                add_pair(search, one, other, same);
        }
    }
    free(shared);
    return true;
}

/* --- labs ----------------------------------------------------------------------------------------------- */

static void close_search(struct search *search)
{
    for (size_t i = 0; i < search->count; ++i)
        judge_print_free(&search->entries[i].own);
    free(search->entries);
    free(search->owners);
    free(search->skeleton.bytes);
    free(search->solution.bytes);
    judge_print_free(&search->known);
}

static bool search_lab(struct search *search, const json_t *class)
{
    const json_t *students = json_object_get(class, "students");
    size_t i;
    json_t *student;
    search->entries = calloc(json_array_size(students) + 1, sizeof *search->entries);
    if (!search->entries)
        return fail(search, search->lab->lab.name, "out of memory");
    if (!read_sources(search) || !find_known(search))
        return false;
    json_array_foreach(students, i, student)
    {
        if (!add_entry(search, student, json_object_get(class, "gradings")))
            return false;
    }
    return list_owners(search) && subtract_common(search) && list_owners(search) &&
           find_pairs(search);
}

static int by_likeness(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    double more = json_number_value(json_object_get(a, "similarity"));
    double less = json_number_value(json_object_get(b, "similarity"));
    return (more < less) - (more > less);
}

/* The same pairs, the most alike first, and else in the order in which they were found. */
static json_t *sorted(json_t *pairs)
{
    size_t count = json_array_size(pairs);
    json_t **order = calloc(count + 1, sizeof *order), *result = json_array();
    for (size_t i = 0; order && i < count; ++i)
        order[i] = json_array_get(pairs, i);
    for (size_t i = 1; order && i < count; ++i) /* by insertion: stable, and there are few */
        for (size_t k = i; k > 0 && by_likeness(&order[k - 1], &order[k]) > 0; --k) {
            json_t *swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    for (size_t i = 0; order && i < count; ++i)
        json_array_append(result, order[i]);
    free(order);
    json_decref(pairs);
    return result;
}

bool batch_similar(const struct batch_similar *similar, json_t *class, char *error, size_t size)
{
    json_t *pairs = json_array(), *result;
    const char *key;
    bool good = true;
    for (size_t i = 0; good && i < similar->lab_count; ++i) {
        struct search search = {.similar = similar,
                                .lab = &similar->labs[i],
                                .pairs = pairs,
                                .error = error,
                                .size = size};
        good = search_lab(&search, class);
        close_search(&search);
    }
    json_object_foreach(json_object_get(class, "gradings"), key, result)
        json_object_del(result, "print");
    json_object_set_new(class, "similar", sorted(pairs));
    return good;
}
