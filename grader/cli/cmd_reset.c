/* lanewise reset: restores a lab's skeleton and keeps the student's file under another name. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_OLD 1000

struct options {
    const char *lab;
};

static const struct cli_option table[] = {CLI_TEXT(lab, "lab", "NAME", CLI_HELP_LAB), {NULL}};

static const struct cli_syntax syntax = {
    .command = "reset",
    .usage = "usage: lanewise reset --lab NAME\n"
             "Restores the lab's skeleton and keeps your file under another name.\n",
    .options = table,
    .word_advice = "name the lab with --lab"};

/* Gives the student's file OWN a second name OLD, which no other file has. On failure returns false
 * with the reason in errno. */
static bool keep(const char *own, char old[PATH_SIZE])
{
    for (int i = 1; i <= MAX_OLD; ++i) {
        if (!base_path(old, "%s.old-%d", own, i))
            return false;
        if (link(own, old) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

/* Replaces the file OWN by the skeleton. The student's text stays under the name OLD. If the disk
 * is full, nothing changes. */
static bool replace(const char *own, const struct text *skeleton, char old[PATH_SIZE])
{
    bool there = access(own, F_OK) == 0;
    if (there && !keep(own, old))
        return false;
    if (base_write_file(own, skeleton->bytes, skeleton->size, 0644))
        return true;
    int reason = errno;
    if (there)
        unlink(old);
    errno = reason;
    return false;
}

static int reset(const struct lab *lab)
{
    char own[PATH_SIZE], old[PATH_SIZE] = "", pristine[PATH_SIZE], why[100];
    struct text skeleton, now = {0};
    if (!lab_own_path(lab, own) || !lab_pristine_path(lab, pristine) ||
        !base_read_file(pristine, 1 << 20, &skeleton, why, sizeof why))
        return cli_complain("reset", EXIT_USAGE,
                            "the original skeleton of %s cannot be restored: it %s", lab->name,
                            why);
    bool same = base_read_file(own, 1 << 20, &now, why, sizeof why) && now.size == skeleton.size &&
                memcmp(now.bytes, skeleton.bytes, now.size) == 0;
    int code = EXIT_FULL;
    if (same)
        printf("%s is already the skeleton\n", base_shorten_path(own));
    else if (!replace(own, &skeleton, old))
        code = cli_complain("reset", EXIT_USAGE, "cannot replace %s: %s", own, strerror(errno));
    else
        printf("%s is the skeleton again%s%s\n", base_shorten_path(own),
               old[0] ? "; your file is now " : "", old[0] ? base_shorten_path(old) : "");
    free(skeleton.bytes);
    free(now.bytes);
    return code;
}

int cmd_reset(int argc, char **argv)
{
    struct options options = {0};
    struct lab lab;
    int code = cli_read_options(&syntax, argc, argv, &options);
    if (code >= 0)
        return code;
    if (!cli_open_lab("reset", options.lab, &lab))
        return EXIT_USAGE;
    code = reset(&lab);
    labs_close(&lab);
    return code;
}
