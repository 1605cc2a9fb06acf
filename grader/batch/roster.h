/* Reads a roster, which is the list of a class's students. It is a CSV file (RFC 4180) with an id
 * and a name in each row.
 *
 *     id,name
 *     s001,"Zuse, Konrad"
 *
 * The first row names the columns, in any order ("id", "student id", "login"...; "name", "full
 * name", "student"..., or "first name" and "last name"). Other columns are ignored. Files that
 * Moodle and Canvas export work unchanged. The separator is a comma, a semicolon or a tab. */
#ifndef BATCH_ROSTER_H
#define BATCH_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

struct batch_student {
    char *id, *name;                /* clean text, normalised (NFC) */
    char *folded_id, *folded_name;  /* case-folded for comparison */
    char *name_words, *name_joined; /* people_words() and people_joined() of the name */
};

struct batch_roster {
    struct batch_student *students; /* students in the file's order */
    size_t count, room;
};

/* Reads PATH. On failure returns false, and ERROR (SIZE bytes) says why in one line, usually
 * "PATH:LINE: ...". */
bool batch_roster_read(const char *path, struct batch_roster *roster, char *error, size_t size);
void batch_roster_free(struct batch_roster *roster);

/* Finds the student whose hand-in is called NAME. There are three ways to match. NAME is the
 * student's id or name. NAME contains the id or name as whole words, as in "Konrad
 * Zuse_12345_assignsubmission_file". NAME consists of the words of the student's name in any order,
 * with or without accents, as in "zuse_konrad" and "zusekonrad_123". Case is ignored. Returns NULL
 * if no student matches, or several do; in the latter case *SEVERAL becomes true (SEVERAL may be
 * NULL). */
const struct batch_student *batch_roster_find(const struct batch_roster *roster, const char *name,
                                              bool *several);

#endif
