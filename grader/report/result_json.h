/* Writes results as JSON. The documents are described in RESULTS.md, beside this file. */
#ifndef REPORT_RESULT_JSON_H
#define REPORT_RESULT_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Several results (an array of lanewise/result/v1) as one document, lanewise/results/v1. A new
 * object; NULL when out of memory. */
json_t *report_result_set(const json_t *results, double seconds);

/* Can a file be written at PATH? Asked before the work that fills it. False: errno says why. */
bool report_json_writable(const char *path);

/* Replaces PATH by DOCUMENT, all at once. False: errno says why. */
bool report_json_write(const json_t *document, const char *path);

#endif
