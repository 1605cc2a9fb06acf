/* lanewise key: makes the key that signs an instructor's results. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "grade/seal.h"

static const struct cli_syntax syntax = {
    .command = "key",
    .usage =
        "usage: lanewise key FILE\n"
        "Makes a key in a new FILE that only you can read. lanewise grade --key FILE signs "
        "results\n"
        "with it; lanewise verify --key FILE checks that they have not changed since. Keep the "
        "key\n"
        "away from students: anyone who has it can sign results.\n",
    .words = 1,
    .word_advice = "key takes one file name"};

int cmd_key(int argc, char **argv)
{
    struct seal_key key;
    int code = cli_read_options(&syntax, argc, argv, NULL);
    if (code >= 0)
        return code;
    if (optind == argc)
        return cli_complain("key", EXIT_USAGE, "name the new file: lanewise key FILE");
    const char *path = argv[optind];
    if (!seal_key_make(path, &key))
        return cli_complain("key", EXIT_USAGE, "cannot make %s: %s", path,
                            errno == EEXIST ? "the file exists; keys are never overwritten"
                                            : strerror(errno));
    cli_say(stdout, "%s contains key %s", path, key.id);
    seal_key_forget(&key);
    return EXIT_FULL;
}
