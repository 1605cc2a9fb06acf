/* lanewise reset: brings a lab's skeleton back and keeps the student's file beside it. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/student.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_OLD 1000

static const char usage[] =
    "usage: lanewise reset --lab NAME\n"
    "Brings the lab's skeleton back; your file is kept under another name.\n";

/* Gives the file OWN another name, which no file has: OLD. False: errno says why. */
static bool keep(const char *own, char old[PATH_SIZE])
{
    for (int i = 1; i <= MAX_OLD; ++i) {
        if (!base_path(old, "%s.old-%d", own, i))
            return false;
        if (link(own, old) == 0)
            return unlink(own) == 0;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static int reset(const struct lab *lab)
{
    char own[PATH_SIZE], old[PATH_SIZE] = "", pristine[PATH_SIZE], why[100];
    struct text skeleton, now = {0};
    if (!lab_own_path(lab, own) || !lab_pristine_path(lab, pristine) ||
        !base_read_file(pristine, 1 << 20, &skeleton, why, sizeof why))
        return cli_complain("reset", EXIT_USAGE, "the untouched skeleton of %s %s", lab->name, why);
    bool there = access(own, F_OK) == 0;
    bool same = base_read_file(own, 1 << 20, &now, why, sizeof why) && now.size == skeleton.size &&
                memcmp(now.bytes, skeleton.bytes, now.size) == 0;
    int code = EXIT_FULL;
    if (same)
        printf("%s is the skeleton already\n", lab_shorten_path(own));
    else if ((there && !keep(own, old)) ||
             !base_write_file(own, skeleton.bytes, skeleton.size, 0644))
        code = cli_complain("reset", EXIT_USAGE, "cannot replace %s: %s", own, strerror(errno));
    else
        printf("%s is the skeleton again%s%s\n", lab_shorten_path(own),
               there ? "; yours is kept as " : "", there ? lab_shorten_path(old) : "");
    free(skeleton.bytes);
    free(now.bytes);
    return code;
}

int cmd_reset(int argc, char **argv)
{
    struct cli_student student = {.command = "reset", .usage = usage};
    int code = cli_read_student(&student, argc, argv);
    if (code >= 0)
        return code;
    code = reset(&student.lab);
    labs_close(&student.lab);
    return code;
}
