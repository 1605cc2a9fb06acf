/* The files of this folder that read a record: record.c reads the file line by line, launches.c and
 * findings.c read the longest kinds of lines, and copy.c copies single values. */
#ifndef RECORD_PARTS_H
#define RECORD_PARTS_H

#include <stdbool.h>

#include "record/record.h"

#define MAX_NAME    1024        /* a longer name of a kernel or file is cut to this many bytes */
#define MAX_MESSAGE 1024        /* a longer message is cut to this many bytes */
#define MAX_OFFSET  (1ll << 48) /* maximum distance in bytes between two lanes' addresses */

/* --- copy.c: values, checked and copied to the document --------------------------------------- */

/* Values get into the document only by these functions. They return false if OBJECT has no member
 * NAME, or if it has the wrong type or range. */

/* Copies OBJECT's string NAME to INTO, as one printable line of at most MAX bytes. */
bool copy_text(json_t *into, const json_t *object, const char *name, size_t max);
bool copy_number(json_t *into, const json_t *object, const char *name, json_int_t max);
bool copy_real(json_t *into, const json_t *object, const char *name);
/* Copies OBJECT's line or column NAME to INTO. After a #line directive, a line can be any number; a
 * number that is too large is stored as 0, which means unknown. */
bool copy_place(json_t *into, const json_t *object, const char *name);
/* Copies an array of three numbers. */
bool copy_triple(json_t *into, const json_t *object, const char *name);
/* Copies OBJECT's counters to INTO, in their fixed order. If ALL is true, fails if a counter is
 * missing that every launch must have. */
bool copy_counters(json_t *into, const json_t *object, bool all);
/* Returns whether VALUE is a whole number from 0 to MAX, and stores it in NUMBER. */
bool copy_is_number(const json_t *value, json_int_t max, json_int_t *number);

/* --- launches.c, findings.c: elements of the document ----------------------------------------- */

bool record_add_launch(json_t *launches, const json_t *from);
/* Adds a work item of a stream. */
bool record_add_work(json_t *list, const json_t *from);
bool record_copy_timeline(json_t *document, const json_t *from, json_t *work);
/* Adds a finding, or adds its counts to an equal finding. KNOWN has the findings by their keys. */
bool record_add_finding(json_t *findings, json_t *known, const json_t *from);

#endif
