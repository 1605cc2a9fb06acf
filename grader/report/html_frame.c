/* Writes the beginning and the end of each HTML page. The style sheet, report.css, is built into
 * the program. */
#include "report/html.h"

#include "report/svg.h"

/* Embeds the content of report.css, with a NUL after it, in the program. */
__asm__(".section .rodata\n"
        "report_css: .incbin \"grader/report/report.css\"\n"
        ".byte 0\n"
        ".text\n");
extern const char report_css[] __attribute__((visibility("hidden")));

void report_html_begin(struct markup *m, const char *title)
{
    markup_raw(m, "<!doctype html>\n");
    markup_open(m, "html");
    markup_set(m, "lang", "en");
    markup_break(m);
    markup_open(m, "head");
    markup_break(m);
    markup_raw(
        m,
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n");
    markup_leaf(m, "title", NULL, "%s", title);
    markup_break(m);
    markup_open(m, "style");
    markup_raw(m, report_css);
    markup_raw(m, report_svg_style);
    markup_close_line(m);
    markup_close_line(m);
    markup_open(m, "body");
    markup_break(m);
}

const char *report_html_style(void)
{
    return report_css;
}

void report_html_end(struct markup *m)
{
    for (int i = 0; i < 2; i++)
        markup_close_line(m);
}
