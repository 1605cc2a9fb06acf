/* Writes HTML and SVG, element by element. All text and attributes are cleaned and escaped, so that
 * text from a submission cannot become markup. markup_close() closes the innermost open element.
 *
 *     markup_open(m, "text");  markup_set(m, "x", "%g", 4.5);  markup_text(m, "%s", source);
 *     markup_close(m);                                          <text x="4.5">a &lt; b</text> */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stdbool.h>
#include <stdio.h>

#define MARKUP_DEPTH 32 /* maximum number of elements that are open at the same time */

/* Starts as {.to = file}. */
struct markup {
    FILE *to;
    const char *open[MARKUP_DEPTH];
    unsigned depth;
    bool in_tag; /* the last start tag is still open, so attributes can be added */
};

void markup_open(struct markup *m, const char *element);
void markup_open_classed(struct markup *m, const char *element, const char *class);
/* Adds an attribute to the element just opened, before it has any content. */
void markup_set(struct markup *m, const char *attribute, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void markup_text(struct markup *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes LENGTH bytes of TEXT, which need not end with a NUL. */
void markup_bytes(struct markup *m, const char *text, size_t length);
/* Writes TEXT without escaping it. TEXT must be our own markup or style sheet. */
void markup_raw(struct markup *m, const char *text);
void markup_close(struct markup *m);
/* Closes the innermost element and writes a newline. */
void markup_close_line(struct markup *m);
/* Closes an element that has no content in HTML, such as meta. */
void markup_close_void(struct markup *m);
/* Writes a newline between elements, to keep the file readable. */
void markup_break(struct markup *m);
/* Writes an element that contains only text. CLASS may be NULL. */
void markup_leaf(struct markup *m, const char *element, const char *class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
