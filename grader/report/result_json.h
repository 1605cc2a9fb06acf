/* Writes results as JSON. RESULTS.md describes the documents. */
#ifndef REPORT_RESULT_JSON_H
#define REPORT_RESULT_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Returns a new lanewise/results/v1 of RESULTS, an array of lanewise/result/v1. Returns NULL when
 * out of memory. */
json_t *report_result_set(const json_t *results, double seconds);

/* Returns true if a file can be written at PATH. Callers test this before they start long work. On
 * failure returns false with the reason in errno. */
bool report_json_writable(const char *path);

/* Replaces the file PATH with DOCUMENT atomically. On failure returns false with the reason in
 * errno. */
bool report_json_write(const json_t *document, const char *path);

#endif
