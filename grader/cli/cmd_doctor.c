/* lanewise doctor: checks this machine. Prints a row for each tool and library, with what was found
 * and what to do.
 *
 * For each row, a small function runs a command with --version or opens a library. The command
 * installs and changes nothing. The exit code is 2 if something that grading needs is missing. */
#include "cli/cli.h"
#include "cli/options.h"

#include "base/kit.h"
#include "compile/build.h"
#include "config.h"
#include "grade/installed_gpu.h"
#include "sandbox/process.h"
#include "sandbox/sandbox.h"

#include <dlfcn.h>
#include <glob.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOUND_SIZE = 120, TO_DO_SIZE = 300, OUTPUT_SIZE = 4096 };

struct finding {
    bool good;
    char found[FOUND_SIZE]; /* what was found: "gcc 12.2.0" */
    char to_do[TO_DO_SIZE]; /* what to do, or "" if there is nothing to do */
};

static void print_to(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void print_to(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}

#define FOUND(finding, ...) print_to((finding)->found, FOUND_SIZE, __VA_ARGS__)
#define TO_DO(finding, ...) print_to((finding)->to_do, TO_DO_SIZE, __VA_ARGS__)

/* --- running commands ------------------------------------------------------------------------- */

/* Runs a command from the PATH and stores the output. Returns true if the exit code is 0. */
static bool run_command(const char *name, const char *argument, char output[OUTPUT_SIZE])
{
    const char *argv[] = {"/bin/sh", "-c", "exec \"$0\" \"$1\"", name, argument, NULL};
    struct process_command command = {
        .argv = argv,
        .environment = (const char *const *)environ,
        .wall_seconds = 10,
        .output_keep = OUTPUT_SIZE - 1,
        .output_limit = 1 << 20,
    };
    struct process_outcome outcome;
    process_run(&command, &outcome);
    print_to(output, OUTPUT_SIZE, "%s", outcome.output ? outcome.output : "");
    process_outcome_free(&outcome);
    return outcome.end == PROCESS_EXITED && outcome.code == 0;
}

/* Returns the first version number in TEXT, or "" if there is none. Cuts TEXT off after the
 * number. */
static const char *find_version(char *text)
{
    for (char *at = text; *at; at++) {
        size_t length = strspn(at, "0123456789.");
        if (memchr(at, '.', length) && *at != '.') {
            at[length] = '\0';
            return at;
        }
        at += length ? length - 1 : 0;
    }
    return "";
}

/* Sets FINDING's text to "NAME VERSION" if `COMMAND --version` runs. */
static bool find_command(struct finding *finding, const char *name, const char *command)
{
    char output[OUTPUT_SIZE];
    finding->good = run_command(command, "--version", output);
    if (finding->good)
        FOUND(finding, "%s %s", name, find_version(output));
    return finding->good;
}

/* --- the rows --------------------------------------------------------------------------------- */

#define SET_UP "run: make setup"

static void check_c(struct finding *finding)
{
    /* a package from `make dist` has its own tools, and needs no build */
    finding->good = kit_tools();
    if (finding->good)
        FOUND(finding, "not needed: Lanewise is built");
    else if (!find_command(finding, "gcc", "gcc"))
        TO_DO(finding, SET_UP);
}

static void check_cxx(struct finding *finding)
{
    char own[PATH_SIZE] = "g++";
    if (kit_tools())
        base_path(own, "%s/bin/g++", kit_tools());
    if (!find_command(finding, "g++", own))
        TO_DO(finding, "nvcc needs it; " SET_UP);
}

static void check_nvcc(struct finding *finding)
{
    const char *nvcc = getenv("NVCC"); /* the same variable as in compile/build.c */
    char output[OUTPUT_SIZE];
    if (!nvcc || !nvcc[0])
        nvcc = kit_nvcc();
    finding->good = run_command(nvcc, "--version", output);
    char *release = strstr(output, ", V");
    const char *version = finding->good && release ? find_version(release) : NULL;
    if (version && strncmp(version, COMPILE_RELEASE, strlen(COMPILE_RELEASE)) != 0) {
        finding->good = false;
        TO_DO(finding, "$NVCC, %s, is from CUDA %s; grading needs CUDA 13", nvcc, version);
    } else if (version) {
        FOUND(finding, "%s, %s", version, nvcc);
    } else {
        TO_DO(finding, "%s does not run; " SET_UP, nvcc);
    }
}

static void check_runtime(struct finding *finding)
{
    char path[PATH_SIZE];
    finding->good =
        kit_path(path, "%s/lib/libcudart.so.13", LANEWISE_BUILD) && access(path, R_OK) == 0;
    if (finding->good)
        FOUND(finding, "%s", LANEWISE_BUILD "/lib/libcudart.so.13");
    else
        TO_DO(finding, "run: make lanewise");
}

static void check_checks(struct finding *finding)
{
    glob_t labs;
    char pattern[PATH_SIZE];
    kit_path(pattern, "%s/checks/[0-9][0-9]-*", LANEWISE_BUILD);
    glob(pattern, 0, NULL, &labs);
    for (size_t i = 0; i < labs.gl_pathc; i++)
        if (access(labs.gl_pathv[i], X_OK) == 0) {
            size_t length = strlen(finding->found);
            print_to(finding->found + length, FOUND_SIZE - length, "%s%s", length ? " " : "",
                     strrchr(labs.gl_pathv[i], '/') + 1);
            finding->good = true;
        }
    globfree(&labs);
    if (!finding->good)
        TO_DO(finding, "run: make lanewise");
}

static void check_criterion(struct finding *finding)
{
    finding->good = dlopen("libcriterion.so.3", RTLD_LAZY | RTLD_LOCAL) != NULL;
    if (finding->good)
        FOUND(finding, "%s",
              /* the version at the time of `make setup`, because Criterion does not report its
               * version */
              LANEWISE_CRITERION);
    else
        TO_DO(finding, SET_UP);
}

/* Appends "NAME VERSION" for a library whose FUNCTION returns its version as text. */
static bool find_library(struct finding *finding, const char *name, const char *file,
                         const char *function)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    const char *(*version)(void) = NULL;
    if (library)
        *(void **)&version = dlsym(library, function);
    if (!version)
        return false;
    size_t length = strlen(finding->found);
    print_to(finding->found + length, FOUND_SIZE - length, ", %s %s", name, version());
    return true;
}

static void check_libraries(struct finding *finding)
{
    FOUND(finding, "jansson %s", jansson_version_str());
    bool lz4 = find_library(finding, "lz4", "liblz4.so.1", "LZ4_versionString");
    bool zstd = find_library(finding, "zstd", "libzstd.so.1", "ZSTD_versionString");
    finding->good = lz4 && zstd;
    if (!finding->good)
        TO_DO(finding, SET_UP);
}

static void check_gpu(struct finding *finding)
{
    char name[FOUND_SIZE - 10];
    finding->good = installed_gpu_find(name, sizeof name);
    FOUND(finding, finding->good ? "%s" : "none: %s", name);
    if (!finding->good)
        TO_DO(finding, "nothing: labs run on the emulator");
}

static void check_pandoc(struct finding *finding)
{
    if (!find_command(finding, "pandoc", "pandoc"))
        TO_DO(finding, "needed only to make handouts: grader/setup.sh handouts");
}

static void check_sandbox(struct finding *finding)
{
    char why[300];
    enum sandbox_level level = sandbox_best_level(why, sizeof why);
    finding->good = level > SANDBOX_NONE;
    FOUND(finding, "%s: %s", sandbox_level_name(level), sandbox_level_protects(level));
    TO_DO(finding, "%s", why);
}

static const struct row {
    const char *name;
    void (*check)(struct finding *finding);
    bool needed; /* grading on the emulator needs this tool */
} rows[] = {
    /* clang-format off */
    {"C compiler", check_c, true},
    {"C++ compiler", check_cxx, true},
    {"nvcc", check_nvcc, true},
    {"CUDA runtime", check_runtime, true},
    {"labs' checks", check_checks, true},
    {"Criterion", check_criterion, true},
    {"libraries", check_libraries, true},
    {"GPU", check_gpu, false},
    {"pandoc", check_pandoc, false},
    {"sandbox", check_sandbox, false},
    /* clang-format on */
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/* --- the table -------------------------------------------------------------------------------- */

static void print_row(int width, const char *check, const char *found, const char *to_do)
{
    printf("%-13s  %-*s  %s\n", check, width, found, to_do);
}

static const struct cli_syntax syntax = {
    .command = "doctor",
    .usage = "usage: lanewise doctor\n"
             "Shows what this machine has, and what to do about what is missing.\n"
             "exit code: 0 labs can be graded, 2 they cannot\n",
    .word_advice = "doctor takes no arguments"};

int cmd_doctor(int argc, char **argv)
{
    int code = cli_read_options(&syntax, argc, argv, NULL);
    if (code >= 0)
        return code;
    struct finding findings[ROW_COUNT] = {0};
    int width = 0, missing = 0;
    for (int i = 0; i < ROW_COUNT; i++) {
        rows[i].check(&findings[i]);
        if (!findings[i].good && !findings[i].found[0])
            FOUND(&findings[i], "none");
        if (!findings[i].to_do[0])
            TO_DO(&findings[i], "-");
        int length = (int)strlen(findings[i].found);
        width = length > width ? length : width;
        missing += rows[i].needed && !findings[i].good;
    }
    print_row(width, "check", "found", "what to do");
    for (int i = 0; i < ROW_COUNT; i++)
        print_row(width, rows[i].name, findings[i].found, findings[i].to_do);
    printf(missing ? "\nLabs cannot be graded on this machine yet. Missing requirements: %d.\n"
                   : "\nLabs can be graded on this machine.\n",
           missing);
    return missing ? 2 : 0;
}
