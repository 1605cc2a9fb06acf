/* What is printed about the mistakes in misleading.cu: the cause and a fix, never advice that leads elsewhere. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"

TestSuite(misleading, .init = shell_init, .fini = shell_fini, .timeout = 300);

#define WORDS 4

static const struct row {
    const char *name;         /* of the case */
    const char *must[WORDS];  /* what the report says, its folded lines joined by blanks */
    const char *never[WORDS]; /* what it does not say */
    const char *tools;        /* NULL: all */
} rows[] = {
    {"sum_of_one_block",
     {"one of the two updates is lost [race-global]", "use atomicAdd() or another atomic"},
     {"__syncthreads()"},
     NULL},
    {"partly_cleared_bins", {"[race-global]", "[uninitialised-read]"}, {NULL}, NULL},
};

/* Joins the lines of TEXT. */
static void join(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (!isspace((unsigned char)*from))
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
}

#define ROWS (sizeof rows / sizeof *rows)

ParameterizedTestParameters(misleading, cases)
{
    static int indices[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        indices[i] = (int)i;
    return cr_make_param_array(int, indices, ROWS);
}

ParameterizedTest(int *index, misleading, cases)
{
    const struct row *row = &rows[*index];
    int code;
    char *text =
        shell(&code, "$LANEWISE run --deterministic --tools %s $PROGRAMS/misleading %s 2>&1",
              row->tools ? row->tools : "racecheck,initcheck", row->name);
    join(text);
    for (size_t i = 0; i < WORDS && row->must[i]; i++)
        cr_expect(strstr(text, row->must[i]), "%s: not said: %s\n%s", row->name, row->must[i],
                  text);
    for (size_t i = 0; i < WORDS && row->never[i]; i++)
        cr_expect(!strstr(text, row->never[i]), "%s: said: %s\n%s", row->name, row->never[i], text);
    free(text);
}
