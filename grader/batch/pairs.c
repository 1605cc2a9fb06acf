/* Finds pairs of similar programs for each lab:
 *
 *     sources --equal text--> groups --rare marks--> pairs --sources--> excerpts
 *
 * Students whose sources are equal, apart from names, form one group. Groups are compared by their
 * marks (the hashes in a fingerprint, similar/fingerprint.h), but not by marks that many groups
 * have. Such a group counts once, so a program that one student passes on unchanged to many others
 * does not make its marks common. In a class of thousands, most pairs share no rare mark and need
 * no comparison. */
#include "batch/pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "batch/common_code.h"
#include "similar/compare.h"

#define MOST_PAIRS 200u /* maximum number of reported pairs for a lab; nobody would read more */
#define EXCERPT    80u  /* maximum number of lines in an excerpt of a program */
/* A mark is common, and not evidence, if more than FEW_OWNERS groups and more than a quarter of the
 * class have it. */
#define FEW_OWNERS 10u

/* A student's program for the current lab. */
struct entry {
    const char *student, *file; /* the student's id, and the SHA-256 of the file */
    const json_t *grade;        /* the lab's value in the student's "labs" */
    const json_t *result;       /* the result of grading the program */
    uint64_t text;              /* hash of the source text, the same after renaming */
    struct similar_own_code own;
    size_t renamed; /* number of statements in skeleton functions in which names were changed */
    size_t leader;  /* index of the first entry with the same text; it represents the group */
};

/* One mark and one group that has it. `entry` is the group's leader. */
struct owner {
    uint64_t mark;
    size_t entry;
};

struct pair {
    size_t left, right; /* indexes of entries */
    const char *evidence;
    double likeness;
    size_t shared;
};

/* The search in one lab. */
struct search {
    const struct batch_pairs *similar;
    const struct batch_lab *lab;
    struct common_code given;
    struct entry *entries;
    struct owner *owners[SIMILAR_MEASURES]; /* sorted by mark */
    size_t count, owner_count[SIMILAR_MEASURES];
    struct pair *pairs;
    size_t pair_count, pair_room;
    json_t *similar_pairs, *alike; /* "similar" and "alike" of the document */
    char *error;
    size_t size;
};

static bool fail(struct search *search, const char *what, const char *why)
{
    snprintf(search->error, search->size, "cannot look for near-duplicates: %s: %s", what, why);
    return false;
}

static bool no_memory(struct search *search)
{
    return fail(search, search->lab->lab.name, "out of memory");
}

/* --- entries ---------------------------------------------------------------------------------- */

/* Reads ENTRY's source and computes its text hash. If the source cannot be parsed, the hash of the
 * file is used instead. */
static bool read_source(struct search *search, struct entry *entry)
{
    struct text text = {0};
    struct similar_source source;
    if (!batch_store_source(search->similar->store, entry->file, &text))
        return fail(search, "the store", batch_store_error(search->similar->store));
    if (similar_source_read(&source, text.bytes ? text.bytes : "", text.size)) {
        entry->renamed = similar_source_renamed(&source, &search->given.skeleton_source);
        entry->text = source.text;
        entry->own.fingerprints[SIMILAR_STATEMENTS] = source.statements;
        source.statements = (struct fingerprint){0};
        similar_source_free(&source);
    } else
        /* use the first digits of the file's hash, which is the same for equal files */
        sscanf(entry->file, "%16" SCNx64, &entry->text);
    free(text.bytes);
    return true;
}

static bool add_entry(struct search *search, const json_t *student, const json_t *gradings)
{
    const json_t *labs = json_object_get(student, "labs");
    const json_t *grade = json_object_get(labs, search->lab->lab.name);
    const json_t *result = json_object_get(gradings, json_text_of(grade, "key"));
    struct entry *entry = &search->entries[search->count];
    if (!*json_text_of(result, "source_sha256"))
        return true;
    *entry = (struct entry){.student = json_text_of(student, "student"),
                            .file = json_text_of(result, "source_sha256"),
                            .grade = grade,
                            .result = result,
                            .leader = search->count};
    ++search->count;
    if (!read_source(search, entry))
        return false;
    if (!fingerprint_read(json_object_get(result, "print"),
                          &entry->own.fingerprints[SIMILAR_KERNELS]))
        return no_memory(search);
    fingerprint_subtract(&entry->own.fingerprints[SIMILAR_STATEMENTS], &search->given.statements);
    fingerprint_subtract(&entry->own.fingerprints[SIMILAR_KERNELS], &search->given.kernels);
    for (size_t i = search->count - 1; i-- > 0;)
        if (search->entries[i].text == entry->text)
            entry->leader = i;
    return true;
}

static bool leads(const struct search *search, size_t i)
{
    return search->entries[i].leader == i;
}

/* --- owners ----------------------------------------------------------------------------------- */

static int by_mark(const void *left, const void *right)
{
    const struct owner *a = left, *b = right;
    if (a->mark != b->mark)
        return a->mark < b->mark ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

/* Lists the marks of all groups, each with its owner, sorted by mark. */
static bool list_owners(struct search *search, enum similar_measure measure)
{
    size_t total = 0, count = 0;
    for (size_t i = 0; i < search->count; ++i)
        total += search->entries[i].own.fingerprints[measure].count;
    struct owner *owners = calloc(total + 1, sizeof *owners);
    free(search->owners[measure]);
    search->owners[measure] = owners;
    if (!owners)
        return no_memory(search);
    for (size_t i = 0; i < search->count; ++i)
        for (size_t k = 0;
             leads(search, i) && k < search->entries[i].own.fingerprints[measure].count; ++k)
            owners[count++] =
                (struct owner){search->entries[i].own.fingerprints[measure].marks[k], i};
    qsort(owners, count, sizeof *owners, by_mark);
    search->owner_count[measure] = count;
    return true;
}

/* Returns the number of owners of the mark whose first owner is at index AT. */
static size_t owners_from(const struct search *search, enum similar_measure measure, size_t at)
{
    const struct owner *owners = search->owners[measure];
    size_t end = at;
    while (end < search->owner_count[measure] && owners[end].mark == owners[at].mark)
        ++end;
    return end - at;
}

/* Removes marks that many groups have, such as marks of textbook code. */
static bool subtract_common(struct search *search, enum similar_measure measure)
{
    size_t few = search->count / 4 > FEW_OWNERS ? search->count / 4 : FEW_OWNERS, number;
    struct fingerprint common = {0};
    bool good = true;
    for (size_t at = 0; good && at < search->owner_count[measure]; at += number) {
        struct fingerprint mark = {&search->owners[measure][at].mark, 1};
        number = owners_from(search, measure, at);
        good = number <= few || fingerprint_join(&common, &mark);
    }
    for (size_t i = 0; i < search->count; ++i)
        fingerprint_subtract(&search->entries[i].own.fingerprints[measure], &common);
    fingerprint_free(&common);
    return good || no_memory(search);
}

/* --- excerpts --------------------------------------------------------------------------------- */

/* A line without its leading and trailing blanks. */
struct line {
    const char *text;
    size_t length;
};

/* Returns the line that begins at *AT. Advances *AT to the next line. */
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

/* Returns the lines of SOURCE that are not in the skeleton, with their line numbers. */
static json_t *excerpt_of(const struct search *search, const char *source)
{
    json_t *lines = json_array();
    for (int number = 1; *source && json_array_size(lines) < EXCERPT; ++number) {
        const char *begin = source;
        struct line line = next_line(&source);
        if (line.length == 0 || has_line(search->given.skeleton.bytes, line))
            continue;
        char *clean = strndup(begin, (size_t)(line.text - begin) + line.length);
        base_clean_text(clean, strlen(clean));
        json_array_append_new(lines, json_pack("{s:i, s:s}", "line", number, "text", clean));
        free(clean);
    }
    return lines;
}

static json_t *side_of(const struct search *search, const struct entry *entry)
{
    struct text source = {0};
    json_int_t counted = json_integer_of(entry->grade, "counted");
    const json_t *attempts = json_object_get(entry->grade, "attempts");
    const json_t *attempt = json_array_get(attempts, counted > 0 ? (size_t)counted - 1 : 0);
    batch_store_source(search->similar->store, entry->file, &source);
    json_t *side =
        json_pack("{s:s, s:I, s:s, s:s, s:I, s:o}", "student", entry->student, "attempt", counted,
                  "path", json_text_of(attempt, "path"), "key", json_text_of(entry->grade, "key"),
                  "renamed", (json_int_t)entry->renamed, "excerpt",
                  source.bytes ? excerpt_of(search, source.bytes) : json_array());
    free(source.bytes);
    return side;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static bool add_pair(struct search *search, struct pair pair)
{
    if (search->pair_count == search->pair_room) {
        size_t room = search->pair_room ? 2 * search->pair_room : 64;
        struct pair *grown = realloc(search->pairs, room * sizeof *grown);
        if (!grown)
            return no_memory(search);
        search->pairs = grown;
        search->pair_room = room;
    }
    search->pairs[search->pair_count++] = pair;
    return true;
}

/* Returns the other students whom the evidence of PAIR concerns. If the evidence is "file", they
 * handed in the same file; otherwise they are in the group of one of the two students. */
static json_t *also_of(const struct search *search, const struct pair *pair)
{
    json_t *also = json_array();
    size_t left = search->entries[pair->left].leader, right = search->entries[pair->right].leader;
    bool file = strcmp(pair->evidence, "file") == 0;
    for (size_t i = 0; i < search->count; ++i) {
        const struct entry *entry = &search->entries[i];
        if (i != pair->left && i != pair->right &&
            (file ? strcmp(entry->file, search->entries[pair->left].file) == 0
                  : entry->leader == left || entry->leader == right))
            json_array_append_new(also, json_string(entry->student));
    }
    return also;
}

static json_t *describe(const struct search *search, const struct pair *pair)
{
    bool file = strcmp(pair->evidence, "file") == 0;
    return json_pack("{s:s, s:s, s:f, s:I, s:b, s:[o, o], s:o}", "lab", search->lab->lab.name,
                     "evidence", pair->evidence, "similarity",
                     (double)(long)(1000 * pair->likeness + 0.5) / 1000, "shared",
                     (json_int_t)pair->shared, "same_file", file, "pair",
                     side_of(search, &search->entries[pair->left]),
                     side_of(search, &search->entries[pair->right]), "also", also_of(search, pair));
}

/* Adds the pair of two groups if similar_compare() finds them similar enough. */
static bool add_near(struct search *search, size_t left, size_t right)
{
    const struct similar_own_code *mine = &search->entries[left].own,
                                  *theirs = &search->entries[right].own;
    enum similar_measure measure;
    if (!similar_compare(mine, theirs, &measure))
        return true;
    const struct fingerprint *one = &mine->fingerprints[measure],
                             *other = &theirs->fingerprints[measure];
    return add_pair(
        search, (struct pair){left, right, measure == SIMILAR_KERNELS ? "kernels" : "text",
                              fingerprint_likeness(one, other), fingerprint_shared(one, other)});
}

/* For each group K after group I, sets SHARED[K] to the number of statements that groups I and K
 * share. */
static void count_shared(const struct search *search, size_t i, unsigned *shared)
{
    const struct fingerprint *own = &search->entries[i].own.fingerprints[SIMILAR_STATEMENTS];
    const struct owner *owners = search->owners[SIMILAR_STATEMENTS];
    size_t count = search->owner_count[SIMILAR_STATEMENTS];
    memset(shared, 0, search->count * sizeof *shared);
    for (size_t k = 0; k < own->count; ++k) {
        struct owner wanted = {own->marks[k], i};
        const struct owner *mine = bsearch(&wanted, owners, count, sizeof wanted, by_mark);
        for (; mine && ++mine < owners + count && mine->mark == wanted.mark;)
            ++shared[mine->entry];
    }
}

/* Finds pairs of similar groups. */
static bool find_pairs(struct search *search)
{
    unsigned *shared = calloc(search->count + 1, sizeof *shared);
    bool good = shared != NULL;
    for (size_t i = 0; good && i < search->count; ++i) {
        if (!leads(search, i))
            continue;
        count_shared(search, i, shared);
        for (size_t k = i + 1; good && k < search->count; ++k)
            good = shared[k] < SIMILAR_STATEMENTS_FEWER || add_near(search, i, k);
    }
    free(shared);
    return good || no_memory(search);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* Returns the index of the next entry after I in the same group, or the number of entries if there
 * is none. If FILE is true, the entry must also have the same file. */
static size_t next_of(const struct search *search, size_t i, bool file)
{
    const struct entry *entries = search->entries;
    size_t k = i + 1;
    while (k < search->count && (entries[k].leader != entries[i].leader ||
                                 (file && strcmp(entries[k].file, entries[i].file) != 0)))
        ++k;
    return k;
}

/* Returns true if an earlier entry of the group has the same file. */
static bool has_earlier(const struct search *search, size_t i)
{
    for (size_t k = search->entries[i].leader; k < i; k = next_of(search, k, false))
        if (strcmp(search->entries[k].file, search->entries[i].file) == 0)
            return true;
    return false;
}

/* Adds a pair for each file that several students of the group handed in, unless it is the
 * unchanged skeleton or solution. */
static bool add_equal_files(struct search *search, size_t leader)
{
    bool good = true;
    for (size_t i = leader; good && i < search->count; i = next_of(search, i, false)) {
        size_t other = next_of(search, i, true);
        if (other < search->count && !has_earlier(search, i) &&
            !common_code_is_file(&search->given, search->entries[i].file))
            good = add_pair(
                search,
                (struct pair){i, other, "file", 1,
                              search->entries[i].own.fingerprints[SIMILAR_STATEMENTS].count});
    }
    return good;
}

/* Adds a group to the document's "alike". WHAT is the reason why the group is listed. */
static void add_alike(struct search *search, size_t leader, const char *what)
{
    json_t *students = json_array();
    for (size_t i = leader; i < search->count; i = next_of(search, i, false))
        json_array_append_new(students,
                              json_pack("{s:s, s:I}", "student", search->entries[i].student,
                                        "renamed", (json_int_t)search->entries[i].renamed));
    json_array_append_new(search->alike, json_pack("{s:s, s:s, s:o}", "lab", search->lab->lab.name,
                                                   "what", what, "students", students));
}

/* Adds a group of equal texts to "similar" or "alike". The equality is evidence of copying if the
 * texts contain enough code that is not common, or if a student renamed something in the skeleton's
 * functions. */
static bool show_group(struct search *search, size_t leader)
{
    const struct similar_source *solution = &search->given.solution_source;
    const struct entry *first = &search->entries[leader];
    size_t other = search->count, members = 0, most = 0;
    enum similar_measure measure;
    for (size_t i = leader; i < search->count; i = next_of(search, i, false), ++members) {
        const struct entry *entry = &search->entries[i];
        most = entry->renamed > most ? entry->renamed : most;
        if (strcmp(entry->file, first->file) != 0 &&
            (other == search->count || entry->renamed > search->entries[other].renamed))
            other = i;
    }
    bool renamed = most >= SIMILAR_RENAMED_LEAST;
    if (first->text == search->given.skeleton_source.text)
        return true;
    if (!add_equal_files(search, leader))
        return false;
    if (solution->function_count && first->text == solution->text)
        add_alike(search, leader, "solution");
    /* all entries have the same file, or there is only one entry */
    else if (other == search->count) {
        if (renamed)
            add_alike(search, leader, "renamed");
    } else if (renamed || similar_compare(&first->own, &first->own, &measure))
        return add_pair(search, (struct pair){leader, other, "text", 1,
                                              first->own.fingerprints[SIMILAR_STATEMENTS].count});
    else if (members > 1)
        add_alike(search, leader, "short");
    return true;
}

static bool show_groups(struct search *search)
{
    bool good = true;
    for (size_t i = 0; good && i < search->count; ++i)
        good = !leads(search, i) || show_group(search, i);
    return good;
}

/* --- labs ------------------------------------------------------------------------------------- */

/* Compares two pairs. The most similar pairs come first; equally similar pairs are sorted by their
 * students. */
static int by_likeness(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    if (a->likeness != b->likeness)
        return a->likeness < b->likeness ? 1 : -1;
    if (a->left != b->left)
        return a->left < b->left ? -1 : 1;
    if (a->right != b->right)
        return a->right < b->right ? -1 : 1;
    return strcmp(a->evidence, b->evidence);
}

static void close_search(struct search *search)
{
    for (size_t i = 0; i < search->count; ++i)
        for (enum similar_measure measure = 0; measure < SIMILAR_MEASURES; ++measure)
            fingerprint_free(&search->entries[i].own.fingerprints[measure]);
    for (enum similar_measure measure = 0; measure < SIMILAR_MEASURES; ++measure)
        free(search->owners[measure]);
    free(search->entries);
    free(search->pairs);
    common_code_free(&search->given);
}

static bool search_lab(struct search *search, const json_t *class)
{
    const json_t *students = json_object_get(class, "students");
    const struct batch_pairs *similar = search->similar;
    bool good = true;
    size_t i;
    json_t *student;
    search->entries = calloc(json_array_size(students) + 1, sizeof *search->entries);
    if (!search->entries)
        return no_memory(search);
    if (!common_code_read(&search->given, similar->store, search->lab, similar->device,
                          similar->gpu_arch))
        return fail(search, "the skeleton and the solution", search->given.error);
    json_array_foreach(students, i, student)
    {
        if (!add_entry(search, student, json_object_get(class, "gradings")))
            return false;
    }
    for (enum similar_measure measure = 0; good && measure < SIMILAR_MEASURES; ++measure)
        good = list_owners(search, measure) && subtract_common(search, measure) &&
               list_owners(search, measure);
    if (!good || !find_pairs(search) || !show_groups(search))
        return false;
    if (search->pair_count)
        qsort(search->pairs, search->pair_count, sizeof *search->pairs, by_likeness);
    for (i = 0; i < search->pair_count && i < MOST_PAIRS; ++i)
        json_array_append_new(search->similar_pairs, describe(search, &search->pairs[i]));
    return true;
}

static double likeness_of(const json_t *pairs, size_t i)
{
    return json_number_of(json_array_get(pairs, i), "similarity");
}

/* Returns the pairs of all labs, most similar first. Equally similar pairs stay in the order in
 * which they were found. */
static json_t *sorted(json_t *pairs)
{
    json_t *result = json_array();
    size_t i, at;
    json_t *pair;
    /* insertion sort, because it is stable, and there are few pairs */
    json_array_foreach(pairs, i, pair)
    {
        double likeness = likeness_of(pairs, i);
        for (at = json_array_size(result); at > 0 && likeness_of(result, at - 1) < likeness;)
            --at;
        json_array_insert(result, at, pair);
    }
    json_decref(pairs);
    return result;
}

bool batch_pairs(const struct batch_pairs *similar, json_t *class, char *error, size_t size)
{
    json_t *pairs = json_array(), *alike = json_array(), *result;
    const char *key;
    bool good = true;
    for (size_t i = 0; good && i < similar->lab_count; ++i) {
        struct search search = {.similar = similar,
                                .lab = &similar->labs[i],
                                .similar_pairs = pairs,
                                .alike = alike,
                                .error = error,
                                .size = size};
        good = search_lab(&search, class);
        close_search(&search);
    }
    json_object_foreach(json_object_get(class, "gradings"), key, result) batch_store_strip(result);
    json_object_set_new(class, "similar", sorted(pairs));
    json_object_set_new(class, "alike", alike);
    return good;
}
