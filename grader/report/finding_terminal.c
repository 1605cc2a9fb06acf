#include "report/finding_terminal.h"

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

void report_place(FILE *to, const json_t *object, const char *source, size_t length)
{
    const char *cause = json_text_of(object, "cause"), *spare = json_text_of(object, "spare");
    const json_t *share = json_object_get(object, "share");
    char ideal[TEXT_COLUMNS * 2];
    if (source)
        base_print_snippet_line(to, source, length, json_integer_of(object, "line"),
                                json_integer_of(object, "column"), *cause ? cause : NULL);
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
