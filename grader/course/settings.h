/* A file of settings that a human writes: YAML, read so that whatever is wrong with it is told with its
 * line. Nothing of a lab or a course is known here: see course.h.
 *
 *     file --libyaml--> nodes, each with its line --settings_...()--> values, or complaints
 *
 * All complaints are collected: who mends a file wants to see all that is wrong with it. */
#ifndef COURSE_SETTINGS_H
#define COURSE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#define SETTINGS_MOST_COMPLAINTS 20

struct settings {
    const char *path; /* as complaints call it */
    yaml_document_t document;
    char *error; /* lines "PATH:LINE: what is wrong", the last without a newline */
    size_t size, used;
    unsigned complaints;
};

/* Reads the file PATH. False: it could not be read, or is no YAML, and ERROR (SIZE bytes) says why.
 * Either way it ends with settings_close(). PATH and ERROR must outlive SETTINGS. */
bool settings_open(struct settings *settings, const char *path, char *error, size_t size);
void settings_close(struct settings *settings);

/* Adds a complaint about NODE, or, for NULL, about the file as a whole. */
void settings_complain(struct settings *settings, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The topmost node; NULL: the file is empty. */
yaml_node_t *settings_root(struct settings *settings);

/* The value of KEY in the mapping NODE (may be NULL); NULL: there is none. */
yaml_node_t *settings_find(struct settings *settings, const yaml_node_t *node, const char *key);

/* Pair number I of the mapping NODE. False: there is none. A KEY is a scalar; what is not, a key that is
 * there twice, and a NODE that is no mapping ("WHAT must be ...") were complained about by
 * settings_check_keys(), which asks for one of KEYS (the last one NULL), unless KEYS is NULL. */
bool settings_pair(struct settings *settings, const yaml_node_t *node, size_t i, yaml_node_t **key,
                   yaml_node_t **value);
bool settings_check_keys(struct settings *settings, const yaml_node_t *node, const char *what,
                         const char *const *keys);

/* The text of a scalar; NULL (may be given, too): it is none, and there is a complaint. */
const char *settings_text(struct settings *settings, const yaml_node_t *node, const char *what);

/* A number from LEAST to MOST into *NUMBER, which stays as it was where NODE is NULL or wrong. */
bool settings_number(struct settings *settings, const yaml_node_t *node, const char *what,
                     double least, double most, double *number);
bool settings_whole(struct settings *settings, const yaml_node_t *node, const char *what,
                    unsigned least, unsigned most, unsigned *number);

/* A moment: 2026-11-30, which is the end of that day, or 2026-11-30 18:00, with or without +01:00 or Z;
 * without, it is the local time of this machine. In UNIX seconds. */
bool settings_time(struct settings *settings, const yaml_node_t *node, const char *what,
                   int64_t *moment);

/* The one of NAMES (the last one NULL) that WORD may have been meant to be; NULL: none is near. */
const char *settings_nearest(const char *word, const char *const *names);

#endif
