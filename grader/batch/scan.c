#include "batch/scan.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/people.h"
#include "batch/handin.h"
#include "batch/key.h"
#include "batch/match.h"
#include "course/submission.h"

/* The state of one scan. */
struct walk {
    struct batch_store *store;
    const struct batch_scan *scan;
    struct lab labs[MAX_LABS]; /* all labs of the kit, for batch/match.h */
    size_t lab_count;
    struct stat out; /* the output folder, which is not a hand-in */
    /* number of files for a lab, plus number of entries that belong to known students */
    size_t hand_ins;
    /* per lab, the number of this hand-in's files for review; last: without a lab */
    unsigned asked[MAX_LABS + 1];
    char *error;
    size_t size;
};

/* One hand-in: an entry of the folder of submissions, or of a lab's folder in it. */
struct entry {
    char path[PATH_SIZE];
    char name[PATH_SIZE]; /* the entry's name, cleaned by batch_clean_name() */
    /* the lab's folder that contains the hand-in, such as "01-parallelize/", or "" */
    const char *above;
    bool folder; /* the hand-in is a folder */
};

/* Copies the store's error. Always returns false. */
static bool fail(struct walk *walk)
{
    snprintf(walk->error, walk->size, "%s", batch_store_error(walk->store));
    return false;
}

/* --- the student ------------------------------------------------------------------------------ */

/* Returns the length of the part of ENTRY's name that names the student: for a folder, the whole
 * name; for an archive, the name before its ending; for a file, the part before the lab's name
 * ("s001" in "s001_parallelize.cu"). */
static size_t student_length(const struct walk *walk, const struct entry *entry)
{
    size_t length = strlen(entry->name);
    if (entry->folder || batch_is_archive(entry->name, &length))
        return length;
    for (size_t i = 0; i < walk->lab_count; ++i) {
        const char *word = batch_match_word(&walk->labs[i], entry->name);
        if (word && (size_t)(word - entry->name) < length)
            length = (size_t)(word - entry->name);
    }
    const char *ending = strrchr(entry->name, '.');
    if (length == strlen(entry->name) && ending)
        length = (size_t)(ending - entry->name);
    while (length > 0 && strchr("_-. ", entry->name[length - 1]))
        --length;
    return length;
}

/* Returns the student's name, a part of the entry's name. The caller frees it. */
static char *student_name(const struct walk *walk, const struct entry *entry)
{
    char *name = strndup(entry->name, student_length(walk, entry));
    char *normal = name ? people_normalise(name) : NULL;
    free(name);
    return normal;
}

static bool is_on_roster(const struct walk *walk, const struct entry *entry)
{
    const struct batch_roster *roster = walk->scan->roster;
    char *name = roster ? student_name(walk, entry) : NULL;
    bool several = false, one = name && batch_roster_find(roster, name, &several);
    free(name);
    return one || several;
}

/* Adds an entry for review, because NAME, the student's name in the hand-in's name, matches no
 * student on the roster, or several. If it matches several, also adds an entry for each of them,
 * because the hand-in may be theirs. */
static bool ask_whose(struct walk *walk, const struct entry *entry, const char *name, bool several)
{
    static const char *const may_be =
        "matches several students on the roster: add the student's id to the name of the hand-in";
    const struct batch_roster *roster = walk->scan->roster;
    bool good = batch_store_add_review(
        walk->store, name, "", entry->name,
        several
            ? may_be
            : "matches no student on the roster: add the student's id to the name of the hand-in");
    for (size_t i = 0; good && several && i < roster->count; ++i) {
        struct batch_roster one = {.students = &roster->students[i], .count = 1};
        if (batch_roster_find(&one, name, NULL))
            good = batch_store_add_review(walk->store, one.students->id, "", entry->name, may_be);
    }
    return good;
}

/* Adds the student who made the hand-in. Returns the id, which the caller frees. Returns NULL if
 * the store has failed. */
static char *add_student(struct walk *walk, const struct entry *entry)
{
    const struct batch_roster *roster = walk->scan->roster;
    char *id = student_name(walk, entry);
    bool several = false;
    const struct batch_student *student =
        roster && id ? batch_roster_find(roster, id, &several) : NULL;
    if (student) {
        ++walk->hand_ins;
        free(id);
        return strdup(student->id);
    }
    if (id && batch_store_add_student(walk->store, id, "") &&
        (!roster || ask_whose(walk, entry, id, several)))
        return id;
    free(id);
    return NULL;
}

/* --- one hand-in ------------------------------------------------------------------------------ */

/* A file of a hand-in, with its lab. */
struct candidate {
    const struct batch_file *file;
    char *shown; /* the file's path in the folder of submissions */
    enum batch_match match;
    size_t lab;
    bool empty; /* the file is empty or a link, so it cannot be the student's work */
};

static void match_file(const struct walk *walk, const struct entry *entry,
                       const struct batch_file *file, struct candidate *candidate)
{
    *candidate = (struct candidate){.file = file, .empty = batch_holds_nothing(file)};
    if (asprintf(&candidate->shown, "%s%s%s%s", entry->above, entry->folder ? entry->name : "",
                 entry->folder && *file->path ? "/" : "", file->path) < 0) {
        candidate->shown = NULL;
        return;
    }
    /* the path without the student's name, because a student's name must not decide the lab */
    char *inside = NULL;
    if (asprintf(&inside, "%s%s", entry->above, file->path) >= 0)
        candidate->match = batch_match(walk->labs, walk->lab_count, inside,
                                       file->text.bytes ? file->text.bytes : "", &candidate->lab);
    free(inside);
}

/* Returns the number of candidates whose lab LAB was found in the way MATCH. */
static size_t count_matches(const struct candidate *candidates, size_t count, size_t lab,
                            enum batch_match match)
{
    size_t hits = 0;
    for (size_t i = 0; i < count; ++i)
        hits += candidates[i].match == match && candidates[i].lab == lab && !candidates[i].empty;
    return hits;
}

/* The decision about a file: grade it, ignore it, or ask a human. A file that has the name of the
 * lab's file is graded. A file that matches with less certainty is graded only if no other file of
 * the hand-in matches the lab equally well. */
enum verdict { TAKE, LEAVE, ASK };

static enum verdict judge_candidate(const struct candidate *candidates, size_t count, size_t i)
{
    enum batch_match match = candidates[i].match;
    if (match == BATCH_BY_NAME)
        return TAKE;
    for (int surer = match + 1; match && surer <= BATCH_BY_NAME; ++surer)
        if (count_matches(candidates, count, candidates[i].lab, (enum batch_match)surer) > 0)
            return LEAVE; /* a helper file next to the attempt */
    if (match && count_matches(candidates, count, candidates[i].lab, match) == 1)
        return TAKE;
    return ASK;
}

/* To keep the list for review short, it has at most MOST_ASKED files of one hand-in for each
 * lab. */
#define MOST_ASKED 5

static const char *asked_lab(const struct walk *walk, size_t i)
{
    return i < walk->lab_count ? walk->labs[i].name : "";
}

static bool ask(struct walk *walk, const char *student, const struct candidate *candidate,
                const char *why)
{
    size_t lab = candidate->match ? candidate->lab : MAX_LABS;
    return walk->asked[lab]++ >= MOST_ASKED ||
           batch_store_add_review(walk->store, student, asked_lab(walk, lab), candidate->shown,
                                  why);
}

/* Adds an entry for review that says how many more files there are. */
static bool ask_about_rest(struct walk *walk, const struct entry *entry, const char *student)
{
    char why[80];
    bool good = true;
    for (size_t i = 0; i <= MAX_LABS; ++i) {
        if (good && walk->asked[i] > MOST_ASKED) {
            snprintf(why, sizeof why, "has %u more files like these", walk->asked[i] - MOST_ASKED);
            good =
                batch_store_add_review(walk->store, student, asked_lab(walk, i), entry->name, why);
        }
        walk->asked[i] = 0;
    }
    return good;
}

static bool take(struct walk *walk, const char *student, const struct candidate *candidate)
{
    const struct batch_lab *lab = &walk->scan->labs[candidate->lab];
    const struct batch_file *file = candidate->file;
    char hash[HASH_SIZE], key[HASH_SIZE], why[200];
    if (!submission_check(&lab->lab, &file->text, why, sizeof why))
        return ask(walk, student, candidate, why);
    base_text_hash(&file->text, hash);
    batch_key_hash(hash, lab->lab.name, lab->grader, walk->scan->device, &walk->scan->seed, key);
    struct batch_submission submission = {.student = student,
                                          .lab = lab->lab.name,
                                          .path = candidate->shown,
                                          .submitted = file->time,
                                          .source = &file->text,
                                          .source_hash = hash,
                                          .key = key};
    return batch_store_add_submission(walk->store, &submission);
}

/* Records in the store that the candidate is empty or a link. Its lab may be unknown. */
static bool note_empty(struct walk *walk, const char *student, const struct candidate *candidate)
{
    const struct lab *lab = candidate->match ? &walk->labs[candidate->lab] : NULL;
    char why[300];
    if (candidate->file->problem)
        snprintf(why, sizeof why, "%s", candidate->file->problem);
    else if (!lab || submission_check(lab, &candidate->file->text, why, sizeof why))
        snprintf(why, sizeof why, "is empty");
    return batch_store_add_empty(walk->store, student, lab ? lab->name : "", candidate->shown, why);
}

static bool add_candidate(struct walk *walk, const char *student,
                          const struct candidate *candidates, size_t count, size_t i)
{
    const struct candidate *candidate = &candidates[i];
    if (!candidate->shown)
        return true;
    walk->hand_ins += candidate->match != BATCH_NO_MATCH;
    if (candidate->match && candidate->lab >= walk->scan->lab_count)
        return true;
    if (candidate->empty)
        return note_empty(walk, student, candidate);
    if (candidate->file->problem)
        return ask(walk, student, candidate, candidate->file->problem);
    enum verdict verdict = judge_candidate(candidates, count, i);
    if (verdict == TAKE)
        return take(walk, student, candidate);
    return verdict == LEAVE ||
           ask(walk, student, candidate,
               candidate->match ? "is one of several files that could be for this lab"
                                : "has no lab in its name or in its folder's name");
}

static bool add_handin(struct walk *walk, const struct entry *entry)
{
    struct batch_handin handin;
    if (student_length(walk, entry) == 0)
        return batch_store_add_review(
                   walk->store, "", "", entry->name,
                   "has no student in its name: put it into a student's folder") ||
               fail(walk);
    char *student = add_student(walk, entry);
    if (!student)
        return fail(walk);
    batch_handin_read(entry->path, &handin);
    struct candidate *candidates = calloc(handin.count + 1, sizeof *candidates);
    bool good = candidates != NULL;
    for (size_t i = 0; good && i < handin.count; ++i)
        match_file(walk, entry, &handin.files[i], &candidates[i]);
    for (size_t i = 0; good && i < handin.count; ++i)
        good = add_candidate(walk, student, candidates, handin.count, i) || fail(walk);
    good = good && (ask_about_rest(walk, entry, student) || fail(walk));
    for (size_t i = 0; candidates && i < handin.count; ++i)
        free(candidates[i].shown);
    free(candidates);
    batch_handin_free(&handin);
    free(student);
    return good;
}

/* --- the folder ------------------------------------------------------------------------------- */

static bool is_hidden(const char *name)
{
    return name[0] == '.' || strcmp(name, "__MACOSX") == 0;
}

/* Records an entry that the scan skips although it could be a hand-in, because its name begins with
 * a dot. */
static void pass_over(const struct walk *walk, const char *folder, const char *name)
{
    struct batch_hidden *hidden = walk->scan->hidden;
    char path[PATH_SIZE];
    struct stat status;
    /* "." and "..", and files that macOS adds */
    bool is_own = strspn(name, ".") == strlen(name) || strncmp(name, "._", 2) == 0;
    if (!hidden || is_own || name[0] != '.' || !base_path(path, "%s/%s", folder, name) ||
        lstat(path, &status) != 0 || !(S_ISDIR(status.st_mode) || batch_is_archive(name, NULL)))
        return;
    char *clean = batch_clean_name(name);
    if (hidden->count++ == 0)
        snprintf(hidden->first, sizeof hidden->first, "%s", clean ? clean : "");
    free(clean);
}

static int by_bytes(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

static bool scan_folder(struct walk *walk, const char *folder, const char *above);

/* Returns the lab whose folder ENTRY is, or NULL if ENTRY is a student's hand-in. */
static const struct lab *lab_of_folder(const struct walk *walk, const struct entry *entry)
{
    for (size_t i = 0; *entry->above == 0 && entry->folder && i < walk->lab_count; ++i)
        if (batch_match_folder(&walk->labs[i], entry->name, strlen(entry->name)))
            return &walk->labs[i];
    return NULL;
}

static bool add_entry(struct walk *walk, const char *folder, const char *above, const char *name)
{
    /* one entry for each level of folders; static because they are too large for a stack */
    static struct entry entries[2];
    struct entry *entry = &entries[*above != 0];
    struct stat status;
    char *clean = batch_clean_name(name);
    bool fits = clean && base_path(entry->path, "%s/%s", folder, name) &&
                base_path(entry->name, "%s", clean);
    free(clean);
    if (!fits || lstat(entry->path, &status) != 0) {
        snprintf(walk->error, walk->size, "cannot look at %s in %s: %s", name, folder,
                 fits ? strerror(errno) : "the name is too long");
        return false;
    }
    if (status.st_dev == walk->out.st_dev && status.st_ino == walk->out.st_ino)
        return true;
    entry->above = above;
    entry->folder = S_ISDIR(status.st_mode);
    if (S_ISLNK(status.st_mode))
        return batch_store_add_review(walk->store, "", "", entry->name, "is a link") || fail(walk);
    const struct lab *lab = lab_of_folder(walk, entry);
    if (lab) {
        char below[LAB_NAME_SIZE + 1];
        snprintf(below, sizeof below, "%s/", lab->name);
        return scan_folder(walk, entry->path, below);
    }
    if (!entry->folder && !batch_is_archive(name, NULL) && !batch_is_source(name) &&
        !is_on_roster(walk, entry))
        return true; /* the instructor's own file, such as a roster */
    return add_handin(walk, entry);
}

static bool scan_folder(struct walk *walk, const char *folder, const char *above)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_bytes);
    bool good = count >= 0;
    if (!good)
        snprintf(walk->error, walk->size, "cannot look into %s: %s", folder, strerror(errno));
    for (int i = 0; i < count; ++i) {
        if (is_hidden(entries[i]->d_name))
            pass_over(walk, folder, entries[i]->d_name);
        else
            good = good && add_entry(walk, folder, above, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return good;
}

/* --- the scan --------------------------------------------------------------------------------- */

static double max_score_of(const struct lab *lab, enum grading_device device)
{
    double sum = 0;
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(lab->declared, "checks"), i, check)
    {
        if (lab_has_check(check, device))
            sum += json_number_of(check, "max_points");
    }
    return sum;
}

static bool add_labs(struct walk *walk)
{
    for (size_t i = 0; i < walk->scan->lab_count; ++i) {
        const struct lab *lab = &walk->labs[i];
        const char *title = json_string_value(json_object_get(lab->declared, "title"));
        if (!batch_store_add_lab(walk->store, lab->name, title ? title : "",
                                 max_score_of(lab, walk->scan->device)))
            return fail(walk);
    }
    return true;
}

static bool add_roster(struct walk *walk)
{
    const struct batch_roster *roster = walk->scan->roster;
    for (size_t i = 0; roster && i < roster->count; ++i)
        if (!batch_store_add_student(walk->store, roster->students[i].id, roster->students[i].name))
            return fail(walk);
    return true;
}

/* Returns true if the folder has at least one file for a lab, or an entry of a student on the
 * roster. A folder without any is probably the wrong one, and its scan must not replace the
 * gradebook. */
static bool has_hand_ins(struct walk *walk)
{
    json_t *reviews = batch_store_reviews(walk->store), *first = json_array_get(reviews, 0);
    const char *path = NULL, *why;
    if (walk->hand_ins == 0 && json_unpack(first, "{s:s, s:s}", "path", &path, "why", &why) == 0)
        snprintf(walk->error, walk->size,
                 "%s contains no submission to any lab (%s %s): is it the correct folder?",
                 walk->scan->folder, path, why);
    else if (walk->hand_ins == 0)
        snprintf(walk->error, walk->size,
                 "%s contains no submission to any lab: is it the correct folder?",
                 walk->scan->folder);
    json_decref(reviews);
    return walk->hand_ins > 0;
}

bool batch_scan(struct batch_store *store, const struct batch_scan *scan, char *error, size_t size)
{
    /* static because labs have paths of 4 KB, which are too large for a stack */
    static struct walk walk;
    walk = (struct walk){.store = store, .scan = scan, .error = error, .size = size};
    walk.lab_count = scan->lab_count + scan->other_count;
    for (size_t i = 0; i < walk.lab_count; ++i)
        walk.labs[i] = scan->labs[i].lab;
    if (!scan->out || stat(scan->out, &walk.out) != 0)
        walk.out = (struct stat){0};
    bool good = (batch_store_begin(store) && batch_store_forget(store)) || fail(&walk);
    good = good && add_labs(&walk) && add_roster(&walk) && scan_folder(&walk, scan->folder, "") &&
           has_hand_ins(&walk);
    if (good)
        return batch_store_end(store) || fail(&walk);
    batch_store_cancel(store);
    return false;
}
