/* lanewise step: writes a page that steps through one block of a launch.
 *
 *   program --record--> findings: which launch and block are interesting?
 *   program --steps---> the block, step by step --report/step_page.c--> one HTML file
 *
 * The first run also records a block. The program runs again, silently, only if its findings are
 * about another block. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/execute.h"
#include "cli/lab_program.h"
#include "cli/step_variables.h"
#include "gpu/finding_kinds.h"
#include "report/step_page.h"

/* A launch is stopped after this many warp instructions, because its kernel may never end. */
#define MOST_INSTRUCTIONS "200000000"
#define MAX_SOURCE        ((size_t)1 << 20)

struct options {
    bool debug;
    const char *output, *lab, *submission, *launch, *block, *from;
    struct cli_lab_program built;
    char *program, **argv; /* the program and its arguments, NULL-terminated */
};

/* The block to record. */
struct target {
    unsigned long long launch, block;
};

/* A recorded block. The file contains a JSON document, and after it a stream of steps
 * (gpu/record/steps.h). */
struct recording {
    json_t *json;
    uint8_t *file;
    size_t size, begin, end; /* size of the file; offsets of the begin and end of the stream */
};

#define complain(...) cli_complain("step", EXIT_USAGE, __VA_ARGS__)

/* --- options ---------------------------------------------------------------------------------- */

static const struct cli_option table[] = {
    {.name = "output",
     .argument = "FILE",
     .kind = CLI_KIND_TEXT,
     .destination = offsetof(struct options, output),
     .help = "where to write the page",
     .letter = 'o'},
    CLI_WHOLE(launch, "launch", "N", 1, ULLONG_MAX,
              "record the program's Nth launch; launches count from 1"),
    CLI_WHOLE(block, "block", "B", 0, ULLONG_MAX,
              "record block B; blocks count from 0, along x first"),
    CLI_WHOLE(from, "from", "N", 0, ULLONG_MAX, "leave out the block's first N warp instructions"),
    CLI_TEXT(lab, "lab", "NAME", "build and run your file of this lab"),
    CLI_TEXT(submission, "submission", "PATH", "with --lab, " CLI_HELP_FILE),
    CLI_FLAG(
        debug, "debug",
        "with --lab, build with nvcc -G: the page names variables, and the code is not optimised"),
    CLI_END};

static const struct cli_syntax syntax = {
    .command = "step",
    .usage =
        "usage: lanewise step -o PAGE.html [OPTIONS] ./program [ARGS...]\n"
        "       lanewise step -o PAGE.html [OPTIONS] --lab NAME [ARGS...]\n"
        "Runs a program on the emulator and writes a page that steps through one block, forward and\n"
        "back: where the lanes of each warp are, their registers, shared and global memory. Any browser\n"
        "opens it, without a network. By default, the page shows the launch and the block of the first\n"
        "finding.\n",
    .options = table,
    .end = "exit code: 0 written, 2 the program could not be run, or the block was not run\n",
    .words = CLI_PROGRAM};

/* Reads the options. Returns the exit code, or -1 if the command should continue. */
static int read_options(int argc, char **argv, struct options *options)
{
    int code = cli_read_options(&syntax, argc, argv, options);
    const struct cli_files files = {{options->output}, {options->submission}};
    if (code >= 0)
        return cli_clear_after_mistake(code, &files);
    if (!cli_clear_outputs("step", &files))
        return EXIT_USAGE;
    options->argv = argv + optind;
    options->program = argv[optind];
    if (!options->output)
        return complain("name the output file: add -o FILE.html");
    if (options->submission && !options->lab)
        return complain("--submission needs the lab, --lab NAME");
    if (options->debug && !options->lab)
        return complain("--debug needs the lab, --lab NAME; build your own program with nvcc -G");
    if (!options->lab && !options->program)
        return complain("give the program as the last argument, or add --lab NAME");
    return -1;
}

/* --- the block with the first finding --------------------------------------------------------- */

/* Finds "of block " in a finding's message, and reads the block's index after it: "3" or "(1,2,0)".
 * Returns the block's number in GRID, or 0 if there is none. */
static unsigned long long block_in(const char *message, const json_t *grid)
{
    const char *at = strstr(message, " of block ");
    unsigned long long index[3] = {0}, size[3] = {1, 1, 1};
    if (!at)
        return 0;
    at += strlen(" of block ");
    for (size_t i = 0; i < 3; i++)
        size[i] = (unsigned long long)json_integer_value(json_array_get(grid, i));
    if (sscanf(at, "(%llu,%llu,%llu)", &index[0], &index[1], &index[2]) < 1)
        sscanf(at, "%llu", &index[0]);
    return index[0] + size[0] * (index[1] + size[1] * index[2]);
}

/* Returns the launch of the first finding's kernel, and the block that the finding names. */
static struct target find_target(const json_t *record)
{
    const json_t *finding, *launch, *findings = json_object_get(record, "findings");
    struct target target = {1, 0};
    size_t i, k;
    json_array_foreach(findings, i, finding)
    {
        json_array_foreach(json_object_get(record, "launches"), k, launch)
        {
            if (strcmp(json_text_of(launch, "kernel"), json_text_of(finding, "kernel")) != 0)
                continue;
            target.launch = k + 1;
            target.block =
                block_in(json_text_of(finding, "message"), json_object_get(launch, "grid"));
            return target;
        }
    }
    return target;
}

static struct target wanted_target(const struct options *options, const json_t *record)
{
    struct target target = record ? find_target(record) : (struct target){1, 0};
    bool is_chosen = options->launch || options->block;
    if (is_chosen || !record)
        target = (struct target){1, 0};
    if (options->launch)
        target.launch = strtoull(options->launch, NULL, 10);
    if (options->block)
        target.block = strtoull(options->block, NULL, 10);
    return target;
}

/* --- runs ------------------------------------------------------------------------------------- */

static bool pass_number(const char *variable, unsigned long long value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", value);
    return setenv(variable, text, 1) == 0;
}

static bool set_environment(const struct options *options, struct target target, int file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    return setenv("LANEWISE_STEPS", path, 1) == 0 &&
           pass_number("LANEWISE_STEPS_LAUNCH", target.launch) &&
           pass_number("LANEWISE_STEPS_BLOCK", target.block) &&
           cli_pass("LANEWISE_STEPS_FROM", options->from) &&
           setenv("LANEWISE_DETERMINISTIC", "1", 1) == 0 &&
           setenv("LANEWISE_TOOLS", CLI_ALL_TOOLS, 0) == 0 &&
           setenv("LANEWISE_WATCH_BUDGET", CLI_WATCH_BUDGET, 0) == 0 &&
           setenv("LANEWISE_MAX_INSTRUCTIONS", MOST_INSTRUCTIONS, 0) == 0;
}

/* Reads the recording in FILE, if there is one. Ignores a second recording, which is written if a
 * kernel launches the same kernel again. */
static void read_recording(int file, struct recording *recording)
{
    struct stat info;
    json_error_t error;
    if (fstat(file, &info) != 0 || info.st_size <= 0)
        return;
    size_t size = (size_t)info.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return;
    *recording = (struct recording){json_loadb(bytes, size, JSON_DISABLE_EOF_CHECK, &error), bytes,
                                    size, size, size};
    json_int_t length = json_integer_of(recording->json, "stream_bytes");
    if (!recording->json || length < 0)
        return;
    recording->begin = (size_t)error.position;
    if ((size_t)length < size - recording->begin)
        recording->end = recording->begin + (size_t)length;
}

static void forget_recording(struct recording *recording)
{
    json_decref(recording->json);
    if (recording->file)
        munmap(recording->file, recording->size);
    *recording = (struct recording){0};
}

/* Runs the program. *RECORD gets its record. RECORDING gets the recording of the block TARGET, or
 * nothing if the block was not executed. */
static bool run(const struct options *options, struct target target, json_t **record,
                struct recording *recording)
{
    char program[PATH_MAX];
    int status, file = memfd_create("steps", MFD_CLOEXEC);
    snprintf(program, sizeof program, "%s%s", strchr(options->program, '/') ? "" : "./",
             options->program);
    bool done = file >= 0 && set_environment(options, target, file);
    if (!done)
        complain("cannot make a file in memory: %s", strerror(errno));
    done = done && cli_execute("step", program, options->argv, &status, record);
    if (done)
        read_recording(file, recording);
    if (file >= 0)
        close(file);
    return done;
}

/* Does the same as run(), but the program gets no input, and its output is not shown. */
static bool run_silently(const struct options *options, struct target target, json_t **record,
                         struct recording *recording)
{
    int kept[3], null = open("/dev/null", O_RDWR | O_CLOEXEC);
    fflush(stdout);
    for (int i = 0; i < 3; i++) {
        kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
        dup2(null, i);
    }
    bool done = run(options, target, record, recording);
    for (int i = 0; i < 3; i++) {
        dup2(kept[i], i);
        close(kept[i]);
    }
    close(null);
    return done;
}

/* --- the page --------------------------------------------------------------------------------- */

/* Returns the source file PATH as {"name", "text"}, or null if it cannot be read. */
static json_t *source_json(const struct options *options, const char *path)
{
    const char *file = cli_is_lab_file(path, &options->built) ? options->built.source : path;
    struct text text;
    char why[200];
    if (!*file || !base_read_file(file, MAX_SOURCE, &text, why, sizeof why))
        return json_null();
    text.size = base_unix_lines(text.bytes, text.size);
    text.bytes[text.size] = 0;
    base_clean_text(text.bytes, text.size);
    json_t *json = json_pack("{ss,ss}", "name", base_shorten_path(file), "text", text.bytes);
    free(text.bytes);
    return json ? json : json_null();
}

static void add_sources(const struct options *options, json_t *steps)
{
    json_t *sources = json_array(), *file;
    size_t i;
    json_array_foreach(json_object_get(steps, "files"), i, file)
        json_array_append_new(sources, source_json(options, json_string_value(file)));
    json_object_set_new(steps, "sources", sources);
}

/* Adds the findings of the recorded kernel, each with the title of its kind. */
static void add_findings(json_t *steps, const json_t *record)
{
    json_t *list = json_array(), *finding;
    size_t i;
    json_array_foreach(json_object_get(record, "findings"), i, finding)
    {
        if (json_integer_of(finding, "line") > 0 &&
            strcmp(json_text_of(finding, "kernel"), json_text_of(steps, "kernel")) == 0) {
            const struct finding_kind *kind = emu_finding_kind(json_text_of(finding, "id"));
            json_object_set_new(finding, "title", json_string(kind ? kind->title : ""));
            json_array_append(list, finding);
        }
    }
    json_object_set_new(steps, "findings", list);
}

/* Writes the page. Writes to memory first, so that the file is never half written. */
static int write_page(const struct options *options, const struct recording *recording)
{
    char *text = NULL, why[200];
    size_t size;
    int code = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return complain("out of memory");
    bool good = report_step_page(memory, recording->json, recording->file + recording->begin,
                                 recording->end - recording->begin, why, sizeof why);
    fclose(memory);
    if (!good)
        code = complain("%s", why);
    else if (!base_write_output(options->output, text, size, 0644))
        code = complain("cannot write %s: %s", options->output, strerror(errno));
    else
        cli_say(stderr, "lanewise: the page was written to %s; open it in a browser",
                options->output);
    free(text);
    return code;
}

/* Says why there is no recording of TARGET. */
static int explain_nothing(const struct options *options, const json_t *record,
                           struct target target)
{
    const json_t *launches = json_object_get(record, "launches");
    size_t count = json_array_size(launches);
    if (!count)
        return complain("no kernel ran");
    if (target.launch > count)
        return complain("there is no launch %llu: the program made %zu", target.launch, count);
    if (options->from)
        return complain("cannot stop there: block %llu of launch %llu does not exist, or it ends "
                        "after at most %s instructions",
                        target.block, target.launch, options->from);
    return complain("launch %llu has no block %llu", target.launch, target.block);
}

static int perform(const struct options *options)
{
    json_t *record = NULL, *unused = NULL;
    struct recording recording = {0};
    struct target first = wanted_target(options, NULL), target = first;
    int code = EXIT_USAGE;
    if (run(options, first, &record, &recording)) {
        target = wanted_target(options, record);
        if (target.launch != first.launch || target.block != first.block) {
            forget_recording(&recording);
            run_silently(options, target, &unused, &recording);
            json_decref(unused);
        }
        json_t *steps = recording.json;
        if (steps && json_number_of(steps, "steps") > 0) {
            if (options->lab)
                cli_name_lab_file(record, &options->built);
            add_sources(options, steps);
            add_findings(steps, record);
            json_object_set_new(steps, "variables", step_variables(options->program, steps));
            code = write_page(options, &recording);
        } else {
            code = explain_nothing(options, record, target);
        }
    }
    forget_recording(&recording);
    json_decref(record);
    return code;
}

/* Builds the lab's program and sets the options to run it. */
static bool choose_lab(struct options *options)
{
    options->built.debug = options->debug;
    if (!cli_build_lab_program("step", options->lab, options->submission, &options->built))
        return false;
    options->argv--; /* the word before ARGV has been read already, so overwrite it */
    options->argv[0] = options->program = options->built.program;
    return true;
}

int cmd_step(int argc, char **argv)
{
    static struct options options; /* static because it is too large for the stack */
    options = (struct options){0};
    int code = read_options(argc, argv, &options);
    if (code < 0)
        code = options.lab && !choose_lab(&options) ? EXIT_USAGE : perform(&options);
    cli_forget_lab_program(&options.built);
    return code;
}
