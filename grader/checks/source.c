#include "checks/source.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "checks/internal.h"

#define LINE_SIZE 400 /* longer lines are cut */

/* Copies the line at TEXT without spaces and comments. */
static void squeeze(const char *text, char line[LINE_SIZE])
{
    size_t used = 0;
    for (; *text && *text != '\n' && used + 1 < LINE_SIZE; ++text) {
        if (text[0] == '/' && text[1] == '/')
            break;
        if (!isspace((unsigned char)*text))
            line[used++] = *text;
    }
    line[used] = '\0';
    /* a line within a comment of several lines */
    if (line[0] == '*' && (line[1] == '\0' || line[1] == '/' || isalpha((unsigned char)line[1])) &&
        !strchr(line, '='))
        line[0] = '\0';
}

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end ? end + 1 : text + strlen(text);
}

unsigned check_find_lines(const struct check *check, const char *text, unsigned *lines,
                          unsigned most)
{
    const char *at = json_string_value(check->job.source);
    char wanted[LINE_SIZE], line[LINE_SIZE];
    unsigned found = 0;
    squeeze(text, wanted);
    for (unsigned number = 1; at && *at; at = next_line(at), ++number) {
        squeeze(at, line);
        if (!strstr(line, wanted))
            continue;
        if (found < most)
            lines[found] = number;
        ++found;
    }
    return found;
}

unsigned check_find_loops(const struct check *check, unsigned end, unsigned *lines, unsigned most)
{
    const char *at = json_string_value(check->job.source);
    char line[LINE_SIZE];
    unsigned found = 0;
    for (unsigned number = 1; at && *at && number < end; at = next_line(at), ++number) {
        squeeze(at, line);
        if (at[0] == '}')
            found = 0; /* another function ends here */
        if (strncmp(line, "for(", 4) != 0 && strncmp(line, "while(", 6) != 0)
            continue;
        if (found < most)
            lines[found] = number;
        ++found;
    }
    return found;
}

unsigned check_find_line(const struct check *check, const char *text)
{
    unsigned line = 0, found = check_find_lines(check, text, &line, 1);
    return found == 1 ? line : 0;
}

void check_show_line(struct check *check, const char *text)
{
    unsigned line = check_find_line(check, text);
    if (line)
        check->verdict.cause[0] = check->verdict.spare[0] = '\0'; /* they are about another line */
    check_point_at(check, check->job.file_name, line, 0);
}
