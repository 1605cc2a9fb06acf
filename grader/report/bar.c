#include "report/bar.h"

#include <stdlib.h>
#include <unistd.h>

#define WIDTH 20
#define LINES 20 /* maximum number of lines in a file or a pipe */

/* Writes SECONDS as "2 min 49 s". Leaves out the seconds if there are hours, as in "1 h 12 min". */
static void write_time(char text[32], double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (whole < 60)
        snprintf(text, 32, "%lu s", whole);
    else if (whole < 3600)
        snprintf(text, 32, "%lu min %lu s", whole / 60, whole % 60);
    else
        snprintf(text, 32, "%lu h %lu min", whole / 3600, whole % 3600 / 60);
}

void report_bar_text(char *text, size_t size, size_t done, size_t total, size_t failed,
                     double seconds)
{
    char left[32], review[40] = "";
    if (failed)
        snprintf(review, sizeof review, ", %zu to review", failed);
    if (done == 0 || seconds <= 0) {
        snprintf(text, size, "%zu of %zu%s", done, total, review);
        return;
    }
    double rate = (double)done / seconds;
    write_time(left, (double)(total - done) / rate);
    snprintf(text, size, "%zu of %zu, %.0f per minute%s%s%s", done, total, rate * 60,
             done < total ? ", " : "", done < total ? left : "", done < total ? " left" : "");
    size_t length = 0;
    while (text[length])
        ++length;
    snprintf(text + length, size - length, "%s", review);
}

struct report_bar report_bar_begin(FILE *to, size_t total, double now)
{
    const char *terminal = getenv("TERM");
    return (struct report_bar){.to = to,
                               .terminal = isatty(fileno(to)) && terminal && terminal[0] != 'd',
                               .total = total,
                               .start = now};
}

void report_bar_show(struct report_bar *bar, size_t done, size_t failed, double now)
{
    char text[160];
    size_t step = bar->total ? done * LINES / bar->total : LINES;
    report_bar_text(text, sizeof text, done, bar->total, failed, now - bar->start);
    if (!bar->terminal) {
        if (step > bar->shown)
            fprintf(bar->to, "  %s\n", text);
        bar->shown = step;
        fflush(bar->to);
        return;
    }
    fputs("\r  [", bar->to);
    for (size_t i = 0; i < WIDTH; ++i)
        fputc(i < (bar->total ? done * WIDTH / bar->total : WIDTH) ? '#' : '.', bar->to);
    fprintf(bar->to, "]  %s\033[K", text);
    fflush(bar->to);
    bar->shown = 1;
}

void report_bar_end(struct report_bar *bar)
{
    if (bar->terminal && bar->shown)
        fputc('\n', bar->to);
    fflush(bar->to);
}
