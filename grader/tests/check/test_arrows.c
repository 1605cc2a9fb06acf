/* `make check` refuses includes that grader/arrows does not allow. Tested with planted includes and
 * with the tree as it is. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

TestSuite(arrows, .init = shell_init, .fini = shell_fini, .timeout = 300);

#define CHECK "awk -f " LANEWISE_ROOT "/grader/arrows.awk "
#define LIST  LANEWISE_ROOT "/grader/arrows "

static const struct {
    const char *name, *folder, *include, *says; /* SAYS is NULL if the include is allowed */
} planted[] = {
    {"its own folder", "judge", "judge/score.h", NULL},
    {"a folder below", "checks", "judge/score.h", NULL},
    {"a header beside", "gpu/observe", "losses.h", NULL},
    {"a folder above", "base", "judge/score.h", "base may not include judge/score.h"},
    {"past the interface of the device", "gpu/cudart", "gpu/execute/state.h",
     "gpu/cudart may not include gpu/execute/state.h"},
    {"into the executor", "gpu/observe", "gpu/execute/kernel.h",
     "gpu/observe may not include gpu/execute/kernel.h"},
    {"an unknown folder", "attic", "base/files.h", "no line for the folder attic"},
};

Test(arrows, planted_includes)
{
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        int code;
        char *text =
            shell(&code,
                  "mkdir -p grader/%s && echo '#include \"%s\"' >grader/%s/planted.c && " CHECK LIST
                  "grader/%s/planted.c",
                  planted[i].folder, planted[i].include, planted[i].folder, planted[i].folder);
        cr_expect_eq(code, planted[i].says ? 1 : 0, "%s: %d", planted[i].name, code);
        cr_expect(!planted[i].says || strstr(text, planted[i].says), "%s: %s", planted[i].name,
                  text);
        free(text);
    }
}

Test(arrows, a_circular_list)
{
    int code;
    char *text = shell(&code, "printf 'one: two\\ntwo: one\\n' >arrows && " CHECK "arrows");
    cr_expect_eq(code, 1);
    cr_expect(strstr(text, "two must have its own line above this one"), "%s", text);
    free(text);
}
