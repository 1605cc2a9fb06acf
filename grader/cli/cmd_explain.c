/* lanewise explain: explains the kind of finding with the given id, and shows an example program.
 * Without an id, lists all ids. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kit.h"
#include "base/nearest.h"
#include "gpu/finding_kinds.h"
#include "report/result_terminal.h"

#define complain(...) cli_complain("explain", EXIT_USAGE, __VA_ARGS__)
#define MAX_EXAMPLE   ((size_t)64 << 10)

static const struct cli_syntax syntax = {
    .command = "explain",
    .usage =
        "usage: lanewise explain [ID]\n"
        "Explains a finding, such as bank-conflict, with a small example. Without ID, lists all ids.\n",
    .words = 1,
    .word_advice = "explain takes one id"};

static void list_kinds(void)
{
    const char *tool = "";
    for (size_t i = 0; i < emu_finding_kind_count; i++) {
        const struct finding_kind *kind = &emu_finding_kinds[i];
        if (strcmp(kind->tool, tool) != 0)
            printf("%s%s\n", i ? "\n" : "", kind->tool);
        tool = kind->tool;
        printf("  %-19s %s\n", kind->id, kind->title);
    }
    printf("\nlanewise explain ID explains a finding\n");
}

/* Prints the example for finding ID. If it cannot be read, prints the reason and returns false. */
static bool print_example(const char *id)
{
    char path[PATH_SIZE], why[200];
    struct text text;
    if (!kit_path(path, "grader/report/examples/%s.cu", id) ||
        !base_read_file(path, MAX_EXAMPLE, &text, why, sizeof why)) {
        complain("the example %s %s", path, why);
        return false;
    }
    printf("\nExample: wrong() causes this finding; right() avoids it.\n\n%s", text.bytes);
    free(text.bytes);
    return true;
}

static int explain(const struct finding_kind *kind)
{
    printf("%s (%s): %s\n\n", kind->id, kind->severity, kind->title);
    report_folded(stdout, "", kind->text);
    fputs("\nTry:\n", stdout);
    report_folded(stdout, "  ", kind->help);
    return !kind->has_example || print_example(kind->id) ? 0 : EXIT_USAGE;
}

static int complain_of(const char *id)
{
    const char *names[100];
    size_t count = 0;
    for (; count < emu_finding_kind_count && count < sizeof names / sizeof *names; ++count)
        names[count] = emu_finding_kinds[count].id;
    const char *meant = base_nearest(id, names, count);
    return meant ? complain("unknown finding \"%s\"; did you mean %s?", id, meant)
                 : complain("unknown finding \"%s\"; lanewise explain lists all findings", id);
}

int cmd_explain(int argc, char **argv)
{
    int code = cli_read_options(&syntax, argc, argv, NULL);
    if (code >= 0)
        return code;
    if (optind == argc) {
        list_kinds();
        return 0;
    }
    const struct finding_kind *kind = emu_finding_kind(argv[optind]);
    return kind ? explain(kind) : complain_of(argv[optind]);
}
