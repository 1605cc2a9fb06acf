/* Tests the page that steps through a launch, in a real browser: keys and buttons must have their
 * effect. Also tests hostile programs, and mistakes on the command line. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "report/step_page.h"
#include "tests/support/browser.h"
#include "tests/support/shell.h"
#include "tests/support/step_pages.h"
#include "tests/support/submission.h"

TestSuite(step_page, .init = submission_init, .fini = shell_fini, .timeout = 600);

/* --- use -------------------------------------------------------------------------------------- */

/* Runs SCRIPT in the page NAME.html in Chromium. It must print SAYS. */
static void expect_probe(const char *name, const char *script, const char *says)
{
    char page[100];
    snprintf(page, sizeof page, "'%s.probe.html'", name);
    step_page_probe(name, script);
    char *output = browser_visit(page);
    cr_expect(strstr(output, says), "%s", output);
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
}

static const struct step_program race = {"race", "04-bank-conflicts", "no-barrier"};

Test(step_page, obeys_keys_and_buttons)
{
    step_page_make(&race);
    expect_probe("race", "step_keys.js", "keys: 0 failed\n");
}

static const char *const typed[] = {
    "\nF11: Step 1 of ", "\nShift+F11: Step 0 of ", "\nF10: Step 3 of ", "\nShift+F10: Step 0 of ",
    ", which both use sums[64]\nShift+F: There is no earlier finding.\n"};

/* Everything works in Firefox as in Chromium. F10 and F11, which open the menu and fill the screen
 * in Firefox, belong to the page. */
Test(step_page, works_in_firefox)
{
    browser_choose_firefox();
    step_page_make(&race);
    step_page_probe("race", "step_keys.js");
    free(shell_must("mv race.probe.html keys.html"));
    step_page_probe("race", "step_probe.js");
    char *output = browser_visit("'keys.html','race.probe.html'");
    cr_expect(strstr(output, "keys: 0 failed\nrace: 0 differences, overflow 0\nend\n"), "%s",
              output);
    cr_expect(!strstr(output, "CONSOLE"), "Firefox complains:\n%s", output);
    free(output);
    output = browser_type("race.html", "F11 F11 Shift+F11 F10 Shift+F10 f Shift+F");
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        cr_expect(strstr(output, typed[i]), "no \"%s\" in\n%s", typed[i], output);
    cr_expect(!strstr(output, "CONSOLE"), "Firefox complains:\n%s", output);
    free(output);
}

/* If the program is built with -G, the page names variables in registers and local memory, and
 * parameters. */
#define VARIABLES                                                                                  \
    "cat >v.cu <<'END'\n"                                                                          \
    "__device__ int twice(int value) { int doubled = 2 * value; return doubled; }\n"               \
    "__global__ void k(int *p, int n)\n{\n    short local[3];\n"                                   \
    "    int me = blockIdx.x * blockDim.x + threadIdx.x;\n    float half = me / 2.0f;\n"           \
    "    for (int i = 0; i < 3; i++)\n        local[i] = me - i;\n    int sum = 0;\n"              \
    "    for (int i = 0; i < n; i++)\n        sum += local[(i + me) %% 3] + twice(i);\n"           \
    "    p[me] = sum + (int)half;\n}\n"                                                            \
    "int main()\n{\n    int *p;\n    cudaMalloc(&p, 4096);\n    k<<<1, 64>>>(p, 4);\n"             \
    "    return cudaDeviceSynchronize();\n}\nEND\n"                                                \
    "$NVCC -arch=compute_75 -code=compute_75 -G -cudart shared -o v v.cu\n"                        \
    "$LANEWISE step -o variables.html ./v; : >variables.truth\n"

Test(step_page, names_variables)
{
    free(shell_must(VARIABLES));
    expect_probe("variables", "step_variables.js", "variables: 0 failed\n");
}

/* Kernels with a race, without one, and with other faults. Each is launched once. */
#define FAULTS                                                                                     \
    "cat >f.cu <<'END'\n"                                                                          \
    "__global__ void race(int *p)\n{\n    __shared__ int s[64];\n    int t = threadIdx.x;\n"       \
    "    s[t] = t;\n    p[t] = s[63 - t];\n}\n"                                                    \
    "__global__ void shared(int *p)\n{\n    __shared__ int s[64];\n    int t = threadIdx.x;\n"     \
    "    if (t < 60)\n        s[t] = t;\n    __syncthreads();\n    p[t] = s[63 - t];\n}\n"         \
    "__global__ void global(int *p, int *q)\n{\n    p[threadIdx.x] = q[threadIdx.x];\n}\n"         \
    "__global__ void ordered(int *p)\n{\n    __shared__ int s[96];\n    int t = threadIdx.x;\n"    \
    "    int from = t / 32 * 32;\n    s[t] = t;\n    __syncwarp();\n"                              \
    "    p[t] = s[from + (t + 1) %% 32] + (t == 32 ? s[0] : 0);\n}\n"                              \
    "__global__ void barrier(int *p)\n{\n    if (threadIdx.x < 40)\n        __syncthreads();\n"    \
    "    else\n        p[threadIdx.x] = 1;\n    __syncthreads();\n}\n"                             \
    "int main(int, char **argv)\n{\n    int *p, *q;\n    cudaMalloc(&p, 1024);\n"                  \
    "    cudaMalloc(&q, 1024);\n    cudaMemset(q, 0, 32);\n"                                       \
    "    switch (*argv[1]) {\n    case 'r': race<<<1, 64>>>(p); break;\n"                          \
    "    case 's': shared<<<1, 64>>>(p); break;\n    case 'g': global<<<1, 64>>>(p, q); break;\n"  \
    "    case 'o': ordered<<<1, 64>>>(p); break;\n    case 'b': barrier<<<1, 64>>>(p);\n    }\n"   \
    "    return cudaDeviceSynchronize() == 0;\n}\nEND\n"                                           \
    "$NVCC -arch=compute_75 -code=compute_75 -lineinfo -cudart shared -o f f.cu\n"

static const char *const faults[] = {"race", "shared", "global", "ordered", "barrier"};

static void check_faults(void)
{
    char pages[200] = "";
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        free(shell_must("$LANEWISE step -o %s.html ./f %s; : >%s.truth", faults[i], faults[i],
                        faults[i]));
        step_page_probe(faults[i], "step_faults.js");
        sprintf(pages + strlen(pages), "'%s.probe.html',", faults[i]);
    }
    char *output = browser_visit(pages);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char want[40];
        snprintf(want, sizeof want, "%s: 0 failed\n", faults[i]);
        cr_expect(strstr(output, want), "no \"%s\" in\n%s", want, output);
    }
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
}

Test(step_page, says_and_marks_what_is_wrong)
{
    free(shell_must(FAULTS));
    check_faults();
}

Test(step_page, says_and_marks_what_is_wrong_in_firefox)
{
    browser_choose_firefox();
    free(shell_must(FAULTS));
    check_faults();
}

/* The names of the arrays come from the list of parameters, which contains comments with commas. */
#define VALUES                                                                                                 \
    "cat >v.cu <<'END'\n"                                                                                      \
    "template <int A, int B> struct two { int x; };\n"                                                         \
    "__global__ void k(two<1, 2> t, const unsigned char *bytes, /* (not signs */ const signed char *signs,\n"  \
    "    double *halves, const int4 *four, int *sink, float *big, int *none)\n{\n"                             \
    "    __shared__ int row[64]; int me = threadIdx.x, sum = 0; row[32 + me %% 31] = 0; __syncwarp();\n"       \
    "    sum += bytes[me];\n    sum += signs[me];\n    sum += halves[me] > 1;\n"                               \
    "    int4 f = four[me]; sum += f.x ^ f.y ^ f.z ^ f.w;\n    sum += row[32 - me];\n"                         \
    "    big[me] = me == 1 ? -0.0f : 4.5e10f;\n    sink[me] = sum + t.x;\n    none[me] = 1;\n}\n"              \
    "int main()\n{\n    char host[4096], *p;\n"                                                                \
    "    for (int i = 0; i < 256; i++)\n        host[i] = 200 + i;\n"                                          \
    "    for (int i = 0; i < 32; i++) {\n        ((double *)(host + 512))[i] = 1e100;\n"                       \
    "        for (int k = 0; k < 4; k++)\n            ((int *)(host + 1024))[4 * i + k] = 4 * i + k;\n    }\n" \
    "    char *a[6];\n    for (int i = 0; i < 6; i++) {\n        cudaMalloc(&a[i], 4096);\n"                   \
    "        cudaMemcpy(a[i], host + (i < 2 ? 0 : 512 * (i - 1)), 512, cudaMemcpyHostToDevice);\n    }\n"      \
    "    k<<<1, 32>>>(two<1, 2>(), (unsigned char *)a[0], (signed char *)a[1], (double *)a[2],\n"              \
    "        (int4 *)a[3], (int *)a[4], (float *)a[5], (int *)nullptr);\n"                                     \
    "    return cudaDeviceSynchronize() == 0;\n}\nEND\n"                                                       \
    "$NVCC -arch=compute_75 -code=compute_75 -lineinfo -cudart shared -o v v.cu\n"                             \
    "$LANEWISE step -o values.html ./v; : >values.truth\n"

Test(step_page, shows_values_as_they_are)
{
    free(shell_must(VALUES));
    expect_probe("values", "step_values.js", "values: 0 failed\n");
}

/* Opens the page unchanged, with its content security policy. */
Test(step_page, starts_under_its_own_policy)
{
    step_page_make(&race);
    char *output = shell_must(
        BROWSER "--dump-dom \"file://$PWD/race.html#step=5\" 2>log; grep CONSOLE log; echo");
    cr_expect(strstr(output, "data-ready=\"true\""), "the page did not start");
    cr_expect(strstr(output, "Step 5 of "), "the page does not show step 5");
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", strstr(output, "CONSOLE"));
    free(output);
    char *page = shell_file("race.html", NULL);
    cr_expect(!strstr(page, " src=") && !strstr(page, " href="), "the page refers to another file");
    free(page);
}

/* The report of a grading has a link from a finding to the step in which it occurred. */
Test(step_page, opens_at_the_moment_of_a_finding)
{
    int code;
    submission_write_mutant(race.lab, race.mutant, "a.cu");
    free(shell(&code,
               "$LANEWISE report --device emulator --seed 1 --lab 4 --submission a.cu --out r.html "
               "--step s.html"));
    cr_assert_eq(code, 1, "exit code %d", code);
    char *link =
        shell_must("grep -o 's.html#finding=[0-9]*:race-shared' r.html | head -n 1 | tr -d '\\n'");
    cr_assert(*link, "the report has no link");
    char *output = shell_must(BROWSER "--dump-dom \"file://$PWD/%s\" 2>log; echo", link);
    cr_expect(strstr(output, "; race in lane"), "%s", strstr(output, "id=\"now\""));
    free(output);
    free(link);
}

static long long number_of(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

/* --- mistakes --------------------------------------------------------------------------------- */

/* The program makes two launches of four blocks. */
#define SMALL                                                                                      \
    "cat >a.cu <<'END'\n"                                                                          \
    "__global__ void k(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }\n"      \
    "int main()\n{\n    int *p;\n    cudaMalloc(&p, 4096);\n    k<<<4, 64>>>(p);\n"                \
    "    k<<<4, 64>>>(p);\n    return cudaDeviceSynchronize();\n}\nEND\n"                          \
    "$NVCC -arch=compute_75 -code=compute_75 -lineinfo -cudart shared -o a a.cu\n"

static const struct {
    const char *arguments, *said;
} mistakes[] = {
    {"./a", "lanewise step: name the output file: add -o FILE.html"},
    {"-o p.html", "lanewise step: give the program as the last argument, or add --lab NAME"},
    {"-o p.html ./b", "lanewise step: ./b: No such file or directory"},
    {"-o p.html --launch 0 ./a", "lanewise step: --launch"},
    {"-o p.html --launch 3 ./a", "lanewise step: there is no launch 3: the program made 2"},
    {"-o p.html --block 4 ./a", "lanewise step: launch 1 has no block 4"},
    {"-o p.html --from 1000 ./a",
     "lanewise step: cannot stop there: block 0 of launch 1 does not exist, or it ends after at most 1000 instructions"},
    {"-o p.html --submission a.cu ./a", "lanewise step: --submission needs the lab, --lab NAME"},
    {"-o p.html --debug ./a", "lanewise step: --debug needs the lab, --lab NAME"},
    {"-o no/p.html ./a", "lanewise step: "},
    {"-o p.html --lab 99", "lanewise step: "},
};

Test(step_page, mistakes_are_one_line)
{
    free(shell_must(SMALL));
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE step %s", mistakes[i].arguments);
        cr_expect_eq(code, 2, "%s: code %d", mistakes[i].arguments, code);
        cr_expect(strncmp(output, mistakes[i].said, strlen(mistakes[i].said)) == 0, "%s: %s",
                  mistakes[i].arguments, output);
        cr_expect(strchr(output, '\n') == strrchr(output, '\n'), "%s: one line: %s",
                  mistakes[i].arguments, output);
        free(output);
        free(shell_must("test ! -e p.html"));
    }
}

Test(step_page, shows_the_chosen_block)
{
    free(shell_must(SMALL "$LANEWISE step -o p.html --launch 2 --block 3 --from 2 ./a"));
    json_t *meta = step_page_meta("p.html");
    cr_expect_eq(number_of(meta, "launch"), 2);
    cr_expect_eq(step_page_block(meta), 3);
    cr_expect_eq(number_of(meta, "left_out"), 2);
    cr_expect(json_is_false(json_object_get(meta, "cut")));
    cr_expect_eq(number_of(meta, "steps") + 2, number_of(meta, "executed"));
    json_decref(meta);
}

/* --- hostile programs ------------------------------------------------------------------------- */

/* A kernel that never ends, in a file that tries to become markup. */
#define HOSTILE                                                                                           \
    "cat >evil.cu <<'END'\n"                                                                              \
    "// </script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\n" \
    "__global__ void k(int *p)\n{\n    __shared__ volatile int s[64];\n"                                  \
    "    s[threadIdx.x] = p[threadIdx.x];\n"                                                              \
    "#line 1 \"</script><script>document.title='owned'</script>\"\n"                                      \
    "    for (;;)\n        s[threadIdx.x] = s[threadIdx.x] * 1664525 + 1013904223;\n}\n"                  \
    "int main()\n{\n    int *p;\n    cudaMalloc(&p, 4096);\n    k<<<1, 64>>>(p);\n"                       \
    "    return cudaDeviceSynchronize() == 0;\n}\nEND\n"                                                  \
    "$NVCC -arch=compute_75 -code=compute_75 -lineinfo -cudart shared -o evil evil.cu\n"

Test(step_page, of_a_hostile_program_is_inert_and_small)
{
    free(shell_must(HOSTILE "LANEWISE_MAX_INSTRUCTIONS=3000000 $LANEWISE step -o e.html ./evil"));
    char *page = shell_file("e.html", NULL), *at = page;
    int scripts = 0;
    for (; (at = strstr(at, "<script")); at++)
        scripts++;
    cr_expect_eq(scripts, 3, "%d scripts instead of the document, the data and the page's own",
                 scripts);
    cr_expect_lt(strlen(page), STEP_PAGE_BYTES + 65536);
    free(page);
    json_t *meta = step_page_meta("e.html");
    cr_expect(json_is_true(json_object_get(meta, "cut")));
    json_decref(meta);
    char *output =
        shell_must(BROWSER "--dump-dom file://$PWD/e.html 2>log; grep CONSOLE log; echo");
    cr_expect(strstr(output, "data-ready=\"true\""), "the page did not start");
    cr_expect(strstr(output, "<title>Step through k(int*)</title>"), "the title changed");
    cr_expect(strstr(output, "The recording is too long for a page"),
              "the page does not say that it is cut");
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", strstr(output, "CONSOLE"));
    free(output);
}

/* Sources that are too long for a page, because they have many bytes, many lines, or many files. */
static const struct {
    const char *name, *add;
} long_sources[] = {
    {"letters that text escapes", "head -c 300000 /dev/zero | tr '\\0' '<' | sed 's,^,//,' >>a.cu"},
    {"many lines", "yes // | head -n 200000 >>a.cu"},
    {"a list that never ends",
     "{ echo '#if 0'; yes 'k(' | head -n 9000 | tr '\\n' ' '; echo; echo '#endif'; } >>a.cu"},
};

Test(step_page, of_a_long_source_is_small)
{
    for (size_t i = 0; i < sizeof long_sources / sizeof *long_sources; i++) {
        free(shell_must(SMALL "%s\n$LANEWISE step -o p.html ./a", long_sources[i].add));
        size_t size;
        free(shell_file("p.html", &size));
        cr_expect_lt(size, 1000000, "%s: %zu bytes", long_sources[i].name, size);
        char *output =
            shell_must(BROWSER "--dump-dom file://$PWD/p.html 2>log; grep CONSOLE log; echo");
        cr_expect(strstr(output, "data-ready=\"true\""), "%s: did not start", long_sources[i].name);
        cr_expect(!strstr(output, "CONSOLE"), "%s", long_sources[i].name);
        free(output);
    }
}

Test(step_page, of_a_long_kernel_is_refused)
{
    char why[200] = "", *text = NULL;
    const uint8_t stream[4] = {0};
    json_t *code = json_array(), *steps = json_pack("{s:s,s:i,s:[],s:o}", "kernel", "k", "steps", 1,
                                                    "marks", "code", code);
    size_t size;
    for (int i = 0; i < 50000; i++)
        json_array_append_new(code, json_string("mad.lo.s32 %r10000, %r10001, %r10002, %r10003"));
    FILE *memory = open_memstream(&text, &size);
    cr_expect(!report_step_page(memory, steps, stream, sizeof stream, why, sizeof why));
    fclose(memory);
    cr_expect_str_eq(why, "the program has 50000 instructions, too many for a page");
    cr_expect_eq(size, 0);
    free(text);
    json_decref(steps);
}
