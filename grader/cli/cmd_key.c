/* lanewise key: makes the key with which an instructor's gradings are signed. */
#include "cli/cli.h"
#include "cli/common.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "grade/seal.h"

static const char usage[] =
    "usage: lanewise key FILE\n"
    "Makes a key in a new FILE that only you can read. lanewise grade --key FILE signs results with\n"
    "it, and lanewise verify --key FILE finds out whether one was changed since. Keep it where no\n"
    "student comes: whoever has it can sign.\n";

int cmd_key(int argc, char **argv)
{
    struct seal_key key;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return EXIT_FULL;
    }
    if (argc != 2 || argv[1][0] == '-')
        return cli_complain("key", EXIT_USAGE, "in which file? lanewise key FILE makes a new one");
    if (!seal_key_make(argv[1], &key))
        return cli_complain("key", EXIT_USAGE, "cannot make %s: %s", argv[1],
                            errno == EEXIST ? "there is a file, and no key is ever replaced"
                                            : strerror(errno));
    printf("%s holds key %s\n", argv[1], key.id);
    seal_key_forget(&key);
    return EXIT_FULL;
}
