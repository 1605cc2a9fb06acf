/* Makes the document about a class, lanewise/class/v1 (report/RESULTS.md), from the store. All
 * reports about a class are written from this document. */
#ifndef BATCH_CLASS_H
#define BATCH_CLASS_H

#include <jansson.h>

#include "batch/store.h"
#include "course/policy.h"

/* Returns a new lanewise/class/v1. On failure returns NULL, and batch_store_error() says why. */
json_t *batch_class(struct batch_store *store, const struct course_policy *terms);

/* Returns the gradings that lanewise/class/v1 still lacks, as [{"key", "lab", "source"}], sorted by
 * student, lab and time. Each key appears once. */
json_t *batch_class_pending(struct batch_store *store, const struct course_policy *terms);

#endif
