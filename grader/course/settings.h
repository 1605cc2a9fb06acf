/* Reads a settings file in YAML that a human wrote, and reports every mistake with its line. This
 * module does not know which keys a course file has; course/course.h does.
 *
 *     file --libyaml--> nodes, each with its line --settings_...()--> values, or complaints
 *
 * A complaint is a message about one mistake. All complaints are collected, so that one run shows
 * every mistake. */
#ifndef COURSE_SETTINGS_H
#define COURSE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

#define SETTINGS_MOST_COMPLAINTS 20

struct settings {
    const char *path; /* the file's path as complaints show it */
    yaml_document_t document;
    char *error; /* the complaints, as lines "PATH:LINE: ...", the last without a newline */
    size_t size, used;
    unsigned complaints;
};

/* Reads the file PATH. Returns false if it cannot be read or is not YAML; ERROR (SIZE bytes) says
 * why. Call settings_close() in any case. PATH and ERROR must outlive SETTINGS. */
bool settings_open(struct settings *settings, const char *path, char *error, size_t size);
void settings_close(struct settings *settings);

/* Adds a complaint about NODE or, if NODE is NULL, about the whole file. */
void settings_complain(struct settings *settings, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the top node, or NULL if the file is empty. */
yaml_node_t *settings_root(struct settings *settings);

/* Returns the value of KEY in the mapping NODE, or NULL if there is none. NODE may be NULL. */
yaml_node_t *settings_find(struct settings *settings, const yaml_node_t *node, const char *key);

/* Gets pair number I (from 0) of the mapping NODE. Returns false if NODE has no such pair, or is
 * not a mapping. */
bool settings_pair(struct settings *settings, const yaml_node_t *node, size_t i, yaml_node_t **key,
                   yaml_node_t **value);
/* Checks that NODE is a mapping whose keys are distinct scalars. If KEYS is not NULL, each key must
 * be in KEYS, a NULL-terminated list. Otherwise adds complaints and returns false. Complaints call
 * NODE by the name WHAT. */
bool settings_check_keys(struct settings *settings, const yaml_node_t *node, const char *what,
                         const char *const *keys);

/* Returns the text of the scalar NODE. Returns NULL if NODE is NULL. If NODE is not a scalar, adds
 * a complaint and returns NULL. */
const char *settings_text(struct settings *settings, const yaml_node_t *node, const char *what);

/* Reads a number from LEAST to MOST. If NODE is NULL, returns false and leaves *NUMBER unchanged.
 * If NODE is not such a number, also adds a complaint. */
bool settings_number(struct settings *settings, const yaml_node_t *node, const char *what,
                     double least, double most, double *number);
bool settings_whole(struct settings *settings, const yaml_node_t *node, const char *what,
                    unsigned least, unsigned most, unsigned *number);

/* Reads a date and time, and converts it to UNIX seconds. The forms are 2026-11-30 (the end of that
 * day) and 2026-11-30 18:00, optionally with +01:00 or Z. A time without a zone is in this
 * machine's time zone. */
bool settings_time(struct settings *settings, const yaml_node_t *node, const char *what,
                   int64_t *moment);

#endif
