/* lanewise new-lab: makes the files of a new lab from the templates in grader/cli/new-lab/.
 *
 * The new lab compiles, can be graded, and passes `lanewise lab-check`, except for the parts that
 * the author must still write. "WRITE: " marks these parts, and lab-check lists them. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kit.h"

#define complain(...) cli_complain("new-lab", EXIT_USAGE, __VA_ARGS__)

static const struct cli_syntax syntax = {
    .command = "new-lab",
    .usage = "usage: lanewise new-lab NN-name, such as 07-histogram\n"
             "Makes labs/NN-name, solutions/NN-name, a mutant and a handout.\n"
             "`lanewise lab-check --lab NN-name` then lists what is left to write.\n",
    .words = 1,
    .word_advice = "new-lab takes one name"};

/* The names that replace the placeholders in the templates. */
struct names {
    const char *lab; /* "07-two-words" */
    char file[100];  /* "two_words.cu" */
};

/* Returns true if NAME is two digits, a hyphen and a letter, followed by lower-case letters, digits
 * and hyphens. */
static bool is_lab_name(const char *name)
{
    return isdigit((unsigned char)name[0]) && isdigit((unsigned char)name[1]) && name[2] == '-' &&
           islower((unsigned char)name[3]) && strlen(name) < 80 &&
           strspn(name + 3, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name + 3);
}

/* Returns a copy of TEXT with each WORD replaced with NEW. Frees TEXT. */
static char *replace_all(char *text, const char *word, const char *new)
{
    char *hit, *result = NULL;
    size_t size;
    FILE *to = open_memstream(&result, &size);
    const char *at = text;
    if (!to)
        abort(); /* out of memory for a page of text */
    for (; (hit = strstr(at, word)); at = hit + strlen(word))
        fprintf(to, "%.*s%s", (int)(hit - at), at, new);
    fputs(at, to);
    fclose(to);
    free(text);
    return result;
}

/* Makes the parent folders of PATH, which is relative to the kit's root. */
static bool make_folders(const char *path)
{
    char folder[PATH_SIZE];
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        if (!kit_path(folder, "%.*s", (int)(slash - path), path) ||
            (mkdir(folder, 0755) != 0 && errno != EEXIST))
            return false;
    return true;
}

/* Writes the file PATH, relative to the kit's root, from TEMPLATE. If it cannot be written, prints
 * the reason and returns false. */
static bool make_file(const struct names *names, const char *template, const char *path)
{
    char from[PATH_SIZE], to[PATH_SIZE], why[100], number[3];
    struct text text;
    snprintf(number, sizeof number, "%.2s", names->lab);
    if (!kit_path(from, "grader/cli/new-lab/%s", template) || !kit_path(to, "%s", path) ||
        !base_read_file(from, 1 << 20, &text, why, sizeof why)) {
        complain("the template %s %s", from, why);
        return false;
    }
    char *made = replace_all(text.bytes, "@LAB@", names->lab);
    made = replace_all(replace_all(made, "@FILE@", names->file), "@NUMBER@", number);
    bool good = make_folders(path) && base_write_file(to, made, strlen(made), 0644);
    free(made);
    if (good)
        printf("  %s\n", path);
    else
        complain("cannot write %s: %s", path, strerror(errno));
    return good;
}

static bool make_all(const struct names *names)
{
    char paths[6][PATH_SIZE];
    static const char *const templates[6] = {"checks.c",    "skeleton.cu", "skeleton.cu",
                                             "solution.cu", "mutant.diff", "handout.md"};
    bool good = base_path(paths[0], "labs/%s/checks.c", names->lab) &&
                base_path(paths[1], "labs/%s/%s", names->lab, names->file) &&
                base_path(paths[2], "labs/%s/.skeleton.cu", names->lab) &&
                base_path(paths[3], "solutions/%s/%s", names->lab, names->file) &&
                base_path(paths[4], "grader/tests/mutants/%s/first-left-out.diff", names->lab) &&
                base_path(paths[5], "handouts/%s.md", names->lab);
    for (int i = 0; good && i < 6; ++i)
        good = make_file(names, templates[i], paths[i]);
    return good;
}

int cmd_new_lab(int argc, char **argv)
{
    struct names names;
    struct stat status;
    char path[PATH_SIZE];
    int code = cli_read_options(&syntax, argc, argv, NULL);
    if (code >= 0)
        return code;
    if (optind == argc)
        return complain(
            "name the new lab: lanewise new-lab 07-histogram (with make: NAME=07-histogram)");
    names.lab = argv[optind];
    if (!is_lab_name(names.lab))
        return complain(
            "\"%s\" cannot be a lab's name; use two digits, a hyphen and lower-case letters, as in 07-histogram",
            names.lab);
    snprintf(names.file, sizeof names.file, "%s.cu", names.lab + 3);
    for (char *at = names.file; *at; ++at)
        if (*at == '-')
            *at = '_';
    if (!kit_path(path, "labs/%s", names.lab) || stat(path, &status) == 0)
        return complain("labs/%s already exists", names.lab);
    printf("made:\n");
    if (!make_all(&names))
        return EXIT_USAGE;
    printf("make lab-check LAB=%s lists what is left to write\n", names.lab);
    return EXIT_FULL;
}
