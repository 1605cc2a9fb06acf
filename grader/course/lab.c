/* Finding labs and submissions. What a lab declares is asked of its checks runner, since checks.c is
 * the one place that says it. */
#include "course/lab.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "config.h"
#include "sandbox/process.h"

#define LABS         LANEWISE_ROOT "/labs"
#define SOURCE_BYTES ((size_t)1 << 20) /* no student writes more */

/* --- labs ------------------------------------------------------------------------------------- */

static bool is_lab_name(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) < 100;
}

static int has_checks(const struct dirent *entry)
{
    char path[PATH_SIZE];
    return is_lab_name(entry->d_name) && base_path(path, "%s/%s/checks.c", LABS, entry->d_name) &&
           access(path, R_OK) == 0;
}

void labs_list(struct lab_names *list)
{
    struct dirent **entries;
    int count = scandir(LABS, &entries, has_checks, alphasort);
    list->count = 0;
    for (int i = 0; i < count; ++i) {
        if (list->count < MAX_LABS && (list->names[list->count] = strdup(entries[i]->d_name)))
            ++list->count;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void labs_free(struct lab_names *list)
{
    for (size_t i = 0; i < list->count; ++i)
        free(list->names[i]);
    list->count = 0;
}

void labs_text(char *text, size_t size)
{
    struct lab_names list;
    int length = 0;
    text[0] = '\0';
    labs_list(&list);
    for (size_t i = 0; i < list.count && (size_t)length < size; ++i)
        length +=
            snprintf(text + length, size - (size_t)length, "%s%s", i ? ", " : "", list.names[i]);
    labs_free(&list);
}

/* Does WORD mean lab NAME? 0: no, 1: it is a part of it, 2: it can mean no other. */
static int matches(const char *word, const char *name)
{
    char *end_of_word, *end_of_number;
    unsigned long wanted = strtoul(word, &end_of_word, 10);
    unsigned long number = strtoul(name, &end_of_number, 10);
    if (strcmp(word, name) == 0)
        return 2;
    if (word[0] >= '0' && word[0] <= '9' && !*end_of_word)
        return end_of_number > name && wanted == number ? 2 : 0;
    return word[0] && strstr(name, word) ? 1 : 0;
}

bool labs_find(const char *word, char name[LAB_NAME_SIZE], char *error, size_t size)
{
    struct lab_names list;
    int best = 0;
    size_t hits = 0;
    labs_list(&list);
    for (size_t i = 0; i < list.count; ++i) {
        int match = matches(word, list.names[i]);
        if (match > best)
            hits = 0;
        if (match == 0 || match < best)
            continue;
        best = match;
        ++hits;
        snprintf(name, LAB_NAME_SIZE, "%s", list.names[i]);
    }
    labs_free(&list);
    if (hits != 1) {
        char labs[PATH_SIZE];
        labs_text(labs, sizeof labs);
        snprintf(error, size, "%s \"%s\"; the labs are %s",
                 hits ? "more than one lab could be called" : "no lab is called", word, labs);
    }
    return hits == 1;
}

/* Asks the runner what the lab declares. NULL: it cannot say. */
static json_t *ask_runner(const char *runner)
{
    const char *words[] = {runner, "--describe", NULL};
    struct process_command command = {
        .argv = words, .wall_seconds = 10, .output_keep = 256 << 10, .output_limit = 256 << 10};
    struct process_outcome outcome;
    process_run(&command, &outcome);
    json_t *declared = NULL;
    if (outcome.end == PROCESS_EXITED && outcome.code == 0)
        declared = json_loadb(outcome.output, outcome.output_size, 0, NULL);
    process_outcome_free(&outcome);
    return declared;
}

bool labs_open(const char *name, struct lab *lab, char *error, size_t size)
{
    char checks[PATH_SIZE];
    const char *file = NULL;
    *lab = (struct lab){0};
    if (!is_lab_name(name) || !base_path(checks, "%s/%s/checks.c", LABS, name) ||
        access(checks, R_OK) != 0) {
        snprintf(error, size, "no lab is called \"%s\"", name);
        return false;
    }
    snprintf(lab->name, sizeof lab->name, "%s", name);
    base_path(lab->runner, "%s/%s/checks/%s", LANEWISE_ROOT, LANEWISE_BUILD, name);
    lab->declared = ask_runner(lab->runner);
    if (json_unpack(lab->declared, "{s:s}", "file", &file) != 0) {
        snprintf(error, size,
                 access(lab->runner, X_OK) == 0
                     ? "the checks of %s do not start; this command says why: %s --describe"
                     : "the checks of %s are not built (%s): run make lanewise",
                 name, lab->runner);
        labs_close(lab);
        return false;
    }
    snprintf(lab->file, sizeof lab->file, "%s", file);
    base_path(lab->solution, "%s/solutions/%s/%s", LANEWISE_ROOT, name, file);
    return true;
}

void labs_close(struct lab *lab)
{
    json_decref(lab->declared);
    json_decref(lab->terms);
    lab->declared = lab->terms = NULL;
}

void lab_set_terms(struct lab *lab, const json_t *terms)
{
    size_t i;
    json_t *check;
    json_decref(lab->terms);
    lab->terms = json_deep_copy(terms);
    json_array_foreach(json_object_get(lab->declared, "checks"), i, check)
    {
        const char *id = json_string_value(json_object_get(check, "id"));
        const json_t *own = json_object_get(terms, id);
        json_t *points = json_object_get(own, "points");
        if (points)
            json_object_set(check, "max_points", points);
        json_object_update_existing(json_object_get(check, "budget"), (json_t *)own);
    }
}

bool lab_has_check(const json_t *check, enum grading_device device)
{
    return json_is_true(json_object_get(check, grading_device_name(device)));
}

bool lab_pristine_path(const struct lab *lab, char path[PATH_SIZE])
{
    return base_path(path, "%s/%s/%s", LABS, lab->name, LAB_PRISTINE);
}

const char *lab_students_folder(void)
{
    const char *folder = getenv("LANEWISE_LABS");
    return folder && folder[0] ? folder : LABS;
}

bool lab_own_path(const struct lab *lab, char path[PATH_SIZE])
{
    return base_path(path, "%s/%s/%s", lab_students_folder(), lab->name, lab->file);
}

/* --- submissions ------------------------------------------------------------------------------ */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A folder may come from a stranger, and a link in it lead to a file that is none of theirs. */
static bool is_link(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* Looks for the file as FOLDER/FILE and FOLDER/NAME/FILE; links are not followed. *LINK: there was one. */
static bool find_in_folder(const struct lab *lab, const char *folder, int length,
                           char found[PATH_SIZE], bool *link)
{
    if (!base_path(found, "%.*s/%s", length, folder, lab->file))
        return false;
    *link = is_link(found);
    if (*link || access(found, F_OK) == 0)
        return !*link;
    *link = base_path(found, "%.*s/%s", length, folder, lab->name) && is_link(found);
    if (*link || !base_path(found, "%.*s/%s/%s", length, folder, lab->name, lab->file))
        return false;
    *link = is_link(found);
    return !*link && access(found, F_OK) == 0;
}

/* Writes the submission's path. False: ERROR says that there is none in the folder. */
static bool find_file(const struct lab *lab, const char *path, char found[PATH_SIZE], char *error,
                      size_t size)
{
    bool link = false;
    if (!path)
        return lab_own_path(lab, found);
    if (!is_folder(path))
        return base_path(found, "%s", path);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        --length;
    if (find_in_folder(lab, path, (int)length, found, &link))
        return true;
    if (link)
        snprintf(error, size, "%s is a link: hand in the file itself", lab_shorten_path(found));
    else
        snprintf(error, size, "the folder %s holds no %s (nor %s/%s)", path, lab->file, lab->name,
                 lab->file);
    return false;
}

const char *lab_shorten_path(const char *path)
{
    char here[PATH_SIZE];
    size_t length;
    if (!getcwd(here, sizeof here))
        return path;
    length = strlen(here);
    return strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static bool is_blank(const struct text *text)
{
    return strspn(text->bytes, " \t\r\n") == text->size;
}

unsigned lab_in_first_line(const char *source)
{
    unsigned number = 0;
    return sscanf(source, "/* Lab %u:", &number) == 1 ? number : 0;
}

/* What could not be read for this is no fault of the machine. */
static bool is_too_large_or_no_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 &&
           (!S_ISREG(status.st_mode) || status.st_size > (off_t)SOURCE_BYTES);
}

/* The number of another lab than SAID that begins further down, with the header included anew; 0: none does. */
static unsigned next_lab(const char *source, unsigned said)
{
    static const char include[] = "#include \"lab.h\"";
    const char *first = strstr(source, include), *line = first;
    while (line && (line = strstr(line, "\n/* Lab "))) {
        unsigned number = lab_in_first_line(++line);
        if (number && number != said && strstr(line, include))
            return number;
    }
    return 0;
}

bool submission_check(const struct lab *lab, const struct text *source, char *why, size_t size)
{
    unsigned said = lab_in_first_line(source->bytes), other;
    unsigned number = (unsigned)strtoul(lab->name, NULL, 10);
    if (source->size == 0 || is_blank(source))
        snprintf(why, size, "is empty: hand in your %s", lab->file);
    else if (strlen(source->bytes) != source->size)
        snprintf(why, size, "is not a text file");
    else if (said && number && said != number)
        snprintf(why, size, "is for lab %02u, as its first line says, not for %s", said, lab->name);
    else if (said && (other = next_lab(source->bytes, said)))
        snprintf(why, size, "holds lab %02u and lab %02u: put each into a file of its own", said,
                 other);
    else
        return true;
    return false;
}

bool submission_open(const struct lab *lab, const char *path, struct submission *submission,
                     char *error, size_t size)
{
    char found[PATH_SIZE], why[200];
    struct text *source = &submission->source;
    *submission = (struct submission){0};
    if (!find_file(lab, path, found, error, size)) {
        submission->unfit = true;
        snprintf(submission->shown, sizeof submission->shown, "%s", lab->file);
        return false;
    }
    snprintf(submission->shown, sizeof submission->shown, "%s", lab_shorten_path(found));
    base_clean_text(submission->shown, strlen(submission->shown));
    bool read = base_read_file(found, SOURCE_BYTES, source, why, sizeof why);
    if (read && submission_check(lab, source, why, sizeof why))
        return true;
    snprintf(error, size, "%s %s", submission->shown, why);
    submission->unfit = read || is_too_large_or_no_file(found);
    submission_close(submission);
    return false;
}

void submission_close(struct submission *submission)
{
    free(submission->source.bytes);
    submission->source = (struct text){0};
}
