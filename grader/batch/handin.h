/* What one student handed in, be it a folder, an archive, or one .cu file: the CUDA sources in it.
 *
 * It is a stranger's, so links are not followed, nothing is unpacked onto the disk, and there are limits
 * to names, sizes, counts and time. What cannot be taken is told as a problem and does no harm. */
#ifndef BATCH_HANDIN_H
#define BATCH_HANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/files.h"

#define BATCH_SOURCE_BYTES   ((size_t)1 << 20)   /* no student writes a larger source */
#define BATCH_HANDIN_FILES   200                 /* sources in one hand-in, at most */
#define BATCH_HANDIN_ENTRIES 20000               /* files of any kind in it, at most */
#define BATCH_ARCHIVE_BYTES  ((size_t)256 << 20) /* unpacked, of an archive, at most */

struct batch_file {
    char *path;       /* inside of the hand-in: clean text, with slashes */
    int64_t time;     /* when it was handed in: UNIX seconds */
    struct text text; /* .bytes NULL: it is only a problem */
    char *problem;    /* why it cannot be taken, in a few words; NULL: it can */
};

struct batch_handin {
    struct batch_file *files; /* by path */
    size_t count, room;
    char *passed; /* the first file that is neither source nor archive; NULL: there is none */
};

/* True if a file of this name is read as an archive. LENGTH (may be NULL) gets that of the name without
 * ".zip", ".tar.gz" and the like. */
bool batch_is_archive(const char *name, size_t *length);
/* True if a file of this name is a CUDA source. */
bool batch_is_source(const char *name);

/* True if a file in a hand-in is none of the student's own work, by its path: other parts of the kit, such
 * as solutions/, and hidden files. */
bool batch_is_ignored(const char *path);

/* Reads the hand-in at PATH. It always succeeds: what went wrong are problems. */
void batch_handin_read(const char *path, struct batch_handin *handin);
void batch_handin_free(struct batch_handin *handin);

/* Adds a file, with PATH cleaned; TEXT's bytes belong to the hand-in then. PROBLEM may be NULL. */
void batch_handin_add(struct batch_handin *handin, const char *path, int64_t time, struct text text,
                      const char *problem);

/* Notes that a file at PATH was passed over. */
void batch_handin_pass(struct batch_handin *handin, const char *path);

/* Adds the sources in the archive at PATH, which was handed in at TIME; their paths begin with SHOWN. */
void batch_archive_read(const char *path, const char *shown, int64_t time,
                        struct batch_handin *handin);

/* A name made of bytes that a student chose as valid UTF-8 without control characters, to be freed. Names
 * that differ stay different: a byte that may not be there becomes %XX. */
char *batch_clean_name(const char *name);

/* The time that a name tells, as in "attempt 2026-11-20 18:30:05" or "2026-11-20T18-30-05Z_try"; 0: it
 * tells none. Without Z it is the local time of this machine. */
int64_t batch_time_in_name(const char *name);

#endif
