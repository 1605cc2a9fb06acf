/* Finds lines in the student's file, so that a report can show where a mistake is. */
#ifndef CHECKS_SOURCE_H
#define CHECKS_SOURCE_H

struct check;

/* LINES gets the numbers of the first MOST lines of the student's file that contain TEXT. Spaces
 * and comments are ignored. Returns the number of all lines that contain it, which may be more than
 * MOST. */
unsigned check_find_lines(const struct check *check, const char *text, unsigned *lines,
                          unsigned most);

#endif
