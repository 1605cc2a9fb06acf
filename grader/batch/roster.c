/* Reads rosters. The library libcsv reads the rows, and libunistring compares the names. */
#include "batch/roster.h"

#include <csv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistr.h>

#include "base/files.h"
#include "base/people.h"
#include "batch/handin.h"

#define ROSTER_BYTES  ((size_t)16 << 20)
#define MOST_COLUMNS  64
#define MOST_STUDENTS 20000 /* limited, because each id is compared with all other ids */

/* --- reading ---------------------------------------------------------------------------------- */

/* The state of reading a roster. */
struct reading {
    struct batch_roster *roster;
    char *cells[MOST_COLUMNS];
    size_t cell_count;
    /* the current line and the row's first line, from 1, or 0 before the first line */
    size_t line, start;
    bool headed;
    size_t id, name, family; /* indexes of columns, or SIZE_MAX if there is no such column */
    bool participants;       /* ids look like "Participant 4711" (Moodle); hand-ins say "4711" */
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

/* Returns the column whose heading is one of NAMES, a NULL-terminated list in order of preference.
 * Returns SIZE_MAX if there is none. */
static size_t find_column(const struct reading *reading, const char *const *names)
{
    for (; *names; ++names)
        for (size_t i = 0; i < reading->cell_count; ++i)
            if (strcasecmp(reading->cells[i], *names) == 0)
                return i;
    return SIZE_MAX;
}

/* Reads the first row, which must name the columns. Guessing the columns would be unsafe: a heading
 * could become a student, or family names could become ids. */
static void take_heading(struct reading *reading)
{
    static const char *const ids[] = {"id",           "student id", "student_id",    "studentid",
                                      "id number",    "login",      "username",      "user",
                                      "sis login id", "identifier", "sis user id",   "email",
                                      "e-mail",       "mail",       "email address", NULL};
    static const char *const names[] = {"name",         "full name", "full_name",
                                        "student name", "student",   NULL};
    static const char *const given[] = {"first name", "first_name", "given name", NULL};
    static const char *const family[] = {"last name", "last_name", "surname", "family name", NULL};
    reading->headed = true;
    reading->id = find_column(reading, ids);
    reading->name = find_column(reading, names);
    reading->family = SIZE_MAX;
    reading->participants =
        reading->id != SIZE_MAX && strcasecmp(reading->cells[reading->id], "identifier") == 0;
    if (reading->name == SIZE_MAX) {
        reading->family = find_column(reading, family);
        reading->name = reading->family == SIZE_MAX ? SIZE_MAX : find_column(reading, given);
    }
    if (reading->id == SIZE_MAX || reading->name == SIZE_MAX)
        complain(reading, "this line must name the columns, including \"id\" and \"name\"");
}

static bool is_known(const struct batch_roster *roster, const char *folded)
{
    for (size_t i = 0; i < roster->count; ++i)
        if (strcmp(roster->students[i].folded_id, folded) == 0)
            return true;
    return false;
}

/* Returns the text of a column, without leading and trailing blanks. */
static char *cell(const struct reading *reading, size_t column)
{
    char *text = column < reading->cell_count ? reading->cells[column] : "";
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]))
        text[--length] = 0;
    return text;
}

/* Returns a copy of TEXT, cleaned of control characters and normalised (NFC). */
static char *take(const char *text)
{
    char *clean = batch_clean_name(text), *normal = clean ? people_normalise(clean) : NULL;
    free(clean);
    return normal;
}

static char *take_id(const struct reading *reading)
{
    const char *text = cell(reading, reading->id), *end = text + strlen(text), *number = end;
    while (reading->participants && number > text && number[-1] >= '0' && number[-1] <= '9')
        --number;
    return take(number < end ? number : text);
}

static char *take_name(const struct reading *reading)
{
    char *both, *name;
    if (reading->family == SIZE_MAX)
        return take(cell(reading, reading->name));
    if (asprintf(&both, "%s %s", cell(reading, reading->name), cell(reading, reading->family)) < 0)
        return NULL;
    name = take(both);
    free(both);
    return name;
}

/* Returns true if the row contains no student. Canvas exports such rows before the students. */
static bool is_nobody(const struct reading *reading)
{
    const char *name = cell(reading, reading->name);
    return !*cell(reading, reading->id) && (!*name || strcasecmp(name, "points possible") == 0);
}

static void free_student(struct batch_student *student)
{
    free(student->id);
    free(student->name);
    free(student->folded_id);
    free(student->folded_name);
    free(student->name_words);
    free(student->name_joined);
}

static void add_student(struct reading *reading)
{
    struct batch_roster *roster = reading->roster;
    struct batch_student student = {.id = take_id(reading), .name = take_name(reading)};
    if (roster->count == roster->room) {
        size_t room = roster->room ? 2 * roster->room : 64;
        void *students = reallocarray(roster->students, room, sizeof *roster->students);
        if (students) {
            roster->students = students;
            roster->room = room;
        }
    }
    if (student.id && student.name) {
        student.folded_id = people_fold(student.id);
        student.folded_name = people_fold(student.name);
        student.name_words = people_words(student.name);
        student.name_joined = people_joined(student.name);
    }
    if (!student.folded_id || !student.folded_name || !student.name_words || !student.name_joined ||
        roster->count == roster->room)
        complain(reading, "out of memory");
    else if (!*student.id)
        complain(reading, "this row has no id");
    else if (strlen(student.id) > 200)
        complain(reading, "the id is longer than 200 bytes");
    else if (roster->count == MOST_STUDENTS)
        complain(reading, "there are more than 20,000 students: is this the roster of one course?");
    else if (is_known(roster, student.folded_id))
        complain(reading, "an earlier row has the same id");
    else {
        roster->students[roster->count++] = student;
        return;
    }
    free_student(&student);
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
    else if (!reading->bad && !is_nobody(reading))
        add_student(reading);
    for (size_t i = 0; i < reading->cell_count; ++i)
        free(reading->cells[i]);
    reading->cell_count = 0;
    reading->start = 0;
}

/* Returns the column separator of the file. Spreadsheet programs choose it by country. It is the
 * only one of the possible separators that occurs in the first row. */
static char separator(const char *bytes, size_t length)
{
    size_t line = 0;
    while (line < length && !strchr("\r\n", bytes[line]))
        ++line;
    for (const char *at = ",;\t"; *at; ++at)
        if (memchr(bytes, *at, line))
            return *at;
    return ',';
}

/* Reads the rows line by line, so that an error can name its line. */
static void read_rows(struct reading *reading, const char *bytes, size_t length)
{
    struct csv_parser parser;
    bool good = true;
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    csv_set_delim(&parser, (unsigned char)separator(bytes, length));
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
        complain(reading, "the quotation marks in this row do not match");
    csv_free(&parser);
    for (size_t i = 0; i < reading->cell_count; ++i)
        free(reading->cells[i]);
}

/* Checks that the file is UTF-8. Names in another encoding would be garbled, and would match no
 * student. */
static bool check_encoding(struct reading *reading, const char *bytes, size_t length)
{
    const uint8_t *bad = u8_check((const uint8_t *)bytes, length);
    if (!bad)
        return true;
    reading->start = 1;
    for (const char *at = bytes; at < (const char *)bad; ++at)
        reading->start += *at == '\n';
    complain(reading, "this file is not in UTF-8: save it as CSV in UTF-8");
    return false;
}

bool batch_roster_read(const char *path, struct batch_roster *roster, char *error, size_t size)
{
    struct reading reading = {.roster = roster, .path = path, .error = error, .size = size};
    struct text text;
    char why[100];
    *roster = (struct batch_roster){0};
    if (!base_read_file(path, ROSTER_BYTES, &text, why, sizeof why)) {
        snprintf(error, size, "the roster %s %s", path, why);
        return false;
    }
    /* spreadsheet programs begin a UTF-8 file with a byte order mark */
    size_t mark = text.size >= 3 && memcmp(text.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (check_encoding(&reading, text.bytes + mark, text.size - mark))
        read_rows(&reading, text.bytes + mark, text.size - mark);
    free(text.bytes);
    if (!reading.bad && roster->count == 0) {
        snprintf(error, size, "the roster %s is empty", path);
        reading.bad = true;
    }
    if (reading.bad)
        batch_roster_free(roster);
    return !reading.bad;
}

void batch_roster_free(struct batch_roster *roster)
{
    for (size_t i = 0; i < roster->count; ++i)
        free_student(&roster->students[i]);
    free(roster->students);
    *roster = (struct batch_roster){0};
}

/* --- finding the student ---------------------------------------------------------------------- */

/* Returns true if the byte C can be part of a word. All bytes of non-ASCII characters can. */
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

/* The name of a hand-in, in the forms in which it is compared with students' names
 * (base/people.h). */
struct sought {
    char *folded, *words, *joined;
};

/* The ways in which a hand-in's name can identify a student, the most certain first. */
enum way { ID, NAME, ID_WITHIN, NAME_WITHIN, WORDS, JOINED, WAYS };

/* Returns the length of the id or name by which STUDENT matches the hand-in's name in the way WAY,
 * or 0 if STUDENT does not match. */
static size_t fits(const struct batch_student *student, const struct sought *sought, enum way way)
{
    const char *keys[WAYS] = {student->folded_id,   student->folded_name, student->folded_id,
                              student->folded_name, student->name_words,  student->name_joined};
    const char *texts[WAYS] = {sought->folded, sought->folded, sought->folded,
                               sought->folded, sought->words,  sought->joined};
    if (way == JOINED && *sought->words) /* a name of several words is compared by WORDS instead */
        return 0;
    bool within = way == ID_WITHIN || way == NAME_WITHIN;
    bool found = within ? has_word(texts[way], keys[way]) : strcmp(texts[way], keys[way]) == 0;
    return found ? strlen(keys[way]) : 0;
}

/* Returns the student who matches in the way WAY; if several match, the student with the longest
 * match. Returns NULL if no student matches, or two students have equally long matches. */
static const struct batch_student *find_by(const struct batch_roster *roster,
                                           const struct sought *sought, enum way way, bool *several)
{
    const struct batch_student *found = NULL;
    size_t longest = 0;
    bool twice = false;
    for (size_t i = 0; i < roster->count; ++i) {
        size_t length = fits(&roster->students[i], sought, way);
        if (length == 0 || length < longest)
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
    struct sought sought = {people_fold(name), people_words(name), people_joined(name)};
    bool good = sought.folded && sought.words && sought.joined;
    for (enum way way = ID; good && !found && way < WAYS; ++way)
        found = find_by(roster, &sought, way, &twice);
    free(sought.folded);
    free(sought.words);
    free(sought.joined);
    if (several)
        *several = !found && twice;
    return found;
}
