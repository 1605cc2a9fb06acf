/* Text that a submission wrote, made fit to be shown: escape sequences, control characters and
 * broken UTF-8 never reach a terminal or a report. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Replaces, in place, every byte that is not part of printable UTF-8, a tab or a newline by '?'.
 * NUL bytes too: the result is a string of SIZE bytes. */
void base_clean_text(char *text, size_t size);

/* The NUMBER-th line (from 1) of TEXT, without its newline. False: there is no such line. */
bool base_source_line(const char *text, unsigned number, const char **line, size_t *length);

#define TEXT_COLUMNS 100 /* no line of a report is longer, if it can be helped */

/* Writes line NUMBER of TEXT as gcc does, with a caret under COLUMN (from 1) and, where there is a NOTE
 * (else NULL), marks under what stands there, and the note:
 *
 *        12 |     mine += data[i];
 *           |     ^~~~~~~~~~~~~~~ each lane reads 4 of every 16 bytes
 *
 * COLUMN 0: under the first character that is not blank. Writes nothing if there is no such line. */
void base_print_snippet(FILE *to, const char *text, unsigned number, unsigned column,
                        const char *note);

/* The same for a line that is at hand: LENGTH bytes, line NUMBER of its file. */
void base_print_snippet_line(FILE *to, const char *line, size_t length, unsigned number,
                             unsigned column, const char *note);

/* What nvcc wrote about a submission, as the student should see it: a malloc'd string, or NULL when
 * out of memory. The file that was compiled as NAME is called SHOWN; messages are in gcc's form
 * "SHOWN:line:column: error: ...", followed by the line of SOURCE and a caret; what two passes of
 * the compiler said twice is there once; at most MAX_LINES lines. */
char *compile_messages(const char *raw, const char *name, const char *shown, const char *source,
                       unsigned max_lines);

#endif
