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
#include <unistr.h>

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
    size_t cell_count;
    size_t line, start; /* of the file, from 1: this one, and where the row began; 0: it has not */
    bool headed;
    size_t id, name; /* columns */
    const char *path;
    char *error;
    size_t size;
    bool bad;
};

static void complain(struct reading *reading, const char *what)
{
    if (!reading->bad)
        snprintf(reading->error, reading->size, "%s:%zu: %s", reading->path, reading->start, what);
    reading->bad = true;
}

/* The column that one of NAMES, the last NULL, heads, an earlier one rather than a later; SIZE_MAX: none. */
static size_t find_column(const struct reading *reading, const char *const *names)
{
    for (; *names; ++names)
        for (size_t i = 0; i < reading->cell_count; ++i)
            if (strcasecmp(reading->cells[i], *names) == 0)
                return i;
    return SIZE_MAX;
}

/* Takes the first row. It must say which columns these are: a guess would make a student of a heading, or
 * ids of family names. */
static void take_heading(struct reading *reading)
{
    static const char *const ids[] = {"id",       "student id", "student_id",  "studentid", "login",
                                      "username", "user",       "sis user id", "email",     NULL};
    static const char *const names[] = {"name",         "full name", "full_name",
                                        "student name", "student",   NULL};
    reading->headed = true;
    reading->id = find_column(reading, ids);
    reading->name = find_column(reading, names);
    if (reading->id != SIZE_MAX && reading->name != SIZE_MAX)
        return;
    if (reading->cell_count == 1 && strpbrk(reading->cells[0], ";\t"))
        complain(reading, "columns are separated by commas here: save it as CSV with commas");
    else
        complain(reading, "this line must name the columns, \"id\" and \"name\" among them");
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
        complain(reading, "out of memory");
    else if (!*student.id)
        complain(reading, "there is no id");
    else if (strlen(student.id) > 200)
        complain(reading, "the id has more than 200 bytes");
    else if (is_known(roster, student.folded_id))
        complain(reading, "this id was there before");
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
    if (!reading->bad && !reading->headed)
        take_heading(reading);
    else if (!reading->bad)
        add_student(reading);
    for (size_t i = 0; i < reading->cell_count; ++i)
        free(reading->cells[i]);
    reading->cell_count = 0;
    reading->start = 0;
}

/* Reads the rows, line by line to know in which one something is wrong. */
static void read_rows(struct reading *reading, const char *bytes, size_t length)
{
    struct csv_parser parser;
    bool good = true;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    while (good && length > 0) {
        const char *end = memchr(bytes, '\n', length);
        size_t size = end ? (size_t)(end + 1 - bytes) : length;
        ++reading->line;
        if (reading->start == 0 && *bytes != '\n' && *bytes != '\r')
            reading->start = reading->line;
        good = csv_parse(&parser, bytes, size, on_cell, on_row, reading) == size;
        bytes += size;
        length -= size;
    }
    if (!good || csv_fini(&parser, on_cell, on_row, reading) != 0)
        complain(reading, "there is a quotation mark too many or too few");
    csv_free(&parser);
    for (size_t i = 0; i < reading->cell_count; ++i)
        free(reading->cells[i]);
}

/* Is it UTF-8? Names in another encoding would be garbled, and match nobody's. */
static bool check_encoding(struct reading *reading, const char *bytes, size_t length)
{
    const uint8_t *bad = u8_check((const uint8_t *)bytes, length);
    if (!bad)
        return true;
    reading->start = 1;
    for (const char *at = bytes; at < (const char *)bad; ++at)
        reading->start += *at == '\n';
    complain(reading, "this is no UTF-8: save it as CSV in UTF-8");
    return false;
}

bool batch_roster_read(const char *path, struct batch_roster *roster, char *error, size_t size)
{
    struct reading reading = {.roster = roster, .path = path, .error = error, .size = size};
    struct run_text text;
    char why[100];
    *roster = (struct batch_roster){0};
    if (!run_read_file(path, ROSTER_BYTES, &text, why, sizeof why)) {
        snprintf(error, size, "the roster %s %s", path, why);
        return false;
    }
    /* spreadsheets write a mark before UTF-8 */
    size_t mark = text.size >= 3 && memcmp(text.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (check_encoding(&reading, text.bytes + mark, text.size - mark))
        read_rows(&reading, text.bytes + mark, text.size - mark);
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
                                           bool by_name, bool whole, bool *several)
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
    *several = *several || twice;
    return twice ? NULL : found;
}

const struct batch_student *batch_roster_find(const struct batch_roster *roster, const char *name,
                                              bool *several)
{
    bool twice = false;
    const struct batch_student *found = NULL;
    char *folded = fold(name);
    for (int way = 0; folded && !found && way < 4; ++way)
        found = find_by(roster, folded, way & 1, way < 2, &twice);
    free(folded);
    if (several)
        *several = !found && twice;
    return found;
}
