/* Handles text that a submission wrote, so that escape sequences, control characters and invalid
 * UTF-8 never reach a terminal or a report. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Replaces, in place, every byte by '?', unless it is part of printable UTF-8, a tab or a newline.
 * NUL bytes are also replaced, so the result is a string of SIZE bytes. */
void base_clean_text(char *text, size_t size);

/* Converts Windows line ends to Unix line ends, in place, by removing the carriage returns. Returns
 * the new size. */
size_t base_unix_lines(char *text, size_t size);

/* Returns a copy of TEXT as one line of printable UTF-8. Every other byte becomes an escape such as
 * \n, \t or \x1b. This is for file names, which can contain any byte. The caller frees the result.
 * Returns NULL when out of memory. */
char *base_one_line(const char *text);

/* Finds line NUMBER (from 1) of TEXT, without its newline. Returns false if TEXT has no such
 * line. */
bool base_source_line(const char *text, unsigned number, const char **line, size_t *length);

#define TEXT_COLUMNS 100 /* maximum length of the lines in reports, where possible */

/* Writes line NUMBER of TEXT in gcc's form, with a caret under COLUMN (from 1). If NOTE is not
 * NULL, underlines the whole statement at that column, and writes NOTE after it:
 *
 *        12 |     mine += data[i];
 *           |     ^~~~~~~~~~~~~~~ each lane reads 4 of every 16 bytes
 *
 * If COLUMN is 0, the caret is under the first character that is not blank. Writes nothing if there
 * is no such line. */
void base_print_snippet(FILE *to, const char *text, unsigned number, unsigned column,
                        const char *note);

/* Does the same as base_print_snippet(), for a caller that already has the LENGTH bytes of the
 * line, and its NUMBER in the file. */
void base_print_snippet_line(FILE *to, const char *line, size_t length, unsigned number,
                             unsigned column, const char *note);

#endif
