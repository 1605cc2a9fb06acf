/* racecheck, on kernels with planted races and the same kernels done right: races_*.cu. Their
 * sources say which finding is expected for each, as support/races.cuh describes. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/marks.h"
#include "tests/support/shell.h"

TestSuite(racecheck, .init = shell_init, .fini = shell_fini, .timeout = 600);

static json_t *findings_of(const char *program, const char *options)
{
    return marks_findings(program, "racecheck", options);
}

Test(racecheck, shared_memory)
{
    marks_check("races_shared", "racecheck", 24);
}

Test(racecheck, parts_of_words_and_of_blocks)
{
    marks_check("races_words", "racecheck", 24);
}

Test(racecheck, global_memory)
{
    marks_check("races_global", "racecheck", 24);
}

Test(racecheck, barriers_and_copies_beside_the_threads)
{
    marks_check("races_async", "racecheck", 24);
}

Test(racecheck, finds_the_same_with_any_number_of_workers)
{
    static const char *const programs[] = {"races_shared", "races_words", "races_global"};
    for (size_t i = 0; i < 3; i++) {
        json_t *one = findings_of(programs[i], "--workers 1");
        json_t *seven = findings_of(programs[i], "--workers 7");
        cr_expect(json_equal(one, seven), "%s", programs[i]);
        json_decref(one);
        json_decref(seven);
    }
}

/* --- programs that should be right ---------------------------------------------------------------- */

static const char *const right_programs[] = {
    "api_answers", "api_more",    "graphs",  "cooperative", "launch_api",
    "memory_api",  "memory_more", "streams", "textures",    "matmul_ladder",
    "sum_ladder",  "threads",     "indices", "async",       "lane_talk",
};

Test(racecheck, is_silent_about_right_programs)
{
    for (size_t i = 0; i < sizeof right_programs / sizeof *right_programs; i++) {
        json_t *findings = findings_of(right_programs[i], ""), *finding;
        size_t k;
        json_array_foreach(findings, k, finding)
        {
            const char *id = json_string_value(json_object_get(finding, "id"));
            cr_expect(strncmp(id, "race", 4) != 0, "%s, line %lld: %s", right_programs[i],
                      (long long)json_integer_value(json_object_get(finding, "line")),
                      json_string_value(json_object_get(finding, "message")));
        }
        json_decref(findings);
    }
}

/* --- the option ---------------------------------------------------------------------------------------- */

Test(racecheck, is_off_unless_it_is_asked_for)
{
    free(shell_must("$LANEWISE run --json out.json --tools memcheck $PROGRAMS/races_shared"));
    char *text = shell_file("out.json", NULL);
    cr_expect(!strstr(text, "race-shared"));
    free(text);
}

Test(racecheck, unknown_tools_are_refused)
{
    int code;
    char *text = shell(&code, "$LANEWISE run --tools memcheck,race $PROGRAMS/races_shared");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(text, "lanewise run: no tools \"memcheck,race\"; --tools takes a list of "
                           "memcheck, synccheck, racecheck, initcheck\n");
    free(text);
    text = shell(&code, "LANEWISE_TOOLS=, $LANEWISE run $PROGRAMS/races_shared");
    cr_expect(strstr(text, "LANEWISE_TOOLS=,: expected a list of these tools"));
    free(text);
}

/* Without enough memory racecheck stops: its report must not suggest a launch without races. */
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer itself takes more addresses than that */
Test(racecheck, says_when_it_stops)
{
    char *text = shell_must(
        "printf '__global__ void fill(int *a, int n)\\n{\\n    for (int i = blockIdx.x * "
        "blockDim.x + "
        "threadIdx.x; i < n; i += 16384)\\n        a[i] += i;\\n}\\nint main()\\n{\\n    int *a;\\n"
        "    cudaMalloc(&a, 64 << 22);\\n    fill<<<64, 256>>>(a, 64 << 20);\\n    "
        "cudaFree(a);\\n}\\n' "
        ">big.cu; $NVCC -cudart shared -lineinfo -L$LIB -o big big.cu && ulimit -v 700000 && "
        "$LANEWISE run --tools racecheck ./big 2>&1");
    cr_expect(strstr(text, "note: fill: race detection stopped before the end"), "%s", text);
    free(text);
}
#endif
