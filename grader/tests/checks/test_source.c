/* Tests the search for lines of a student's file by their text. */
#include "checks/source.h"

#include <criterion/criterion.h>

#include "checks/internal.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char program[] = "/* for (int i = 0; i < 3; i++)\n"           /* 1 */
                              " * *excess comes later */\n"                /* 2 */
                              "__device__ void first(int n)\n"             /* 3 */
                              "{\n"                                        /* 4 */
                              "    for (int i = 0; i < n; i++)\n"          /* 5 */
                              "        ;\n"                                /* 6 */
                              "}\n"                                        /* 7 */
                              "void second(float *excess)\n"               /* 8 */
                              "{\n"                                        /* 9 */
                              "    while( true ) // for (;;)\n"            /* 10 */
                              "        for (int off=16; off; off/=2)\n"    /* 11 */
                              "            *excess  =  1; // *other = 2\n" /* 12 */
                              "    *other = tile[ ty ][tx];\n"             /* 13 */
                              "    *last = tile[ty] [tx]; }\n";            /* 14 */

static const struct {
    const char *text;
    unsigned count, line; /* LINE is 0 unless exactly one line has the text */
} texts[] = {{"*excess =", 1, 12},   {"* excess=1;", 1, 12}, {"tile[ty][tx]", 2, 0},
             {"*other = 2", 0, 0},   {"*other =", 1, 13},    {"for (int off", 1, 11},
             {"second(float", 1, 8}, {"no such text", 0, 0}, {"for (int i = 0", 1, 5}};

static struct check check_of(const char *source)
{
    return (struct check){.job = {.source = json_string(source)}};
}

Test(source, lines_are_found_by_their_text)
{
    struct check check = check_of(program);
    for (size_t i = 0; i < COUNT(texts); i++) {
        unsigned lines[1], count = check_find_lines(&check, texts[i].text, lines, 1);
        cr_expect_eq(count, texts[i].count, "%s: %u lines", texts[i].text, count);
        cr_expect_eq(check_find_line(&check, texts[i].text), texts[i].line, "%s", texts[i].text);
    }
    json_decref(check.job.source);
}
