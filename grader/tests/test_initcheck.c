/* initcheck, on kernels that read what nobody has written and on the same kernels done right. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/marks.h"
#include "tests/shell.h"

TestSuite(initcheck, .init = shell_init, .fini = shell_fini, .timeout = 600);

Test(initcheck, shared_global_and_local_memory)
{
    marks_check("uninitialised", "initcheck", 24);
}

Test(initcheck, what_is_easily_missed)
{
    marks_check("initialised", "initcheck", 24);
}

static const char *const right_programs[] = {
    "api_answers", "api_more", "graphs",   "cooperative", "launch_api",    "memory_api",
    "memory_more", "streams",  "textures", "async",       "matmul_ladder", "sum_ladder",
    "threads",     "indices",  "halves",   "lane_talk",
};

Test(initcheck, is_silent_about_right_programs)
{
    for (size_t i = 0; i < sizeof right_programs / sizeof *right_programs; i++) {
        json_t *findings = marks_findings(right_programs[i], "initcheck", ""), *finding;
        size_t k;
        json_array_foreach(findings, k, finding)
        {
            const char *id = json_string_value(json_object_get(finding, "id"));
            cr_expect(strcmp(id, "uninitialised-read") != 0, "%s: %s", right_programs[i],
                      json_string_value(json_object_get(finding, "message")));
        }
        json_decref(findings);
    }
}
