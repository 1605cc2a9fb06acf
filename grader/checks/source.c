#include "checks/source.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "checks/internal.h"

#define LINE_SIZE 400 /* buffer size; longer lines are cut */

/* Reads a source line by line, without spaces and comments. */
struct reader {
    const char *at;  /* the rest of the source, or NULL if it is unknown */
    unsigned number; /* number of the line that was read last */
    bool in_comment; /* the next line begins in a comment */
    char line[LINE_SIZE];
};

static struct reader open_source(const struct check *check)
{
    return (struct reader){.at = json_string_value(check->job.source)};
}

/* Reads the next line. Returns false at the end. */
static bool read_line(struct reader *reader)
{
    size_t used = 0;
    const char *at = reader->at;
    if (!at || !*at)
        return false;
    reader->number++;
    for (; *at && *at != '\n'; ++at) {
        bool starts = at[0] == '/' && at[1] == '*', ends = at[0] == '*' && at[1] == '/';
        if (!reader->in_comment && at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n") - 1;
        else if (reader->in_comment ? ends : starts)
            reader->in_comment = starts, ++at;
        else if (!reader->in_comment && !isspace((unsigned char)*at) && used + 1 < LINE_SIZE)
            reader->line[used++] = *at;
    }
    reader->line[used] = '\0';
    reader->at = *at ? at + 1 : at;
    return true;
}

unsigned check_find_lines(const struct check *check, const char *text, unsigned *lines,
                          unsigned most)
{
    struct reader wanted = {.at = text}, reader = open_source(check);
    unsigned found = 0;
    read_line(&wanted);
    while (read_line(&reader)) {
        if (!strstr(reader.line, wanted.line))
            continue;
        if (found < most)
            lines[found] = reader.number;
        ++found;
    }
    return found;
}

unsigned check_find_line(const struct check *check, const char *text)
{
    unsigned line = 0, found = check_find_lines(check, text, &line, 1);
    return found == 1 ? line : 0;
}
