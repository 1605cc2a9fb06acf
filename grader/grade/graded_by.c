/* Hashes the files that decide a grade. The hash of the kit is computed once per process. */
#include "grade/graded_by.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "sandbox/process.h"

/* SOURCES is a folder with one file for each program of the kit; the file lists the hashes of the
 * program's sources (checks/rules.mk). We do not hash the programs, because they contain the path
 * of their folder. */
#define SOURCES    LANEWISE_BUILD "/sources"
#define MOST_BYTES ((size_t)256 << 20)

/* Adds a file's size and content. The size marks where each file ends: otherwise "ab", "c" and "a",
 * "bc" would have the same hash. */
static void add_file(struct base_hash *hash, const char *path)
{
    struct text text = {0};
    char why[100];
    size_t size = base_read_file(path, MOST_BYTES, &text, why, sizeof why) ? text.size : SIZE_MAX;
    base_hash_add(hash, &size, sizeof size);
    if (text.bytes)
        base_hash_add(hash, text.bytes, text.size);
    free(text.bytes);
}

static bool hash_lab(const struct lab *lab, char hex[HASH_SIZE])
{
    char checks[PATH_SIZE], built[PATH_SIZE];
    struct base_hash *hash = base_hash_new();
    if (!hash || !kit_path(checks, "labs/%s/checks.c", lab->name) ||
        !kit_path(built, SOURCES "/%s", lab->name)) {
        free(hash);
        return false;
    }
    add_file(hash, checks);
    add_file(hash, built);
    add_file(hash, lab->solution);
    compile_add_headers(hash);
    base_hash_end(hash, hex);
    return true;
}

/* Returns the hash of the kit, or "" when out of memory. */
static const char *grader_hash(void)
{
    static char hex[HASH_SIZE];
    char built[PATH_SIZE];
    struct base_hash *hash = hex[0] || !kit_path(built, SOURCES "/grader") ? NULL : base_hash_new();
    if (hash) {
        add_file(hash, built);
        base_hash_end(hash, hex);
    }
    return hex;
}

/* Returns the compiler's build name in the output of `nvcc --version`, or "unknown" if it has
 * none. */
static const char *compiler_version(void)
{
    static char version[100];
    static const char build[] = "\nBuild ";
    const char *argv[] = {compile_compiler(), "--version", NULL};
    struct process_command command = {
        .argv = argv, .wall_seconds = 10, .output_keep = 4096, .output_limit = 4096};
    struct process_outcome outcome;
    if (version[0])
        return version;
    process_run(&command, &outcome);
    const char *line = outcome.output ? strstr(outcome.output, build) : NULL;
    line = line ? line + sizeof build - 1 : "unknown";
    if (outcome.end != PROCESS_INTERRUPTED)
        snprintf(version, sizeof version, "%.*s", (int)strcspn(line, "\n"), line);
    process_outcome_free(&outcome);
    return version;
}

json_t *graded_by_json(const struct lab *lab)
{
    char hex[HASH_SIZE];
    return hash_lab(lab, hex) ? json_pack("{s:s, s:s, s:s}", "lab_sha256", hex, "grader_sha256",
                                          grader_hash(), "compiler", compiler_version())
                              : NULL;
}
