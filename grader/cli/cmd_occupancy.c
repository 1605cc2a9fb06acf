/* lanewise occupancy: shows how many blocks and warps of a kernel a multiprocessor holds, for every
 * compute capability. The numbers are those of gpu/limits.def. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"
#include "report/occupancy.h"

#define complain(...) cli_complain("occupancy", EXIT_USAGE, __VA_ARGS__)

struct options {
    const char *threads, *registers, *shared, *capability, *output;
    bool limits;
    bool all;                        /* --cc all */
    const struct emu_limits *chosen; /* chosen by --cc */
    struct emu_demand demand;
};

static const struct cli_option table[] = {
    CLI_WHOLE(threads, "threads", "N", 1, 1024, "threads of a block"),
    CLI_WHOLE(registers, "registers", "N", 0, 255,
              "registers of a thread, as nvcc -Xptxas -v says (default: registers set no limit)"),
    CLI_WHOLE(shared, "shared", "BYTES", 0, INT_MAX,
              "shared memory of a block, static and dynamic (default: 0)"),
    CLI_TEXT(capability, "cc", "M.N", "the compute capability, or all (default: 9.0)"),
    CLI_ROW(output, "output", "FILE.svg", CLI_KIND_TEXT,
            "draw the occupancy over threads, registers and shared memory", .letter = 'o'),
    CLI_FLAG(limits, "limits", "show the table of limits, of one capability or of all"),
    CLI_END};

static const struct cli_syntax syntax = {
    .command = "occupancy",
    .usage =
        "usage: lanewise occupancy --threads N [--registers N] [--shared BYTES] [--cc M.N|all]\n"
        "       lanewise occupancy --threads N [--registers N] [--shared BYTES] -o OUT.svg\n"
        "       lanewise occupancy --limits [--cc M.N|all]\n"
        "Says how many blocks and warps of a kernel fit on a multiprocessor at the same time, which\n"
        "resource limits them, and what to change to fit one more block.\n",
    .options = table,
    .end = "exit code: 0 shown, 2 wrong usage\n",
    .word_advice = "occupancy takes only options"};

static uint32_t number(const char *text)
{
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static int complain_of_capability(const char *text)
{
    char known[400] = "";
    const struct emu_limits *limits;
    for (uint32_t i = 0; (limits = emu_limits_at(i)); i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%u.%u", i ? ", " : "",
                 limits->capability / 10, limits->capability % 10);
    return complain("no compute capability \"%s\"; known are %s", text, known);
}

/* Finds the capability that --cc names. Returns the exit code, or -1 if the command should
 * continue. */
static int choose(struct options *options)
{
    const char *text = options->capability ? options->capability : options->limits ? "all" : "9.0";
    unsigned major, minor;
    int length = 0;
    options->all = strcmp(text, "all") == 0;
    if (options->all)
        return -1;
    if (sscanf(text, "%2u.%1u%n", &major, &minor, &length) == 2 && !text[length])
        options->chosen = emu_limits(major * 10 + minor);
    return options->chosen ? -1 : complain_of_capability(text);
}

static int read_options(int argc, char **argv, struct options *options)
{
    int code = cli_read_options(&syntax, argc, argv, options);
    const struct cli_files files = {{options->output}, {NULL}};
    if (code >= 0)
        return cli_clear_after_mistake(code, &files);
    if (!cli_clear_outputs("occupancy", &files))
        return EXIT_USAGE;
    if ((code = choose(options)) >= 0)
        return code;
    if (options->limits && (options->threads || options->output))
        return complain("--limits shows no kernel; leave out --threads and -o");
    if (!options->limits && !options->threads)
        return complain("give the size of a block, such as --threads 256");
    if (options->output && options->all)
        return complain(
            "a picture shows one compute capability; choose it, for example with --cc 9.0");
    options->demand = (struct emu_demand){number(options->threads), number(options->registers),
                                          number(options->shared)};
    return -1;
}

/* Draws the picture. Draws to memory first, so that the file is never half written. */
static int draw(const struct options *options)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    int code = 0;
    if (!memory)
        return complain("out of memory");
    report_svg_occupancy(memory, options->chosen, &options->demand);
    fclose(memory);
    if (base_write_output(options->output, text, size, 0644))
        cli_say(stderr, "lanewise: the picture was written to %s", options->output);
    else
        code = complain("cannot write %s: %s", options->output, strerror(errno));
    free(text);
    return code;
}

int cmd_occupancy(int argc, char **argv)
{
    struct options options = {0};
    int code = read_options(argc, argv, &options);
    if (code >= 0)
        return code;
    if (options.output)
        return draw(&options);
    if (options.limits && options.all)
        report_limits_all(stdout);
    else if (options.limits)
        report_limits(stdout, options.chosen);
    else if (options.all)
        report_occupancy_all(stdout, &options.demand);
    else
        report_occupancy(stdout, options.chosen, &options.demand);
    return 0;
}
