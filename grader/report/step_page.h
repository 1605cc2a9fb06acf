/* Writes the page that steps through a recorded block. It is one HTML file that needs no network.
 *
 * The page's own files are in report/step/ and are built into the program. Texts and data are in
 * blocks that browsers do not execute, and the content security policy allows only the page's own
 * script, by its hash. */
#ifndef REPORT_STEP_PAGE_H
#define REPORT_STEP_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STEP_PAGE_BYTES ((size_t)2 << 20) /* most bytes of a page, approximately */

/* Writes the page of a recording: STREAM, of LENGTH bytes, and STEPS, the document of
 * gpu/record/steps.h with these members added:
 *
 *   "sources": for each of "files", {"name", "text"} or null
 *   "findings": those of lanewise/run/v1 that belong to the kernel
 *   "variables": names of places (cli/step_variables.h)
 *
 * If the page would be longer than STEP_PAGE_BYTES, its end is cut off, and the page says so. STEPS
 * is changed. On failure returns false, and ERROR (SIZE bytes) says what is wrong with STEPS. */
bool report_step_page(FILE *to, json_t *steps, const uint8_t *stream, size_t length, char *error,
                      size_t size);

#endif
