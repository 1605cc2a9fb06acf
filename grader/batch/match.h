/* For which lab is a file? */
#ifndef BATCH_MATCH_H
#define BATCH_MATCH_H

#include "course/lab.h"

enum batch_match {
    BATCH_NO_MATCH,
    BATCH_BY_FIRST_LINE, /* the comment on top says "Lab 02" */
    BATCH_BY_FOLDER,     /* it lies in 02-coalesce/, lab02/ or lab-2/ */
    BATCH_BY_NAME,       /* it is called coalesce.cu, or smith_coalesce-2.cu */
};

/* Finds the lab among COUNT for a file at PATH (within the hand-in) that holds SOURCE: *LAB gets its
 * place. What it returns says how sure that is: the higher the surer. */
enum batch_match batch_match(const struct lab *labs, size_t count, const char *path,
                             const char *source, size_t *lab);

/* Where the lab's word begins in NAME: "coalesce" in "smith_coalesce-2.cu". NULL: it is not there, as in
 * "coalesced.cu". */
const char *batch_match_word(const struct lab *lab, const char *name);

/* True if a folder called NAME (LENGTH bytes) is LAB's. */
bool batch_match_folder(const struct lab *lab, const char *name, size_t length);

#endif
