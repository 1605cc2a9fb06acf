/* Finds lines in the student's file, so that a report can show where a mistake is. */
#ifndef CHECKS_SOURCE_H
#define CHECKS_SOURCE_H

struct check;

/* Gets the numbers of up to MOST lines of the student's file that contain TEXT, apart from spaces
 * and comments. Returns how many there are, which may be more than MOST. */
unsigned check_find_lines(const struct check *check, const char *text, unsigned *lines,
                          unsigned most);

#endif
