/* lanewise trace: draws a program's memory accesses as SVG.
 *
 *   program --record--> one line's costliest access, or all counters --report/svg_*.c--> SVG
 *
 * The program inherits lanewise's standard input and standard output. The drawing is made from the
 * program's record. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/execute.h"
#include "cli/lab_program.h"
#include "report/run_totals.h"
#include "report/svg.h"

#define MAX_SOURCE ((size_t)4 << 20)

struct options {
    const char *line, *output, *lab;
    const char *block, *warp, *step;
    bool heat;
    struct cli_lab_program built;
    char *program, **argv; /* the program and its arguments, NULL-terminated */
    char file[PATH_MAX];   /* FILE of --line, or "" if there is none */
    unsigned number;       /* LINE of --line */
};

#define complain(...) cli_complain("trace", EXIT_USAGE, __VA_ARGS__)

/* --- options ---------------------------------------------------------------------------------- */

static const struct cli_option table[] = {
    CLI_TEXT(line, "line", "FILE:LINE", "the source line to draw"),
    CLI_FLAG(heat, "heat", "draw the whole file instead, each line shaded by its cost"),
    {.name = "output",
     .argument = "FILE",
     .kind = CLI_KIND_TEXT,
     .destination = offsetof(struct options, output),
     .help = "where to write the picture",
     .letter = 'o'},
    CLI_WHOLE(block, "block", "B", 0, ULLONG_MAX,
              "draw an access by block B; blocks count from 0, along x first"),
    CLI_WHOLE(warp, "warp", "W", 0, ULLONG_MAX,
              "draw an access by warp W of its block; warps count from 0"),
    CLI_WHOLE(step, "step", "N", 0, ULLONG_MAX,
              "draw a warp's Nth access at this line; accesses count from 1"),
    CLI_TEXT(lab, "lab", "NAME", "build and run your file of this lab"),
    CLI_END};

static const struct cli_syntax syntax = {
    .command = "trace",
    .usage =
        "usage: lanewise trace --line FILE.cu:LINE -o OUT.svg [OPTIONS] ./program [ARGS...]\n"
        "       lanewise trace --line LINE -o OUT.svg [OPTIONS] --lab NAME [ARGS...]\n"
        "       lanewise trace --heat -o OUT.svg ./program [ARGS...]\n"
        "Runs a program on the emulator and draws one access by a warp at that line: which lane touches\n"
        "which sector of global memory, or which bank of shared memory. Unless you choose an access, it\n"
        "draws the most wasteful one.\n",
    .options = table,
    .end = "exit code: 0 drawn, 2 the program could not be run, or there is nothing to draw\n",
    .words = CLI_PROGRAM};

/* Parses the value of --line: FILE:LINE, or only LINE for a lab, which has one file. */
static bool parse_line(struct options *options)
{
    const char *text = options->line, *colon = strrchr(text, ':');
    const char *digits = colon ? colon + 1 : options->lab ? text : "";
    char *end;
    unsigned long number = strtoul(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || !number || number > INT_MAX || colon == text ||
        strlen(text) >= sizeof options->file) {
        complain("--line must be FILE:LINE, such as reduce.cu:31, not \"%s\"", text);
        return false;
    }
    while (strncmp(text, "./", 2) == 0)
        text += 2;
    options->number = (unsigned)number;
    snprintf(options->file, sizeof options->file, "%.*s", colon ? (int)(colon - text) : 0, text);
    return true;
}

/* Reads the options. Returns the exit code, or -1 if the command should continue. */
static int read_options(int argc, char **argv, struct options *options)
{
    int code = cli_read_options(&syntax, argc, argv, options);
    const struct cli_files files = {{options->output}, {NULL}};
    if (code >= 0)
        return cli_clear_after_mistake(code, &files);
    if (!cli_clear_outputs("trace", &files))
        return EXIT_USAGE;
    options->argv = argv + optind;
    options->program = argv[optind];
    if (!options->output)
        return complain("name the output file: add -o FILE.svg");
    if (!options->line == !options->heat)
        return complain("choose the picture: add either --line FILE:LINE or --heat");
    if (!options->lab && !options->program)
        return complain("give the program as the last argument, or add --lab NAME");
    return !options->line || parse_line(options) ? -1 : EXIT_USAGE;
}

/* --- the picture ------------------------------------------------------------------------------ */

/* Returns the text of FILE with unprintable characters replaced. The result's bytes are NULL if
 * FILE cannot be read. */
static struct text read_source(const char *file)
{
    struct text text;
    char why[200];
    if (base_read_file(file, MAX_SOURCE, &text, why, sizeof why)) {
        text.size = base_unix_lines(text.bytes, text.size);
        text.bytes[text.size] = 0;
        base_clean_text(text.bytes, text.size);
    }
    return text;
}

static bool accesses_memory(const struct report_line *line)
{
    const uint64_t *value = line->counters.value;
    return value[EMU_global_load_requests] || value[EMU_global_store_requests] ||
           value[EMU_global_atomic_requests] || value[EMU_global_reduction_requests] ||
           value[EMU_shared_load_requests] || value[EMU_shared_store_requests];
}

/* Prints why there is no access to draw, and lists the lines that access memory. */
static int explain_nothing(const struct options *options, const struct report_totals *totals)
{
    char lines[200] = "";
    if (totals->kernel_count == 0)
        return complain("no kernel ran");
    if (totals->unknown_lines)
        return complain("the program has no line information; build it with nvcc -lineinfo");
    for (size_t i = 0; i < totals->line_count && strlen(lines) < 150; i++)
        if (accesses_memory(&totals->lines[i]))
            sprintf(lines + strlen(lines), "%s%u", *lines ? ", " : "", totals->lines[i].number);
    return complain(
        "line %u made no access to global or shared memory that matches the options%s%s",
        options->number, *lines ? "; these lines did: " : "", lines);
}

static int draw_line(const struct options *options, const json_t *record,
                     const struct report_totals *totals, FILE *to)
{
    const json_t *access = json_array_get(json_object_get(record, "accesses"), 0);
    if (!access)
        return explain_nothing(options, totals);
    const char *file = json_string_value(json_object_get(access, "file"));
    struct text source = read_source(file);
    struct report_picture picture = {
        .id = "access", .file = base_shorten_path(file), .source = source.bytes};
    for (size_t i = 0; i < totals->line_count; i++)
        if (totals->lines[i].number == options->number && strcmp(totals->lines[i].file, file) == 0)
            picture.line = &totals->lines[i].counters;
    report_svg_access(to, access, &picture);
    free(source.bytes);
    return 0;
}

/* Draws the source file that contains the costliest line, among the files that can be read. */
static int draw_heat(const struct options *options, const struct report_totals *totals, FILE *to)
{
    struct text source = {0};
    size_t i = 0;
    for (; i < totals->line_count && !source.bytes; i++)
        source = read_source(totals->lines[i].file);
    if (!source.bytes)
        return totals->line_count ? complain("the source cannot be read")
                                  : explain_nothing(options, totals);
    const char *file = totals->lines[i - 1].file;
    struct report_picture picture = {
        .id = "heat", .file = base_shorten_path(file), .source = source.bytes, .source_file = file};
    report_svg_heat(to, totals, &picture);
    free(source.bytes);
    return 0;
}

/* Draws the picture. Draws to memory first, so that the file is never half written. */
static int draw(const struct options *options, const json_t *record)
{
    struct report_totals totals;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return complain("out of memory");
    report_add_up(record, &totals);
    int code = options->heat ? draw_heat(options, &totals, memory)
                             : draw_line(options, record, &totals, memory);
    fclose(memory);
    if (code == 0 && !base_write_output(options->output, text, size, 0644))
        code = complain("cannot write %s: %s", options->output, strerror(errno));
    if (code == 0)
        cli_say(stderr, "lanewise: the picture was written to %s", options->output);
    report_totals_free(&totals);
    free(text);
    return code;
}

/* Builds the lab's program and sets the options to run it. */
static bool choose_lab(struct options *options)
{
    if (!cli_build_lab_program("trace", options->lab, NULL, &options->built))
        return false;
    options->argv--; /* the word before ARGV has been read already, so overwrite it */
    options->argv[0] = options->program = options->built.program;
    if (!options->file[0])
        snprintf(options->file, sizeof options->file, "%s", strrchr(options->built.own, '/') + 1);
    return true;
}

/* Tells the runtime library which accesses to record. */
static bool choose_accesses(const struct options *options)
{
    char text[PATH_MAX + 16];
    const char *slash = options->lab ? strrchr(options->file, '/') : NULL;
    snprintf(text, sizeof text, "%s:%u", slash ? slash + 1 : options->file, options->number);
    return cli_pass("LANEWISE_TRACE", options->heat ? NULL : text) &&
           cli_pass("LANEWISE_TRACE_BLOCK", options->block) &&
           cli_pass("LANEWISE_TRACE_WARP", options->warp) &&
           cli_pass("LANEWISE_TRACE_STEP", options->step);
}

static int perform(struct options *options)
{
    int status;
    json_t *record;
    if ((options->lab && !choose_lab(options)) || !choose_accesses(options))
        return EXIT_USAGE;
    char program[PATH_MAX];
    snprintf(program, sizeof program, "%s%s", strchr(options->program, '/') ? "" : "./",
             options->program);
    if (!cli_execute("trace", program, options->argv, &status, &record))
        return EXIT_USAGE;
    if (options->lab)
        cli_name_lab_file(record, &options->built);
    int code = draw(options, record);
    json_decref(record);
    return code;
}

int cmd_trace(int argc, char **argv)
{
    static struct options options; /* static because it is too large for the stack */
    options = (struct options){0};
    int code = read_options(argc, argv, &options);
    if (code < 0)
        code = perform(&options);
    cli_forget_lab_program(&options.built);
    return code;
}
