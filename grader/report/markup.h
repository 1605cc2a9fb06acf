/* Writes HTML and SVG, element by element. Text and attributes are cleaned and escaped here and nowhere
 * else, so what a submission wrote stays text whatever it is; tags can only be closed in order.
 *
 *     markup_open(m, "text");  markup_set(m, "x", "%g", 4.5);  markup_text(m, "%s", source);
 *     markup_close(m);                                          <text x="4.5">a &lt; b</text> */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stdbool.h>
#include <stdio.h>

#define MARKUP_DEPTH 32 /* elements that can be open at once */

/* Begins as {.to = file}. */
struct markup {
    FILE *to;
    const char *open[MARKUP_DEPTH];
    unsigned depth;
    bool in_tag; /* attributes can still be set */
};

void markup_open(struct markup *m, const char *element);
/* Sets an attribute of the element that was opened last; it must have nothing in it yet. */
void markup_set(struct markup *m, const char *attribute, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void markup_text(struct markup *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* LENGTH bytes, which need not end with a NUL. */
void markup_bytes(struct markup *m, const char *text, size_t length);
/* What is markup already, or a style sheet: of our own making only. */
void markup_raw(struct markup *m, const char *text);
void markup_close(struct markup *m);
/* Closes what HTML knows as empty, such as meta. */
void markup_close_void(struct markup *m);
/* A newline between elements, for whoever reads the file. */
void markup_break(struct markup *m);
/* An element with nothing but text in it: CLASS may be NULL. */
void markup_leaf(struct markup *m, const char *element, const char *class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
