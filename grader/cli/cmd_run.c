/* lanewise run: runs an ordinary CUDA program on the emulator.
 *
 *   lanewise run --environment--> program + our libcudart.so.13 --record file--> report on stderr
 *
 * The program inherits lanewise's standard input and standard output. lanewise exits with the
 * program's exit status. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/execute.h"
#include "cli/lab_program.h"
#include "cli/options.h"
#include "gpu/chips.h"
#include "gpu/limits.h"
#include "gpu/rules.h"
#include "gpu/tools.h"
#include "gpu/virtual_gpu.h"
#include "record/record.h"
#include "report/predicted.h"
#include "report/predicted_html.h"
#include "report/result_json.h"
#include "report/run_terminal.h"
#include "report/sarif.h"

#define DEFAULT_LINES 10

struct options {
    const char *json; /* the JSON file to write, or NULL */
    const char *sarif;
    const char *lab; /* the lab to build and run, or NULL */
    /* the pictures of predicted times to draw; and the SVG file for one of them, or NULL */
    const char *draw, *picture;
    const char *lines, *workers, *tools, *rules, *gpu, *clock, *max_instructions;
    bool all, deterministic, ignores_order;
    struct cli_lab_program built;
    struct report_run_options report;
    char **argv; /* the program's arguments, NULL-terminated */
    char program[PATH_MAX];
};

#define complain(...) cli_complain("run", EXIT_USAGE, __VA_ARGS__)

/* --- options ---------------------------------------------------------------------------------- */

static const struct cli_option table[] = {
    CLI_TEXT(lab, "lab", "NAME", "build and run your file of this lab"),
    CLI_TEXT(json, "json", "FILE", "write the report as JSON too (schema lanewise/run/v1)"),
    CLI_TEXT(sarif, "sarif", "FILE",
             "write the findings as SARIF 2.1.0, for editors and code review"),
    CLI_WHOLE(lines, "lines", "N", 0, UINT_MAX - 1,
              "show the N most wasteful source lines, worst first (default: up to\n"
              "10, and only lines that waste anything)"),
    CLI_FLAG(all, "all", "show all source lines and all findings"),
    CLI_FLAG(deterministic, "deterministic",
             "run blocks in a fixed order, so that every run reports the same"),
    CLI_WHOLE(workers, "workers", "N", 1, 1024,
              "how many CPU threads run blocks (default: one per core)"),
    CLI_TEXT(tools, "tools", "LIST",
             "errors to detect: memcheck, synccheck (both always on), ordercheck,\n"
             "racecheck, initcheck (default: all, the last two for at most about 2 s)"),
    CLI_FLAG(ignores_order, "no-ordercheck", "do not check the order between streams and the host"),
    CLI_TEXT(rules, "rules", "NAME",
             "how to count sectors and conflicts: sector (for current GPUs),\n"
             "g80 (compute capability 1.0 and 1.1) or gt200 (1.2 and 1.3)"),
    CLI_TEXT(gpu, "gpu", "NAME", "predict how long each launch takes on this GPU, such as h200"),
    CLI_TEXT(draw, "draw", "LIST",
             "with --gpu, the pictures to draw: limits, roofline, occupancy, all\n"
             "or none (default: limits)"),
    CLI_TEXT(picture, "picture", "FILE",
             "with --gpu, write FILE.svg with one of the pictures, or a page\n"
             "FILE.html with all of them"),
    CLI_TEXT(clock, "clock", "predicted",
             "with --gpu, let events and the clocks in kernels show predicted\n"
             "time, not the emulator's"),
    CLI_WHOLE(max_instructions, "max-instructions", "N", 1, ULLONG_MAX,
              "stop a launch after N warp instructions"),
    CLI_END};

static const struct cli_syntax syntax = {
    .command = "run",
    .usage =
        "usage: lanewise run [OPTIONS] ./program [ARGS...]\n"
        "       lanewise run [OPTIONS] --lab NAME [-- ARGS...]\n"
        "Runs a CUDA program, built with nvcc -cudart shared -lineinfo, on the emulator and reports\n"
        "what its kernels did. The exit code is the program's, or 2 if it cannot be run.\n",
    .options = table,
    .end = "lanewise run --lab NAME -- -h lists the lab's arguments\n",
    .words = CLI_PROGRAM};

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length > of_end && strcmp(text + length - of_end, end) == 0;
}

/* Checks --draw and --picture. On failure prints the reason and returns false. */
static bool choose_pictures(struct options *options)
{
    const char *draw = options->draw ? options->draw : "limits";
    unsigned *drawn = &options->report.drawn;
    if (!report_find_pictures(draw, drawn))
        complain("unknown pictures \"%s\"; --draw takes a list of limits, roofline and occupancy, "
                 "or all, or none",
                 draw);
    else if ((options->draw || options->picture) && !options->gpu)
        complain("--draw and --picture need a GPU to predict: add --gpu h200");
    else if (options->picture && !ends_in(options->picture, ".svg") &&
             !ends_in(options->picture, ".html"))
        complain("--picture takes a file whose name ends in .svg or .html, not \"%s\"",
                 options->picture);
    else if (options->picture && ends_in(options->picture, ".svg") &&
             __builtin_popcount(*drawn) != 1)
        complain(
            "an SVG holds one picture: choose it with --draw limits, --draw roofline or --draw occupancy");
    else
        return true;
    return false;
}

/* Checks the options and passes them to the runtime library. If an option is wrong, prints the
 * reason and returns false. */
static bool apply_options(struct options *options)
{
    unsigned tools;
    enum emu_rules rules;
    struct emu_chip chip;
    char why[300];
    options->report.lines_asked = options->lines || options->all;
    if (options->lines)
        options->report.line_limit = strtoul(options->lines, NULL, 10);
    if (options->all)
        options->report.line_limit = REPORT_ALL_LINES;
    if (options->tools && !emu_find_tools(options->tools, &tools)) {
        complain("unknown tools \"%s\"; --tools takes a list of " EMU_TOOL_NAMES, options->tools);
        return false;
    }
    if (options->rules && !emu_find_rules(options->rules, &rules)) {
        complain("unknown rules \"%s\"; --rules takes one of " EMU_RULES_NAMES, options->rules);
        return false;
    }
    if (options->gpu && !emu_find_chip(options->gpu, &chip, why, sizeof why)) {
        complain("%s", why);
        return false;
    }
    if (!choose_pictures(options))
        return false;
    if (options->clock && strcmp(options->clock, "predicted") != 0) {
        complain("unknown clock \"%s\"; --clock takes only predicted", options->clock);
        return false;
    }
    if (options->clock && !options->gpu && !getenv("LANEWISE_GPU")) {
        complain("--clock predicted needs the name of a GPU, such as --gpu h200");
        return false;
    }
    bool chosen = options->tools || getenv("LANEWISE_TOOLS");
    return cli_pass("LANEWISE_DETERMINISTIC", options->deterministic ? "1" : NULL) &&
           cli_pass("LANEWISE_WORKERS", options->workers) &&
           cli_pass("LANEWISE_MAX_INSTRUCTIONS", options->max_instructions) &&
           cli_pass("LANEWISE_ORDERCHECK", options->ignores_order ? "0" : NULL) &&
           cli_pass("LANEWISE_TOOLS", chosen ? options->tools : CLI_ALL_TOOLS) &&
           cli_pass("LANEWISE_WATCH_BUDGET", chosen ? "0" : CLI_WATCH_BUDGET) &&
           cli_pass("LANEWISE_RULES", options->rules) && cli_pass("LANEWISE_GPU", options->gpu) &&
           cli_pass("LANEWISE_CLOCK", options->clock);
}

static bool choose_program(struct options *options, char **argv)
{
    /* the program is a path, as for a compiler, so $PATH is not searched */
    int size = snprintf(options->program, sizeof options->program, "%s%s",
                        strchr(argv[0], '/') ? "" : "./", argv[0]);
    options->argv = argv;
    if (size < (int)sizeof options->program)
        return true;
    complain("the program's name is too long");
    return false;
}

/* Builds the lab's program. Overwrites ARGV[0] with the program's name; this element is an option
 * or its value, which has been read already. */
static bool choose_lab(struct options *options, char **argv)
{
    if (!cli_build_lab_program("run", options->lab, NULL, &options->built))
        return false;
    argv[0] = options->built.program;
    return choose_program(options, argv);
}

/* Reads the options. Returns the exit code, or -1 if the command should continue. */
static int read_options(struct options *options, int argc, char **argv)
{
    int code = cli_read_options(&syntax, argc, argv, options);
    const struct cli_files files = {{options->json, options->sarif, options->picture}, {NULL}};
    if (code >= 0)
        return cli_clear_after_mistake(code, &files);
    if (!cli_clear_outputs("run", &files))
        return EXIT_USAGE;
    if (optind == argc && !options->lab) {
        cli_print_help(&syntax, stderr);
        return EXIT_USAGE;
    }
    bool chosen = apply_options(options) && (options->lab ? choose_lab(options, argv + optind - 1)
                                                          : choose_program(options, argv + optind));
    return chosen ? -1 : EXIT_USAGE;
}

/* --- reporting -------------------------------------------------------------------------------- */

static json_t *describe_device(void)
{
    char capability[16];
    snprintf(capability, sizeof capability, "%u.%u", EMU_CAPABILITY / 10, EMU_CAPABILITY % 10);
    const char *deterministic = getenv("LANEWISE_DETERMINISTIC");
    return json_pack("{s:s, s:s, s:s, s:b}", "name", RT_NAME, "kind", "emulator",
                     "compute_capability", capability, "deterministic",
                     deterministic && strcmp(deterministic, "1") == 0);
}

/* Returns TEXT as a JSON string. If TEXT is not UTF-8, every non-ASCII byte becomes '?'. */
static json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    char *copy = value ? NULL : strdup(text);
    for (char *at = copy; at && *at; at++)
        if (*at & 0x80)
            *at = '?';
    if (copy)
        value = json_string(copy);
    free(copy);
    return value;
}

/* Makes the document, which contains the command line and the contents of RECORD. */
static json_t *make_document(const struct options *options, int status, const json_t *record)
{
    json_t *arguments = json_array();
    for (char **argument = options->argv + 1; *argument; argument++)
        json_array_append_new(arguments, json_text(*argument));
    json_t *document = json_pack(
        "{s:s, s:o, s:o, s:i, s:o, s:O, s:O, s:O}", "schema", RECORD_SCHEMA, "program",
        json_text(options->program), "args", arguments, "exit_status", cli_exit_code(status),
        "device", describe_device(), "launches", json_object_get(record, "launches"), "findings",
        json_object_get(record, "findings"), "calls", json_object_get(record, "calls"));
    if (json_object_get(record, "timeline"))
        json_object_set(document, "timeline", json_object_get(record, "timeline"));
    return document;
}

static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

/* Returns whether the member KEY of at least one launch is VALUE. */
static bool has_launch(const json_t *record, const char *key, const char *value)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        if (strcmp(json_text_of(launch, key), value) == 0)
            return true;
    }
    return false;
}

/* Returns whether the member FLAG of at least one launch is true. */
static bool has_flag(const json_t *record, const char *flag)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        if (json_is_true(json_object_get(launch, flag)))
            return true;
    }
    return false;
}

/* If racecheck and initcheck stopped at their default limit, says that they did not check the whole
 * run. */
static void print_watch(const json_t *record)
{
    if (has_launch(record, "watched", "part") || has_launch(record, "watched", "none"))
        fprintf(
            stderr,
            "\nOnly the first part of this run was searched for races and uninitialised reads:\nsearching "
            "all of it would take too long. To search it all, add --tools racecheck,initcheck (with "
            "make:\nWITH=racecheck,initcheck).\n");
}

/* If the program used clocks that do not show predicted time, says which time they measured. */
static void print_clock(const struct options *options, const json_t *record)
{
    bool events = json_object_get(json_object_get(record, "calls"), "cudaEventElapsedTime");
    bool clocks = has_flag(record, "reads_clock");
    if (options->clock || getenv("LANEWISE_CLOCK") || (!events && !clocks))
        return;
    fprintf(
        stderr,
        "\n%s%s%s.\nThese are not times of a GPU. To predict a GPU's times, add --gpu h200 --clock "
        "predicted (with make:\nGPU=h200 CLOCK=predicted).\n",
        events ? "cudaEventElapsedTime() measured the emulator" : "",
        events && clocks ? ", and " : "", clocks ? "clock() in kernels counted instructions" : "");
}

/* If a launch was stopped at the limit of instructions, says how to raise the limit, because a
 * correct kernel may need more. */
static void print_limit(const struct options *options, const json_t *record)
{
    if (options->max_instructions && has_launch(record, "status", "timeout"))
        fprintf(
            stderr,
            "\nA launch is stopped after %s warp instructions. If the kernel is right and simply "
            "has much work,\ngive it less data, or raise the limit with --max-instructions N (with make: "
            "LIMIT=N).\n",
            NUMBER(strtoull(options->max_instructions, NULL, 10)));
}

static void print_report(const struct options *options, const json_t *record)
{
    struct report_run_options report = options->report;
    report.colour = wants_colour();
    fflush(stdout);
    bool lists = options->lab && options->argv[1] && strcmp(options->argv[1], "-h") == 0;
    if (!lists && json_array_size(json_object_get(record, "launches")) == 0)
        fprintf(stderr, "lanewise: no kernel ran\n");
    report_run_terminal(stderr, record, &report);
    print_watch(record);
    print_limit(options, record);
    print_clock(options, record);
}

/* Writes the file of --picture. Writes to memory first, so that the file is never half written. */
static int draw(const struct options *options, const json_t *record)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return complain("out of memory");
    const char *slash = strrchr(options->argv[0], '/');
    bool any = ends_in(options->picture, ".html")
                   ? report_predicted_html(memory, record, slash ? slash + 1 : options->argv[0])
                   : report_predicted_svg(memory, record, options->report.drawn);
    fclose(memory);
    int code = 0;
    if (!any)
        code = complain("there is nothing to draw: no launch has a predicted time");
    else if (!base_write_output(options->picture, text, size, 0644))
        code = complain("cannot write %s: %s", options->picture, strerror(errno));
    else
        cli_say(stderr, "lanewise: the picture was written to %s", options->picture);
    free(text);
    return code;
}

static int report(const struct options *options, int status, json_t *record)
{
    int code = cli_exit_code(status);
    if (options->lab)
        cli_name_lab_file(record, &options->built);
    print_report(options, record);
    json_t *document = options->json ? make_document(options, status, record) : NULL;
    if (options->json && (!document || !report_json_write(document, options->json)))
        code = complain("cannot write %s: %s", options->json, strerror(errno));
    json_decref(document);
    document = options->sarif ? report_sarif(record) : NULL;
    if (options->sarif && (!document || !report_json_write(document, options->sarif)))
        code = complain("cannot write %s: %s", options->sarif, strerror(errno));
    json_decref(document);
    int drawn = options->picture ? draw(options, record) : 0;
    return drawn ? drawn : code;
}

/* Runs the chosen program. Returns the exit code. */
static int perform(const struct options *options)
{
    int status;
    json_t *record;
    if (!cli_execute("run", options->program, options->argv, &status, &record))
        return EXIT_USAGE;
    int code = report(options, status, record);
    json_decref(record);
    return code;
}

int cmd_run(int argc, char **argv)
{
    static struct options options; /* static because it is too large for the stack */
    options = (struct options){.report = {.line_limit = DEFAULT_LINES}};
    int code = read_options(&options, argc, argv);
    if (code < 0)
        code = perform(&options);
    cli_forget_lab_program(&options.built);
    return code;
}
