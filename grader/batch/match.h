/* Finds out which lab a file is for. */
#ifndef BATCH_MATCH_H
#define BATCH_MATCH_H

#include "course/lab.h"

enum batch_match {
    BATCH_NO_MATCH,
    BATCH_BY_FIRST_LINE, /* the file begins with a comment such as "Lab 02" */
    BATCH_BY_FOLDER,     /* the file is in 02-coalesce/, lab02/ or lab-2/ */
    BATCH_BY_NAME,       /* the file's name is coalesce.cu, or smith_coalesce-2.cu */
};

/* Finds the lab of a file with the text SOURCE at PATH in the hand-in. Stores the lab's index among
 * the COUNT LABS in *LAB. A higher return value means more certainty. */
enum batch_match batch_match(const struct lab *labs, size_t count, const char *path,
                             const char *source, size_t *lab);

/* Searches NAME for the name of LAB's file without its ending: "coalesce" in "smith_coalesce-2.cu".
 * Returns its position, or NULL if it is not there, or is part of a longer word as in
 * "coalesced.cu". */
const char *batch_match_word(const struct lab *lab, const char *name);

/* Returns true if NAME (LENGTH bytes) may be the name of LAB's folder: "02-coalesce", "lab02" or
 * "lab-2". */
bool batch_match_folder(const struct lab *lab, const char *name, size_t length);

#endif
