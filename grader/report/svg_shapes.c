#include "report/svg_shapes.h"

void svg_open_text(struct markup *m, const char *class, const char *anchor, double x, double y)
{
    markup_open(m, "text");
    markup_set(m, "class", "%s", class);
    markup_set(m, "text-anchor", "%s", anchor);
    markup_set(m, "x", "%.1f", x);
    markup_set(m, "y", "%.1f", y);
}

void svg_put_text(struct markup *m, const char *class, const char *anchor, double x, double y,
                  const char *text)
{
    svg_open_text(m, class, anchor, x, y);
    markup_text(m, "%s", text);
    markup_close(m);
}

void svg_put_rect(struct markup *m, const char *class, double x, double y, double width,
                  double height)
{
    markup_open(m, "rect");
    markup_set(m, "class", "%s", class);
    markup_set(m, "x", "%.1f", x);
    markup_set(m, "y", "%.1f", y);
    markup_set(m, "width", "%.1f", width);
    markup_set(m, "height", "%.1f", height);
    markup_close(m);
}

void svg_put_line(struct markup *m, const char *class, double x1, double y1, double x2, double y2)
{
    markup_open(m, "line");
    markup_set(m, "class", "%s", class);
    markup_set(m, "x1", "%.1f", x1);
    markup_set(m, "y1", "%.1f", y1);
    markup_set(m, "x2", "%.1f", x2);
    markup_set(m, "y2", "%.1f", y2);
    markup_close(m);
}
