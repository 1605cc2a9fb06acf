#include "report/finding_terminal.h"

#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/result_terminal.h"

#define MARGIN "       "

static void print_labelled(FILE *to, const char *label, const char *text)
{
    char line[TEXT_COLUMNS * 4];
    if (!*text)
        return;
    snprintf(line, sizeof line, "%s: %s", label, text);
    report_folded(to, MARGIN, line);
}

/* Prints the lines in ALSO whose numbers are from FIRST to LAST. */
static void print_lines(FILE *to, const json_t *also, json_int_t first, json_int_t last)
{
    size_t i;
    json_t *line;
    json_array_foreach(also, i, line)
    {
        json_int_t number = json_integer_of(line, "line");
        if (number >= first && number <= last)
            fprintf(to, "%5lld | %s\n", (long long)number, json_text_of(line, "source"));
    }
}

void report_snippet(FILE *to, const json_t *object, const char *source, size_t length,
                    const char *note)
{
    const json_t *also = json_object_get(object, "also");
    json_int_t line = json_integer_of(object, "line");
    print_lines(to, also, 1, line - 1);
    base_print_snippet_line(to, source, length, (unsigned)line,
                            (unsigned)json_integer_of(object, "column"), note);
    print_lines(to, also, line + 1, INT_MAX);
}

void report_place(FILE *to, const json_t *object, const char *source, size_t length)
{
    const char *cause = json_text_of(object, "cause"), *spare = json_text_of(object, "spare");
    const json_t *share = json_object_get(object, "share");
    char ideal[TEXT_COLUMNS * 2];
    if (source)
        report_snippet(to, object, source, length, *cause ? cause : NULL);
    else
        print_labelled(to, "cause", cause);
    print_labelled(to, "help", json_text_of(object, "help"));
    snprintf(ideal, sizeof ideal, "%s", spare);
    double percent = json_number_value(share);
    if (*spare && share && percent < 1)
        snprintf(ideal, sizeof ideal, "%s; this line accounts for less than 1 %% of the total",
                 spare);
    else if (*spare && share)
        snprintf(ideal, sizeof ideal, "%s; this line accounts for %.0f %% of the total", spare,
                 percent);
    print_labelled(to, "ideal here", ideal);
}
