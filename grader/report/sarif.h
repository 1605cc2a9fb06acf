/* Converts findings to SARIF 2.1.0, which editors and code review tools read. */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include <jansson.h>

/* Returns a new SARIF log of the findings in DOCUMENT: lanewise/run/v1, result/v1 or results/v1.
 * The log's rules are the kinds of findings that occur. Returns NULL when out of memory. */
json_t *report_sarif(const json_t *document);

#endif
