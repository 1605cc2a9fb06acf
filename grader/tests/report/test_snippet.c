/* Tests how a source line is shown with the other lines that belong to a mistake. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/finding_terminal.h"

Test(snippet, has_the_other_lines_around_the_marked_line)
{
    static const char source[] = "        sum += data[i];";
    json_t *place =
        json_pack("{s:i, s:i, s:[{s:i, s:s}, {s:i, s:s}, {s:i, s:s}]}", "line", 5, "column", 9,
                  "also", "line", 4, "source", "    for (int i = 0; i < n; ++i)", "line", 5,
                  "source", "this is the marked line", "line", 12, "source", "    *out = sum;");
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    report_snippet(memory, place, source, strlen(source), NULL);
    fclose(memory);
    cr_expect_str_eq(text, "    4 |     for (int i = 0; i < n; ++i)\n"
                           "    5 |         sum += data[i];\n"
                           "      |         ^\n"
                           "   12 |     *out = sum;\n");
    free(text);
    json_decref(place);
}
