/* libcsv reads the rows, libunistring compares the names. */
#include "batch/roster.h"

#include <csv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicase.h>
#include <uninorm.h>

#include "batch/handin.h"
#include "run/files.h"

#define ROSTER_BYTES ((size_t)16 << 20)
#define MOST_COLUMNS 64

char *batch_normalise(const char *text)
{
    size_t length;
    uint8_t *normal =
        u8_normalize(UNINORM_NFC, (const uint8_t *)text, strlen(text) + 1, NULL, &length);
    return normal ? (char *)normal : strdup(text);
}

/* Without the differences that do not count. */
static char *fold(const char *text)
{
    size_t length;
    uint8_t *folded =
        u8_casefold((const uint8_t *)text, strlen(text) + 1, NULL, UNINORM_NFC, NULL, &length);
    return folded ? (char *)folded : strdup(text);
}

/* --- reading ------------------------------------------------------------------------------------------ */

/* One reading under way. */
struct reading {
    struct batch_roster *roster;
    char *cells[MOST_COLUMNS];
    size_t cell_count, row;
    size_t id, name; /* columns */
    const char *path;
    char *error;
    size_t size;
    bool bad;
};

static void complain(struct reading *reading, const char *what)
{
    if (!reading->bad)
        snprintf(reading->error, reading->size, "%s: row %zu %s", reading->path, reading->row,
                 what);
    reading->bad = true;
}

/* Does CELL head the column that NAMES, the last NULL, are words for? */
static bool heads(const char *cell, const char *const *names)
{
    for (; *names; ++names)
        if (strcasecmp(cell, *names) == 0)
            return true;
    return false;
}

/* Takes the first row as a heading, if it is one. */
static bool take_heading(struct reading *reading)
{
    static const char *const ids[] = {"id",          "student id", "student_id", "studentid",
                                      "student",     "login",      "username",   "user",
                                      "sis user id", "email",      NULL};
    static const char *const names[] = {"name", "full name", "student name", "full_name", NULL};
    size_t id = SIZE_MAX, name = SIZE_MAX;
    for (size_t i = reading->cell_count; i-- > 0;) {
        if (heads(reading->cells[i], ids))
            id = i;
        if (heads(reading->cells[i], names))
            name = i;
    }
    if (id == SIZE_MAX)
        return false;
    reading->id = id;
    reading->name = name;
    return true;
}

static bool is_known(const struct batch_roster *roster, const char *folded)
{
    for (size_t i = 0; i < roster->count; ++i)
        if (strcmp(roster->students[i].folded_id, folded) == 0)
            return true;
    return false;
}

/* The text of a column, clean and without space around it. */
static char *take_cell(struct reading *reading, size_t column)
{
    char *text = column < reading->cell_count ? reading->cells[column] : "";
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]))
        text[--length] = 0;
    char *clean = batch_clean_name(text), *normal = clean ? batch_normalise(clean) : NULL;
    free(clean);
    return normal;
}

static void add_student(struct reading *reading)
{
    struct batch_roster *roster = reading->roster;
    struct batch_student student = {.id = take_cell(reading, reading->id),
                                    .name = take_cell(reading, reading->name)};
    if (roster->count == roster->room) {
        size_t room = roster->room ? 2 * roster->room : 64;
        void *students = reallocarray(roster->students, room, sizeof *roster->students);
        if (students) {
            roster->students = students;
            roster->room = room;
        }
    }
    if (student.id && student.name) {
        student.folded_id = fold(student.id);
        student.folded_name = fold(student.name);
    }
    if (!student.folded_id || !student.folded_name || roster->count == roster->room)
        complain(reading, "does not fit into memory");
    else if (!*student.id)
        complain(reading, "has no id");
    else if (strlen(student.id) > 200)
        complain(reading, "has an id of more than 200 bytes");
    else if (is_known(roster, student.folded_id))
        complain(reading, "has the id of an earlier row");
    else {
        roster->students[roster->count++] = student;
        return;
    }
    free(student.id);
    free(student.name);
    free(student.folded_id);
    free(student.folded_name);
}

static void on_cell(void *bytes, size_t length, void *context)
{
    struct reading *reading = context;
    if (reading->cell_count < MOST_COLUMNS)
        reading->cells[reading->cell_count++] = strndup(bytes ? bytes : "", length);
}

static void on_row(int end, void *context)
{
    struct reading *reading = context;
    ++reading->row;
    if (!reading->bad && !(reading->row == 1 && take_heading(reading)))
        add_student(reading);
    for (size_t i = 0; i < reading->cell_count; ++i)
        free(reading->cells[i]);
    reading->cell_count = 0;
}

bool batch_roster_read(const char *path, struct batch_roster *roster, char *error, size_t size)
{
    struct reading reading = {
        .roster = roster, .name = 1, .path = path, .error = error, .size = size};
    struct csv_parser parser;
    struct run_text text;
    char why[100];
    *roster = (struct batch_roster){0};
    if (!run_read_file(path, ROSTER_BYTES, &text, why, sizeof why)) {
        snprintf(error, size, "the roster %s %s", path, why);
        return false;
    }
    const char *bytes = text.bytes;
    size_t length = text.size;
    if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* as spreadsheets write it */
        bytes += 3;
        length -= 3;
    }
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    if (csv_parse(&parser, bytes, length, on_cell, on_row, &reading) != length ||
        csv_fini(&parser, on_cell, on_row, &reading) != 0) {
        ++reading.row;
        complain(&reading, "has a quotation mark too many or too few");
        reading.bad = true;
    }
    csv_free(&parser);
    for (size_t i = 0; i < reading.cell_count; ++i)
        free(reading.cells[i]);
    free(text.bytes);
    if (!reading.bad && roster->count == 0) {
        snprintf(error, size, "the roster %s lists nobody", path);
        reading.bad = true;
    }
    if (reading.bad)
        batch_roster_free(roster);
    return !reading.bad;
}

void batch_roster_free(struct batch_roster *roster)
{
    for (size_t i = 0; i < roster->count; ++i) {
        free(roster->students[i].id);
        free(roster->students[i].name);
        free(roster->students[i].folded_id);
        free(roster->students[i].folded_name);
    }
    free(roster->students);
    *roster = (struct batch_roster){0};
}

/* --- whose is it? ------------------------------------------------------------------------------------- */

/* Could C be a part of a word? Bytes of letters beyond ASCII are. */
static bool is_letter(char c)
{
    return ((unsigned char)c & 0x80) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; length > 0 && (at = strstr(at, word)); ++at)
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

static const char *key_of(const struct batch_student *student, bool by_name)
{
    return by_name ? student->folded_name : student->folded_id;
}

/* The one student whose id (or name) is FOLDED, or the longest that is a word in it. NULL: there is
 * none, or there are two that fit as well. */
static const struct batch_student *find_by(const struct batch_roster *roster, const char *folded,
                                           bool by_name, bool whole)
{
    const struct batch_student *found = NULL;
    size_t longest = 0;
    bool twice = false;
    for (size_t i = 0; i < roster->count; ++i) {
        const char *key = key_of(&roster->students[i], by_name);
        size_t length = strlen(key);
        if (length == 0 || length < longest ||
            !(whole ? strcmp(key, folded) == 0 : has_word(folded, key)))
            continue;
        twice = found && length == longest;
        longest = length;
        found = &roster->students[i];
    }
    return twice ? NULL : found;
}

const struct batch_student *batch_roster_find(const struct batch_roster *roster, const char *name)
{
    const struct batch_student *found = NULL;
    char *folded = fold(name);
    for (int way = 0; folded && !found && way < 4; ++way)
        found = find_by(roster, folded, way & 1, way < 2);
    free(folded);
    return found;
}
