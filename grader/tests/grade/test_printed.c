/* Tests that reports show the output of a submission, but that it has no influence on the grade. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(printed, .init = submission_init, .fini = shell_fini, .timeout = 600);

/* The output of printf() is kept. If the score is below full marks, the report shows its last
 * lines, cleaned and shortened. They do not affect the points. */
Test(printed, what_a_program_printed_is_shown)
{
    static const struct edit edits[SUBMISSION_EDITS] = {
        {"i = me; i < n; i += all", "i = n - 1 - me; i >= 0; i -= 2 * all"},
        {"    atomicAdd(sum, mine);",
         "    if (me == 3) printf(\"thread %d\\n\", me);\n    atomicAdd(sum, mine);"},
        {"    return lab_close(&lab);",
         "    for (int i = 1; i < 9; ++i) printf(\"line %d \\033[31m\\n\", i);\n    return lab_close(&lab);"}};
    int code;
    json_t *result;
    submission_write("02-coalesce", edits, "coalesce.cu");
    char *output = submission_grade("02-coalesce", "coalesce.cu", &code, &result);
    cr_expect(strstr(output,
                     "       the program printed (the checks may use other numbers than these):\n"
                     "          ...\n          line 4 ?[31m\n"),
              "%s", output);
    cr_expect(strstr(output, "          line 8 ?[31m\n       hint:"), "%s", output);
    json_decref(result);
    free(output);
}
