/* Draws the shapes and texts of pictures. CLASS is a class of the style sheet. */
#ifndef REPORT_SVG_SHAPES_H
#define REPORT_SVG_SHAPES_H

#include "report/markup.h"

/* Opens a text element; the caller writes its text and closes it. ANCHOR is "start", "middle" or
 * "end". */
void svg_open_text(struct markup *m, const char *class, const char *anchor, double x, double y);
void svg_put_text(struct markup *m, const char *class, const char *anchor, double x, double y,
                  const char *text);
void svg_put_rect(struct markup *m, const char *class, double x, double y, double width,
                  double height);
void svg_put_line(struct markup *m, const char *class, double x1, double y1, double x2, double y2);

#endif
