/* lanewise hint: shows one more hint each time. The first is a nudge, the last almost the
 * answer. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <stdio.h>
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

static void print_hint(const json_t *hints, size_t number)
{
    printf("hint %zu of %zu\n", number, json_array_size(hints));
    report_folded(stdout, "  ", json_string_value(json_array_get(hints, number - 1)));
}

/* Prints the next hint or, after the last one, all hints. Returns the number of hints that the
 * student has seen. */
static size_t print_next(const char *lab, const json_t *hints, size_t seen)
{
    size_t count = json_array_size(hints);
    if (seen < count) {
        print_hint(hints, seen + 1);
        return seen + 1;
    }
    for (size_t i = 1; i <= count; ++i)
        print_hint(hints, i);
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
    seen = (json_int_t)print_next(lab.name, hints, seen > 0 ? (size_t)seen : 0);
    json_object_set_new(known, "hints", json_integer(seen));
    progress_save(progress);
    json_decref(progress);
    labs_close(&lab);
    return EXIT_FULL;
}
