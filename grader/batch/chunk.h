/* A part of the queue as files, for a machine that shares nothing with ours but a file system:
 *
 *     FOLDER/sources/HASH          what is to be graded
 *     FOLDER/chunks/ROUND/N.json   which of it this chunk is about, and how: lanewise/chunk/v1
 *     FOLDER/answers/KEY.json      one grading, as batch_grade_one() returns it; appears whole
 *
 * Who grades writes answers and nothing else, one file each, so that what is finished stays finished
 * whatever happens to the rest, and a chunk that is begun again does only what is missing. The store is
 * written by the one process that collects. */
#ifndef BATCH_CHUNK_H
#define BATCH_CHUNK_H

#include "batch/queue.h"

/* Makes FOLDER and what belongs in it. False: errno says why. */
bool batch_chunk_folder(const char *folder);

/* Writes the ENTRIES of QUEUE (as batch_class_pending() returns them) as chunks of SIZE, which get the
 * numbers 0, 1, ...; each entry gets its chunk's as "chunk". Returns how many there are; 0: ERROR (SIZE
 * bytes) is one line. */
size_t batch_chunk_write(const struct batch_queue *queue, const char *folder, unsigned round,
                         json_t *entries, size_t chunk_size, char *error, size_t size);

/* Grades what is in the chunk PATH and has no answer yet, JOBS at a time. False: it did not come to the
 * end, and ERROR says why, or is "" if it was interrupted. */
bool batch_chunk_grade(const char *path, unsigned jobs, char *error, size_t size);

/* Calls TAKE(KEY, ANSWER) for each answer that is there, and removes its file if it returns true. False:
 * the folder cannot be read (errno). */
bool batch_chunk_collect(const char *folder,
                         bool (*take)(const char *key, const json_t *answer, void *context),
                         void *context);

#endif
