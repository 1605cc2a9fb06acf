/* Writes parts of the queue (chunks) as files, for a machine that shares only a file system with
 * this one:
 *
 *     FOLDER/sources/HASH          the submissions
 *     FOLDER/chunks/ROUND/N.json   a chunk: some entries of the queue, and how to grade them
 *                                  (lanewise/chunk/v1). ROUND counts the attempts from 0.
 *     FOLDER/answers/KEY.json      one grading, as batch_grade_one() returns it; never half written
 *
 * A machine that grades a chunk only writes answers, each to its own file. So finished gradings
 * survive any failure, and a second execution of a chunk grades only the missing entries. One
 * process collects the answers and writes the store. */
#ifndef BATCH_CHUNK_H
#define BATCH_CHUNK_H

#include "batch/queue.h"

/* Makes FOLDER and its subfolders. On failure returns false with the reason in errno. */
bool batch_chunk_folder(const char *folder);

/* Writes the ENTRIES of QUEUE, an array from batch_class_pending(), as chunks of CHUNK_SIZE
 * entries. The chunks are numbered 0, 1, ...; each entry gets its chunk's number as the member
 * "chunk". Returns the number of chunks, or 0 if writing failed; ERROR (SIZE bytes) then says why
 * in one line. */
size_t batch_chunk_write(const struct batch_queue *queue, const char *folder, unsigned round,
                         json_t *entries, size_t chunk_size, char *error, size_t size);

/* Grades the entries of the chunk at PATH that have no answer yet, JOBS at a time. Returns false if
 * some entries were not graded; ERROR says why, or is "" after an interrupt. */
bool batch_chunk_grade(const char *path, unsigned jobs, char *error, size_t size);

/* Calls TAKE(KEY, ANSWER) for each answer in FOLDER, and removes the answer's file if TAKE returns
 * true. Returns false, with the reason in errno, if the folder cannot be read. */
bool batch_chunk_collect(const char *folder,
                         bool (*take)(const char *key, const json_t *answer, void *context),
                         void *context);

#endif
