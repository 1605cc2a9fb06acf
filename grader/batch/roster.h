/* The list of a class's students: a CSV file (RFC 4180) with an id and a name in each row.
 *
 *     id,name
 *     s001,"Zuse, Konrad"
 *
 * The first row says which columns these are, among others that are passed over, in any order ("id",
 * "student id", "login"...; "name", "full name", "student"..., or "first name" and "last name"): what Moodle and
 * Canvas export will do as it is. Commas, semicolons or tabs are between them. */
#ifndef BATCH_ROSTER_H
#define BATCH_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

struct batch_student {
    char *id, *name;                /* clean text, normalised (NFC) */
    char *folded_id, *folded_name;  /* as they are compared, */
    char *name_words, *name_joined; /* and as base/people.h has them */
};

struct batch_roster {
    struct batch_student *students; /* in the file's order */
    size_t count, room;
};

/* Reads PATH. False: ERROR (SIZE bytes) is one line that says what is wrong, mostly "PATH:LINE: ...". */
bool batch_roster_read(const char *path, struct batch_roster *roster, char *error, size_t size);
void batch_roster_free(struct batch_roster *roster);

/* Whose is a hand-in called NAME? It is the id, or the name, or has one of these in it as a word of its
 * own, as in "Konrad Zuse_12345_assignsubmission_file"; or the name is made of the same words, in any order,
 * with or without accents, as in "zuse_konrad" and "zusekonrad_123". Capitals make no difference. NULL: nobody's,
 * or *SEVERAL students' (may be NULL). */
const struct batch_student *batch_roster_find(const struct batch_roster *roster, const char *name,
                                              bool *several);

#endif
