/* Finds out which lab a file is for. */
#ifndef BATCH_MATCH_H
#define BATCH_MATCH_H

#include "course/lab.h"

enum batch_match {
    BATCH_NO_MATCH,
    BATCH_BY_FIRST_LINE, /* the file begins with a comment "Lab 02" */
    BATCH_BY_FOLDER,     /* the file is in 02-coalesce/, lab02/ or lab-2/ */
    BATCH_BY_NAME,       /* the file's name is coalesce.cu, or smith_coalesce-2.cu */
};

/* Finds the lab among COUNT for a file at PATH (within the hand-in) that contains SOURCE, and
 * stores the lab's index in *LAB. A higher return value is a surer match. */
enum batch_match batch_match(const struct lab *labs, size_t count, const char *path,
                             const char *source, size_t *lab);

/* Finds the name of LAB's file, without its ending, in NAME: "coalesce" in "smith_coalesce-2.cu".
 * Returns NULL if NAME does not contain that name as a whole word, as in "coalesced.cu". */
const char *batch_match_word(const struct lab *lab, const char *name);

/* Returns true if a folder called NAME (LENGTH bytes) is LAB's folder. */
bool batch_match_folder(const struct lab *lab, const char *name, size_t length);

#endif
