/* Reads a mutant line by line. A mutant has a head of "key: value" lines, followed by blocks of '-'
 * and '+' lines. */
#include "grade/mutant.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#define MUTANTS LANEWISE_ROOT "/grader/tests/mutants"

static int is_mutant(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot && strcmp(dot, ".diff") == 0;
}

size_t mutant_list(const struct lab *lab, char **paths, size_t most)
{
    char folder[PATH_SIZE];
    struct dirent **entries;
    size_t found = 0;
    const char *mutants = getenv("LANEWISE_MUTANTS");
    if (!base_path(folder, "%s/%s", mutants && *mutants ? mutants : MUTANTS, lab->name))
        return 0;
    int count = scandir(folder, &entries, is_mutant, alphasort);
    for (int i = 0; i < count; ++i) {
        if (found < most && asprintf(&paths[found], "%s/%s", folder, entries[i]->d_name) >= 0)
            ++found;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return found;
}

/* --- reading ---------------------------------------------------------------------------------- */

struct reader {
    struct mutant *mutant;
    char *error;
    size_t size;
    unsigned line; /* number of the current line, from 1 */
    char *at;      /* the beginning of the next line */
};

/* Returns the next line, without its newline, or NULL at the end. */
static char *next_line(struct reader *reader)
{
    char *line = reader->at, *end = line + strcspn(line, "\n");
    if (!*line)
        return NULL;
    reader->at = *end ? end + 1 : end;
    *end = '\0';
    ++reader->line;
    return line;
}

static bool fail(struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool fail(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    int length = snprintf(reader->error, reader->size, "line %u: ", reader->line);
    va_start(arguments, format);
    vsnprintf(reader->error + length, reader->size - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* Reads the value of "loses", such as "ragged 15, grid-speed". */
static bool read_losses(struct reader *reader, char *value)
{
    struct mutant *mutant = reader->mutant;
    char *rest, *word = strtok_r(value, ",", &rest);
    if (strcmp(value, "nothing") == 0)
        return true;
    for (; word; word = strtok_r(NULL, ",", &rest)) {
        struct mutant_loss *loss = &mutant->losses[mutant->loss_count];
        loss->points = -1;
        if (mutant->loss_count == MUTANT_LOSSES)
            return fail(reader, "this line names more than %d checks", MUTANT_LOSSES);
        int taken = sscanf(word, " %63s %lf", loss->check, &loss->points);
        if (taken < 1 || (taken == 2 && loss->points <= 0))
            return fail(reader, "\"%s\" must be a check's id and points", word);
        ++mutant->loss_count;
    }
    return true;
}

/* Reads the value of "naive", such as "tree, shared". */
static bool read_naive(struct reader *reader, char *value)
{
    struct mutant *mutant = reader->mutant;
    char *rest, *word = strtok_r(value, ", ", &rest);
    for (; word; word = strtok_r(NULL, ", ", &rest)) {
        if (mutant->naive_count == MUTANT_LOSSES)
            return fail(reader, "this line names more than %d checks", MUTANT_LOSSES);
        snprintf(mutant->naive[mutant->naive_count++], sizeof *mutant->naive, "%s", word);
    }
    return true;
}

static bool read_head(struct reader *reader)
{
    struct mutant *mutant = reader->mutant;
    bool scored = false, losing = false;
    char *line, *value, *end;
    while ((line = next_line(reader)) && *line) {
        value = strstr(line, ": ");
        if (!value)
            return fail(reader, "the lines before the first empty line must be \"key: value\"");
        *value = '\0';
        value += 2;
        if (strcmp(line, "mutant") == 0)
            snprintf(mutant->title, sizeof mutant->title, "%s", value);
        else if (strcmp(line, "device") == 0 && strcmp(value, "emulator") == 0)
            mutant->emulator_only = true;
        else if (strcmp(line, "loses") == 0)
            losing = read_losses(reader, value);
        else if (strcmp(line, "naive") == 0)
            read_naive(reader, value);
        else if (strcmp(line, "scores") == 0) {
            mutant->scores = strtod(value, &end);
            scored = end != value && *end == '\0';
        } else
            return fail(reader, "the key \"%s\" is unknown or has a wrong value", line);
        if (reader->error[0])
            return false;
    }
    return (scored && losing && mutant->title[0]) ||
           fail(
               reader,
               "the lines before the first empty line must have the keys \"mutant\", \"scores\" and \"loses\"");
}

/* Replaces OLD with NEW in the source. OLD is one or more whole lines, which must occur exactly
 * once. */
static bool replace(struct reader *reader, const char *old, const char *new)
{
    char *source = reader->mutant->source, *edited;
    char *hit = strstr(source, old);
    while (hit && hit > source && hit[-1] != '\n')
        hit = strstr(hit + 1, old);
    if (!hit)
        return fail(reader, "the lines before this one are not in the solution");
    char *second = strstr(hit + 1, old);
    while (second && second[-1] != '\n')
        second = strstr(second + 1, old);
    if (second)
        return fail(reader, "the lines before this one are in the solution twice");
    if (asprintf(&edited, "%.*s%s%s", (int)(hit - source), source, new, hit + strlen(old)) < 0)
        return fail(reader, "out of memory");
    free(source);
    reader->mutant->source = edited;
    return true;
}

/* Reads an edit that begins with LINE: '-' lines, then '+' lines. */
static bool read_edit(struct reader *reader, char *line)
{
    char *texts[2] = {NULL, NULL};
    size_t sizes[2];
    FILE *files[2] = {open_memstream(&texts[0], &sizes[0]), open_memstream(&texts[1], &sizes[1])};
    bool good = files[0] && files[1] && line[0] == '-';
    for (char before = '-'; good && line && *line; line = next_line(reader)) {
        good = line[0] == '+' || (line[0] == '-' && before == '-');
        before = line[0];
        if (good)
            fprintf(files[before == '+'], "%s\n", line + 1);
    }
    for (int i = 0; i < 2; ++i)
        if (files[i])
            fclose(files[i]);
    if (!good)
        fail(reader, "an edit must be lines with '-', then lines with '+'");
    good = good && replace(reader, texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
    return good;
}

static bool read_edits(struct reader *reader)
{
    char *line;
    bool good = true, edited = false;
    while (good && (line = next_line(reader)))
        if (*line)
            good = edited = read_edit(reader, line);
    return good && (edited || fail(reader, "the file has no edit"));
}

bool mutant_edit(char *edits, char **source, char *error, size_t size)
{
    struct mutant mutant = {.source = *source};
    struct reader reader = {.mutant = &mutant, .error = error, .size = size, .at = edits};
    bool good = read_edits(&reader);
    *source = mutant.source;
    return good;
}

bool mutant_read(const char *path, const char *solution, struct mutant *mutant, char *error,
                 size_t size)
{
    struct text text;
    char why[100];
    const char *base = strrchr(path, '/');
    *mutant = (struct mutant){.source = strdup(solution)};
    snprintf(mutant->name, sizeof mutant->name, "%s", base ? base + 1 : path);
    mutant->name[strcspn(mutant->name, ".")] = '\0';
    error[0] = '\0';
    if (!base_read_file(path, 1 << 20, &text, why, sizeof why)) {
        snprintf(error, size, "%s", why);
        mutant_free(mutant);
        return false;
    }
    struct reader reader = {.mutant = mutant, .error = error, .size = size, .at = text.bytes};
    bool good = read_head(&reader) && read_edits(&reader);
    free(text.bytes);
    if (!good)
        mutant_free(mutant);
    return good;
}

void mutant_free(struct mutant *mutant)
{
    free(mutant->source);
    mutant->source = NULL;
}

const struct mutant_loss *mutant_find_loss(const struct mutant *mutant, const char *check)
{
    for (size_t i = 0; i < mutant->loss_count; ++i)
        if (strcmp(mutant->losses[i].check, check) == 0)
            return &mutant->losses[i];
    return NULL;
}

bool mutant_is_naive(const struct mutant *mutant, const char *check)
{
    for (size_t i = 0; i < mutant->naive_count; ++i)
        if (strcmp(mutant->naive[i], check) == 0)
            return true;
    return false;
}
