/* Cleans text, and prints lines of source. */
#include "base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of bytes of the printable UTF-8 character at TEXT, or 0 if there is no such
 * character. LEFT is the number of bytes from TEXT to the end. */
static size_t printable(const unsigned char *text, size_t left)
{
    /* lowest character that needs i bytes */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = text[0];
    if (first < 0x80)
        return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t';
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || length > left)
        return 0;
    uint32_t code = first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    /* 0x80 to 0x9f are control characters. The next two ranges change the direction of text on a
     * terminal. The last two codes of each plane are not characters, and XML forbids them. */
    bool shown = code >= 0xa0 && !(code >= 0x202a && code <= 0x202e) &&
                 !(code >= 0x2066 && code <= 0x2069) && !(code >= 0xd800 && code <= 0xdfff) &&
                 (code & 0xfffe) != 0xfffe;
    return shown && code >= least[length] && code <= 0x10ffff ? length : 0;
}

void base_clean_text(char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = printable((const unsigned char *)text + at, size - at);
        if (length == 0)
            text[at] = '?';
        at += length ? length : 1;
    }
}

size_t base_unix_lines(char *text, size_t size)
{
    size_t kept = 0;
    for (size_t at = 0; at < size; ++at)
        if (text[at] != '\r' || at + 1 == size || text[at + 1] != '\n')
            text[kept++] = text[at];
    return kept;
}

char *base_one_line(const char *text)
{
    size_t left = strlen(text);
    char *line = malloc(4 * left + 1), *to = line;
    while (line && left > 0) {
        size_t length = printable((const unsigned char *)text, left);
        if (*text == '\n' || *text == '\t')
            to += sprintf(to, "\\%c", *text == '\n' ? 'n' : 't');
        else if (length == 0)
            to += sprintf(to, "\\x%02x", (unsigned char)*text);
        else
            to = mempcpy(to, text, length);
        length = length ? length : 1;
        text += length;
        left -= length;
    }
    if (line)
        *to = 0;
    return line;
}

bool base_source_line(const char *text, unsigned number, const char **line, size_t *length)
{
    if (number == 0)
        return false;
    while (--number > 0) {
        text = strchr(text, '\n');
        if (!text)
            return false;
        ++text;
    }
    *line = text;
    *length = strcspn(text, "\n");
    if (*length > 0 && text[*length - 1] == '\r')
        --*length;
    return *text != 0;
}

/* Returns the length of the string or character literal at TEXT, or 1 if there is none. */
static size_t skip_quoted(const char *text, size_t length)
{
    size_t end = 1;
    if (*text != '"' && *text != '\'')
        return 1;
    while (end < length && text[end] != *text)
        end += text[end] == '\\' ? 2 : 1;
    return end + 1 < length ? end + 1 : length;
}

/* Returns the length of the statements at TEXT. They end before a comment or an unmatched closing
 * bracket. If a line has several statements, all are underlined, because the line table does not
 * distinguish them. Returns 1 if the statement does not end on this line, or if no statement begins
 * at TEXT. */
static size_t statement_length(const char *text, size_t length)
{
    size_t end = 0;
    int depth = 0;
    if (length == 0 ||
        (*text != '_' && *text != '*' && *text != '(' && !isalnum((unsigned char)*text)))
        return 1;
    while (end < length) {
        char c = text[end];
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (depth < 0 ||
            (c == '/' && end + 1 < length && (text[end + 1] == '/' || text[end + 1] == '*')))
            break;
        end += skip_quoted(text + end, length - end);
    }
    while (end > 1 && strchr(" \t;,{}", text[end - 1]))
        --end;
    return depth > 0 || end == 0 ? 1 : end;
}

/* Writes NOTE after the underline, which ends at column USED. If NOTE does not fit there, writes it
 * on a separate line. */
static void print_note(FILE *to, const char *note, size_t used)
{
    size_t length = strlen(note);
    if (used + 1 + length <= TEXT_COLUMNS)
        fprintf(to, " %s\n", note);
    else
        fprintf(to, "\n      | %*s%s\n", length + 12 <= TEXT_COLUMNS ? 4 : 0, "", note);
}

void base_print_snippet_line(FILE *to, const char *line, size_t length, unsigned number,
                             unsigned column, const char *note)
{
    size_t at = column > 0 ? column - 1 : 0;
    if (column == 0)
        while (at < length && (line[at] == ' ' || line[at] == '\t'))
            ++at;
    fprintf(to, "%5u | %.*s\n      | ", number, (int)length, line);
    /* keep tabs, so that the caret is below its character at every tab width */
    for (size_t i = 0; i < at && i < length; ++i)
        /* skip the further bytes of a multi-byte character */
        if (((unsigned char)line[i] & 0xc0) != 0x80)
            fputc(line[i] == '\t' ? '\t' : ' ', to);
    fputc('^', to);
    size_t marks = note && column > 0 && at < length ? statement_length(line + at, length - at) : 1;
    for (size_t i = 1; i < marks; ++i)
        if (((unsigned char)line[at + i] & 0xc0) != 0x80)
            fputc('~', to);
    if (note && *note)
        print_note(to, note, strlen("      | ") + at + marks);
    else
        fputc('\n', to);
}

void base_print_snippet(FILE *to, const char *text, unsigned number, unsigned column,
                        const char *note)
{
    const char *line;
    size_t length;
    if (base_source_line(text, number, &line, &length))
        base_print_snippet_line(to, line, length, number, column, note);
}
