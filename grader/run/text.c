/* Cleaning text and showing a line of source. */
#include "run/text.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the printable UTF-8 character at TEXT, of which LEFT bytes are there; 0: it is none. */
static size_t printable(const unsigned char *text, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* shorter forms exist below */
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
    /* 0x80-0x9f are control characters; the two ranges after them reorder text on a terminal. */
    bool shown = code >= 0xa0 && !(code >= 0x202a && code <= 0x202e) &&
                 !(code >= 0x2066 && code <= 0x2069) && !(code >= 0xd800 && code <= 0xdfff);
    return shown && code >= least[length] && code <= 0x10ffff ? length : 0;
}

void run_clean_text(char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = printable((const unsigned char *)text + at, size - at);
        if (length == 0)
            text[at] = '?';
        at += length ? length : 1;
    }
}

bool run_source_line(const char *text, unsigned number, const char **line, size_t *length)
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

void run_print_snippet_line(FILE *to, const char *line, size_t length, unsigned number,
                            unsigned column)
{
    size_t at = column > 0 ? column - 1 : 0;
    if (column == 0)
        while (at < length && (line[at] == ' ' || line[at] == '\t'))
            ++at;
    fprintf(to, "%5u | %.*s\n      | ", number, (int)length, line);
    /* Tabs stay tabs, so that the caret stands below its character however wide they are. */
    for (size_t i = 0; i < at && i < length; ++i)
        if (((unsigned char)line[i] & 0xc0) != 0x80) /* not in the middle of a character */
            fputc(line[i] == '\t' ? '\t' : ' ', to);
    fputs("^\n", to);
}

void run_print_snippet(FILE *to, const char *text, unsigned number, unsigned column)
{
    const char *line;
    size_t length;
    if (run_source_line(text, number, &line, &length))
        run_print_snippet_line(to, line, length, number, column);
}
