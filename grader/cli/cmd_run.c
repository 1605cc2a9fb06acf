/* lanewise run: an ordinary CUDA program on the emulator.
 *
 *   lanewise run --environment--> program + our libcudart.so.13 --record file--> report on stderr
 *
 * The program keeps its own input and output: what it prints is as on a GPU, and the exit status is
 * the program's. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/execute.h"
#include "cli/lab_program.h"
#include "gpu/rules.h"
#include "gpu/tools.h"
#include "gpu/virtual_gpu.h"
#include "record/record.h"
#include "report/run_terminal.h"
#include "report/sarif.h"

#define USAGE_ERROR   2
#define DEFAULT_LINES 10

static const char usage[] =
    "usage: lanewise run [OPTIONS] ./program [ARGS...]\n"
    "       lanewise run [OPTIONS] --lab NAME [ARGS...]\n"
    "Runs a CUDA program, built with nvcc -cudart shared -lineinfo, on the emulator and reports what\n"
    "its kernels did. The exit status is the program's; 2 if it could not be run.\n"
    "\n"
    "  --lab NAME            build and run your file of this lab\n"
    "  --json FILE           write the report as JSON (schema lanewise/run/v1), not to the terminal\n"
    "  --sarif FILE          write the findings as SARIF 2.1.0, for editors and code review\n"
    "  --lines N             show N source lines, the worst first (default: the 10 worst that waste\n"
    "                        something)\n"
    "  --all                 show all source lines, and all findings\n"
    "  --deterministic       run blocks in a fixed order: the same counts and bytes every time\n"
    "  --workers N           CPU threads that run blocks (default: one for each core)\n"
    "  --tools LIST          what to look for: memcheck, synccheck (always on), racecheck, initcheck\n"
    "  --rules NAME          whose rules make sectors and conflicts of addresses: sector (today's),\n"
    "                        g80 (compute capability 1.0 and 1.1) or gt200 (1.2 and 1.3)\n"
    "  --max-instructions N  end a launch after N warp instructions\n";

struct options {
    const char *json; /* the file for it, or NULL */
    const char *sarif;
    const char *lab; /* whose program to build and run, or NULL */
    struct cli_lab_program built;
    struct report_run_options report;
    char **argv; /* of the program, NULL-terminated */
    char program[PATH_MAX];
};

__attribute__((format(printf, 1, 2))) static int complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "lanewise run: ");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return USAGE_ERROR;
}

/* --- options ----------------------------------------------------------------------------------------- */

/* Whether TEXT is a whole number from MIN to MAX. */
static bool is_number(const char *text, unsigned long long min, unsigned long long max)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && number >= min && number <= max;
}

/* Hands an option on to the runtime library, through the environment. */
static bool pass_number(const char *option, const char *variable, const char *value,
                        unsigned long long max)
{
    if (!is_number(value, 1, max)) {
        complain("%s %s: a whole number from 1 is wanted here", option, value);
        return false;
    }
    return setenv(variable, value, 1) == 0;
}

static bool pass_tools(const char *list)
{
    unsigned tools;
    if (!emu_find_tools(list, &tools)) {
        complain("--tools %s: a list of these is wanted here: " EMU_TOOL_NAMES, list);
        return false;
    }
    return setenv("LANEWISE_TOOLS", list, 1) == 0;
}

static bool pass_rules(const char *name)
{
    enum emu_rules rules;
    if (!emu_find_rules(name, &rules)) {
        complain("--rules %s: one of these is wanted here: " EMU_RULES_NAMES, name);
        return false;
    }
    return setenv("LANEWISE_RULES", name, 1) == 0;
}

static bool take_lines(struct options *options, const char *value)
{
    if (!is_number(value, 0, UINT_MAX - 1)) {
        complain("--lines %s: a whole number is wanted here", value);
        return false;
    }
    options->report.lines_asked = true;
    options->report.line_limit = strtoul(value, NULL, 10);
    return true;
}

enum {
    OPTION_JSON = 1000,
    OPTION_SARIF,
    OPTION_LAB,
    OPTION_LINES,
    OPTION_ALL,
    OPTION_DETERMINISTIC,
    OPTION_WORKERS,
    OPTION_MAX_INSTRUCTIONS,
    OPTION_TOOLS,
    OPTION_RULES,
    OPTION_HELP
};

static bool take_option(struct options *options, int option)
{
    switch (option) {
    case OPTION_JSON:
        options->json = optarg;
        return true;
    case OPTION_SARIF:
        options->sarif = optarg;
        return true;
    case OPTION_LAB:
        options->lab = optarg;
        return true;
    case OPTION_LINES:
        return take_lines(options, optarg);
    case OPTION_ALL:
        options->report.lines_asked = true;
        options->report.line_limit = REPORT_ALL_LINES;
        return true;
    case OPTION_DETERMINISTIC:
        return setenv("LANEWISE_DETERMINISTIC", "1", 1) == 0;
    case OPTION_WORKERS:
        return pass_number("--workers", "LANEWISE_WORKERS", optarg, 1024);
    case OPTION_MAX_INSTRUCTIONS:
        return pass_number("--max-instructions", "LANEWISE_MAX_INSTRUCTIONS", optarg, ULLONG_MAX);
    case OPTION_TOOLS:
        return pass_tools(optarg);
    case OPTION_RULES:
        return pass_rules(optarg);
    default: /* getopt has said what is wrong */
        fprintf(stderr, "lanewise run --help lists the options\n");
        return false;
    }
}

static bool choose_program(struct options *options, char **argv)
{
    /* Like a compiler's file argument, not like a shell's command: no search through $PATH. */
    int size = snprintf(options->program, sizeof options->program, "%s%s",
                        strchr(argv[0], '/') ? "" : "./", argv[0]);
    options->argv = argv;
    if (size < (int)sizeof options->program)
        return true;
    complain("the program's name is too long");
    return false;
}

/* ARGV[0] is a word that has been read, in the place of the program. */
static bool choose_lab(struct options *options, char **argv)
{
    if (!cli_build_lab_program("run", options->lab, &options->built))
        return false;
    argv[0] = options->built.program;
    return choose_program(options, argv);
}

/* False: EXIT_CODE says with what to end. */
static bool parse(struct options *options, int argc, char **argv, int *exit_code)
{
    static const struct option known[] = {
        {"json", required_argument, NULL, OPTION_JSON},
        {"sarif", required_argument, NULL, OPTION_SARIF},
        {"lab", required_argument, NULL, OPTION_LAB},
        {"lines", required_argument, NULL, OPTION_LINES},
        {"all", no_argument, NULL, OPTION_ALL},
        {"deterministic", no_argument, NULL, OPTION_DETERMINISTIC},
        {"workers", required_argument, NULL, OPTION_WORKERS},
        {"max-instructions", required_argument, NULL, OPTION_MAX_INSTRUCTIONS},
        {"tools", required_argument, NULL, OPTION_TOOLS},
        {"rules", required_argument, NULL, OPTION_RULES},
        {"help", no_argument, NULL, OPTION_HELP},
        {NULL, 0, NULL, 0},
    };
    *exit_code = USAGE_ERROR;
    argv[0] = "lanewise run";
    optind = 0; /* from the start: main has an argv of its own */
    for (int option; (option = getopt_long(argc, argv, "+h", known, NULL)) != -1;) {
        if (option == OPTION_HELP || option == 'h') {
            fputs(usage, stdout);
            *exit_code = 0;
            return false;
        }
        if (!take_option(options, option))
            return false;
    }
    if (optind == argc && !options->lab) {
        fputs(usage, stderr);
        return false;
    }
    return options->lab ? choose_lab(options, argv + optind - 1)
                        : choose_program(options, argv + optind);
}

/* --- reporting ---------------------------------------------------------------------------------------------- */

static json_t *describe_device(void)
{
    char capability[16];
    snprintf(capability, sizeof capability, "%u.%u", RT_ARCH / 10, RT_ARCH % 10);
    const char *deterministic = getenv("LANEWISE_DETERMINISTIC");
    return json_pack("{s:s, s:s, s:s, s:b}", "name", RT_NAME, "kind", "emulator",
                     "compute_capability", capability, "deterministic",
                     deterministic && strcmp(deterministic, "1") == 0);
}

/* TEXT as JSON: what is not UTF-8 cannot be, so its bytes are replaced. */
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

/* The document in its order: what was run first, then what RECORD says. */
static json_t *make_document(const struct options *options, int status, const json_t *record)
{
    json_t *arguments = json_array();
    for (char **argument = options->argv + 1; *argument; argument++)
        json_array_append_new(arguments, json_text(*argument));
    return json_pack(
        "{s:s, s:o, s:o, s:i, s:o, s:O, s:O, s:O}", "schema", RECORD_SCHEMA, "program",
        json_text(options->program), "args", arguments, "exit_status", cli_exit_code(status),
        "device", describe_device(), "launches", json_object_get(record, "launches"), "findings",
        json_object_get(record, "findings"), "calls", json_object_get(record, "calls"));
}

static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

static void print_report(const struct options *options, const json_t *record)
{
    struct report_run_options report = options->report;
    report.colour = wants_colour();
    fflush(stdout);
    if (json_array_size(json_object_get(record, "launches")) == 0)
        fprintf(stderr, "lanewise: no kernel ran\n");
    report_run_terminal(stderr, record, &report);
}

static int report(const struct options *options, int status, json_t *record)
{
    int code = cli_exit_code(status);
    if (options->lab)
        cli_name_lab_file(record, &options->built);
    print_report(options, record);
    json_t *document = options->json ? make_document(options, status, record) : NULL;
    if (options->json &&
        (!document || json_dump_file(document, options->json, JSON_INDENT(2)) != 0))
        code = complain("cannot write %s: %s", options->json, strerror(errno));
    json_decref(document);
    document = options->sarif ? report_sarif(record) : NULL;
    if (options->sarif &&
        (!document || json_dump_file(document, options->sarif, JSON_INDENT(2)) != 0))
        code = complain("cannot write %s: %s", options->sarif, strerror(errno));
    json_decref(document);
    return code;
}

/* Runs what was chosen. Returns the exit code. */
static int perform(const struct options *options)
{
    int status;
    json_t *record;
    if (!cli_execute("run", options->program, options->argv, &status, &record))
        return USAGE_ERROR;
    int code = report(options, status, record);
    json_decref(record);
    return code;
}

int cmd_run(int argc, char **argv)
{
    static struct options options; /* its paths are too large for a stack */
    int code;
    options = (struct options){.report = {.line_limit = DEFAULT_LINES}};
    if (parse(&options, argc, argv, &code))
        code = perform(&options);
    cli_forget_lab_program(&options.built);
    return code;
}
