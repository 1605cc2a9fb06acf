#include "tests/support/shell.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "config.h"
#include "sandbox/process.h"
#include "tests/support/patience.h"

#define BUILD_FOLDER LANEWISE_ROOT "/" LANEWISE_BUILD
#ifndef LANEWISE_PRELOAD /* only builds with sanitizers need a preload */
#define LANEWISE_PRELOAD ""
#endif

static char folder[32];
static double seconds = 100; /* time limit of a script, in seconds */

/* A secret that is the same on every machine, so that golden files can show values. */
static void secret_path(char *path, size_t size)
{
    snprintf(path, size, "%s/.secret.key", folder);
}

void shell_init(void)
{
    char path[80];
    strcpy(folder, "/tmp/lanewise-test-XXXXXX");
    cr_assert(mkdtemp(folder), "cannot make a temporary folder");
    secret_path(path, sizeof path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    cr_assert(fd >= 0 && dprintf(fd, "%064d\n", 0) == 65 && close(fd) == 0,
              "cannot write the secret");
}

void shell_fini(void)
{
    base_remove_tree(folder);
}

const char *shell_folder(void)
{
    return folder;
}

static char *run(int *code, const char *script)
{
    char labs[80], secret[100] = "LANEWISE_SECRET=";
    secret_path(secret + strlen(secret), sizeof secret - strlen(secret));
    snprintf(labs, sizeof labs, "LANEWISE_LABS=%s/labs", folder);
    const char *const argv[] = {
        "/usr/bin/env",
        "-u",
        "MAKEFLAGS",
        "-u",
        "MAKELEVEL",
        "-u",
        "BXFI_MAP",
        "-u",
        "NO_COLOR",
        "LANEWISE=" BUILD_FOLDER "/lanewise",
        labs,
        secret,
        "PROGRAMS=" LANEWISE_ROOT "/build/tests/programs",
        "TESTS=" LANEWISE_ROOT "/grader/tests",
        "LIB=" BUILD_FOLDER "/lib",
        "NVCC=" LANEWISE_NVCC,
        "PRELOAD=" LANEWISE_PRELOAD,
        "ASAN_OPTIONS=handle_segv=0", /* a crash must end the process by its signal */
        "/bin/bash",
        "-c",
        script,
        NULL};
    struct process_command command = {
        .argv = argv,
        .environment = (const char *const *)environ,
        .folder = folder,
        .wall_seconds = PATIENCE * seconds,
        .output_keep = 1 << 22,
        .output_limit = 1 << 24,
    };
    struct process_outcome outcome;
    process_run(&command, &outcome);
    cr_assert(outcome.end == PROCESS_EXITED || outcome.end == PROCESS_SIGNALLED,
              "%s: the script did not end in time: %s", script, outcome.output);
    *code = outcome.end == PROCESS_EXITED ? outcome.code : 128 + outcome.code;
    char *output = strdup(outcome.output);
    process_outcome_free(&outcome);
    return output;
}

static char *run_formatted(int *code, const char *script, va_list args)
{
    char *text;
    cr_assert(vasprintf(&text, script, args) >= 0);
    char *output = run(code, text);
    free(text);
    return output;
}

void shell_patience(double wall_seconds)
{
    seconds = wall_seconds;
}

char *shell(int *code, const char *script, ...)
{
    va_list args;
    va_start(args, script);
    char *output = run_formatted(code, script, args);
    va_end(args);
    return output;
}

char *shell_must(const char *script, ...)
{
    int code;
    va_list args;
    va_start(args, script);
    char *output = run_formatted(&code, script, args);
    va_end(args);
    cr_assert_eq(code, 0, "%s: exit status %d: %s", script, code, output);
    return output;
}

char *shell_file(const char *name, size_t *size)
{
    char path[400];
    bool absolute = *name == '/';
    snprintf(path, sizeof path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", name);
    FILE *file = fopen(path, "r");
    cr_assert(file && fseek(file, 0, SEEK_END) == 0, "cannot read %s", path);
    size_t length = ftell(file);
    char *bytes = malloc(length + 1);
    rewind(file);
    cr_assert_eq(fread(bytes, 1, length, file), length, "cannot read %s", path);
    fclose(file);
    bytes[length] = '\0';
    if (size)
        *size = length;
    return bytes;
}

char *shell_source(const char *name)
{
    char *path = shell_must(
        "find $TESTS -path $TESTS/advice -prune -o -name '%s' -print | tr -d '\\n'", name);
    char *bytes = shell_file(path, NULL);
    free(path);
    return bytes;
}
