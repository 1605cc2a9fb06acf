/* lanewise hint: shows one more hint each time. The first hint only gives a direction; the last is
 * almost the answer. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grade/progress.h"
#include "report/result_terminal.h"

struct options {
    const char *lab;
};

static const struct cli_option table[] = {CLI_TEXT(lab, "lab", "NAME", CLI_HELP_LAB), {NULL}};

static const struct cli_syntax syntax = {
    .command = "hint",
    .usage = "usage: lanewise hint --lab NAME\n"
             "Shows one more hint each time. After the last hint, shows all hints again.\n",
    .options = table,
    .word_advice = "name the lab with --lab"};

/* --- hints about unfinished parts ------------------------------------------------------------- */

/* Returns the number after WORD in TEXT, or 0 if there is none. */
static int number_after(const char *text, const char *word)
{
    const char *found = text ? strstr(text, word) : NULL;
    return found ? atoi(found + strlen(word)) : 0;
}

/* The first unfinished part of the lab according to the last grading. */
struct unfinished {
    int todo, rung; /* number of the TODO and of the rung, or 0 if unknown */
};

static struct unfinished find_unfinished(const json_t *declared, const json_t *known)
{
    const json_t *last = json_object_get(known, "last"), *grading;
    const char *device;
    size_t i;
    json_t *check;
    json_object_foreach((json_t *)last, device, grading)
    {
        const json_t *points = json_object_get(grading, "checks");
        json_array_foreach(json_object_get(declared, "checks"), i, check)
        {
            const json_t *earned = json_object_get(points, json_text_of(check, "id"));
            if (json_is_number(earned) &&
                json_number_value(earned) < json_number_of(check, "max_points"))
                return (struct unfinished){number_after(json_text_of(check, "hint"), "TODO "),
                                           number_after(json_text_of(check, "title"), "rung ")};
        }
    }
    return (struct unfinished){0, 0};
}

/* Shortens TEXT, a hint whose parts begin with WORD ("TODO " or "Rung ") and a number. Removes the
 * parts with a number below FIRST, because the student has finished these. */
static void skip_finished(char *text, const char *word, int first)
{
    char *begin = strstr(text, word);
    while (begin && number_after(begin, word) < first) {
        char *end = strstr(begin + 1, word);
        if (!end || begin[strlen(word) + 1] != ':')
            return; /* the last part, or a part about several TODOs or rungs */
        memmove(begin, end, strlen(end) + 1);
    }
}

static void print_hint(const json_t *hints, size_t number, struct unfinished unfinished)
{
    char *text = strdup(json_string_value(json_array_get(hints, number - 1)));
    if (!text)
        return;
    skip_finished(text, "TODO ", unfinished.todo);
    skip_finished(text, "Rung ", unfinished.rung);
    printf("hint %zu of %zu\n", number, json_array_size(hints));
    report_folded(stdout, "  ", text);
    free(text);
}

/* Prints the next hint or, after the last hint, all hints. Returns the number of hints that the
 * student has seen. */
static size_t print_next(const char *lab, const json_t *hints, size_t seen,
                         struct unfinished unfinished)
{
    size_t count = json_array_size(hints);
    if (seen < count) {
        print_hint(hints, seen + 1, unfinished);
        return seen + 1;
    }
    for (size_t i = 1; i <= count; ++i)
        print_hint(hints, i, unfinished);
    printf("no more hints; make diff LAB=%s SPOIL=1 shows the solution\n", lab);
    return count;
}

int cmd_hint(int argc, char **argv)
{
    struct options options = {0};
    char page[PATH_SIZE];
    struct lab lab;
    int code = cli_read_options(&syntax, argc, argv, &options);
    if (code >= 0)
        return code;
    if (!cli_open_lab("hint", options.lab, &lab))
        return EXIT_USAGE;
    json_t *progress = progress_load();
    json_t *known = progress_lab(progress, lab.name);
    const json_t *hints = json_object_get(lab.declared, "hints");
    json_int_t seen = json_integer_of(known, "hints");
    if (seen == 0 && cli_wants_handout(&lab, page))
        printf("%s explains this lab: read it first (make serve shows it as a page)\n", page);
    seen = (json_int_t)print_next(lab.name, hints, seen > 0 ? (size_t)seen : 0,
                                  find_unfinished(lab.declared, known));
    json_object_set_new(known, "hints", json_integer(seen));
    progress_save(progress);
    json_decref(progress);
    labs_close(&lab);
    return EXIT_FULL;
}
