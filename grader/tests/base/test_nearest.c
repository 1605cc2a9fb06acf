/* Tests the suggestion for a mistyped word. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/nearest.h"

static const char *const names[] = {"lab", "seed", "points",
                                    "--weird-long-name-of-more-than-40-letters---"};

static const struct {
    const char *typed, *meant;
} words[] = {
    {"lba", "lab"},
    {"la", "lab"},
    {"x", NULL},
    {"sede", "seed"},
    {"dees", NULL},
    {"poi", "points"},
    {"pionts", "points"},
    {"poimst", "points"},
    {"poaaas", NULL},
    {"", NULL},
    {"seedseedseed", NULL},
    {"-------------------------------------------------", NULL},
};

Test(nearest, one_or_two_errors_are_forgiven)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *meant = base_nearest(words[i].typed, names, sizeof names / sizeof *names);
        cr_expect(meant == words[i].meant ||
                      (meant && words[i].meant && strcmp(meant, words[i].meant) == 0),
                  "%s: %s", words[i].typed, meant ? meant : "nothing");
    }
}
