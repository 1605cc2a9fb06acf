/* Writes the page that steps through a recorded block. The page is one HTML file and needs no
 * network.
 *
 * The scripts and styles are in report/step/ and are built into the program. Texts and data are in
 * elements that browsers do not execute. The content security policy allows only scripts with the
 * right hash. */
#ifndef REPORT_STEP_PAGE_H
#define REPORT_STEP_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STEP_PAGE_BYTES ((size_t)2 << 20) /* the approximate maximum size of a page */

/* Writes the page of a recording: STREAM, of LENGTH bytes, and STEPS, the document of
 * gpu/record/steps.h with these members added:
 *
 *   "sources": for each of "files", {"name", "text"} or null
 *   "findings": the findings of lanewise/run/v1 about the kernel, each with the "title" of its kind
 *   "variables": names of registers and memory (cli/step_variables.h)
 *
 * If the page would be longer than STEP_PAGE_BYTES, the recording is cut, and the page says so.
 * This function changes STEPS. On failure it returns false and writes the reason to ERROR, which
 * has SIZE bytes. */
bool report_step_page(FILE *to, json_t *steps, const uint8_t *stream, size_t length, char *error,
                      size_t size);

#endif
