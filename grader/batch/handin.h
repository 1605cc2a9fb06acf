/* Reads one student's hand-in (a folder, an archive, or one .cu file) and the CUDA sources in it.
 *
 * Hand-ins are not trusted: links are not followed, nothing is unpacked onto the disk, and names,
 * sizes, counts and time are limited. A file that cannot be read is recorded with its problem and
 * does no harm. */
#ifndef BATCH_HANDIN_H
#define BATCH_HANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/files.h"

#define BATCH_SOURCE_BYTES   ((size_t)1 << 20)   /* size of the largest accepted source */
#define BATCH_HANDIN_FILES   200                 /* maximum number of sources in one hand-in */
#define BATCH_HANDIN_ENTRIES 20000               /* maximum number of files in one hand-in */
#define BATCH_ARCHIVE_BYTES  ((size_t)256 << 20) /* maximum unpacked size of an archive */

struct batch_file {
    char *path;       /* path in the hand-in, cleaned by batch_clean_name() */
    int64_t time;     /* time of the hand-in, in UNIX seconds */
    struct text text; /* the source, which is empty if there is a problem */
    char *problem;    /* why the file cannot be read, in a few words, or NULL if it was read */
};

/* Problems of files that cannot contain a student's work. */
#define BATCH_LINK          "is a link, not the file itself"
#define BATCH_EMPTY_ARCHIVE "is an empty archive"

struct batch_handin {
    struct batch_file *files; /* sorted by path */
    size_t count, room;
    /* path of the first file that is neither a source nor an archive, or NULL if there is none */
    char *passed;
};

/* Returns true if a file of this name is read as an archive. LENGTH (may be NULL) gets the length
 * of the name without ".zip", ".tar.gz" and the like. */
bool batch_is_archive(const char *name, size_t *length);
/* Returns true if a file of this name is a CUDA source. */
bool batch_is_source(const char *name);

/* Returns true if PATH, a file in a hand-in, cannot be the student's work: another part of the kit,
 * such as solutions/, or a hidden file. */
bool batch_is_ignored(const char *path);

/* Reads the hand-in at PATH. Always succeeds: errors are recorded as problems. */
void batch_handin_read(const char *path, struct batch_handin *handin);
void batch_handin_free(struct batch_handin *handin);

/* Adds a file, and cleans PATH. HANDIN becomes the owner of TEXT's bytes. PROBLEM may be NULL. */
void batch_handin_add(struct batch_handin *handin, const char *path, int64_t time, struct text text,
                      const char *problem);

/* Returns true if FILE is empty or a link, so it contains no work. Any other file that cannot be
 * graded may contain work, so a human must look at it. */
bool batch_holds_nothing(const struct batch_file *file);

/* Records that the file at PATH was skipped, if no file was skipped before. */
void batch_handin_pass(struct batch_handin *handin, const char *path);

/* Adds the sources in the archive at PATH, which was handed in at TIME. In HANDIN, the paths of
 * these sources begin with SHOWN. */
void batch_archive_read(const char *path, const char *shown, int64_t time,
                        struct batch_handin *handin);

/* Returns NAME, whose bytes a student chose, as valid UTF-8 without control characters. The
 * caller frees it. A forbidden byte becomes %XX, so different names stay different. */
char *batch_clean_name(const char *name);

/* Returns the UNIX time in a name such as "attempt 2026-11-20 18:30:05" or
 * "2026-11-20T18-30-05Z_try", or 0 if the name contains none. A time without Z is in this machine's
 * time zone. */
int64_t batch_time_in_name(const char *name);

#endif
