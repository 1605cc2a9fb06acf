/* The page that steps through a launch, in a real browser: its state after random steps is the
 * machine's, and keys and buttons do what they say. Hostile programs, mistakes on the command
 * line. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "report/step_page.h"
#include "tests/support/browser.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(step_page, .init = submission_init, .fini = shell_fini, .timeout = 600);

#define STEPS 50 /* steps after which states are compared */

/* What runs: the skeleton if MUTANT is NULL, the solution if it is "". Without a lab, MUTANT has the
 * options and the program. */
static const struct program {
    const char *name, *lab, *mutant;
} programs[] = {
    {"local-bytes", NULL, "--launch 7 $PROGRAMS/local"},
    {"local-vectors", NULL, "--launch 12 $PROGRAMS/local"},
    {"local-of-functions", NULL, "--launch 15 $PROGRAMS/local"},
    {"01-skeleton", "01-parallelize", NULL},
    {"01-solution", "01-parallelize", ""},
    {"02-skeleton", "02-coalesce", NULL},
    {"02-solution", "02-coalesce", ""},
    {"03-skeleton", "03-shared-reduce", NULL},
    {"03-solution", "03-shared-reduce", ""},
    {"03-shared-atomic", "03-shared-reduce", "shared-atomic"},
    {"04-skeleton", "04-bank-conflicts", NULL},
    {"04-solution", "04-bank-conflicts", ""},
    {"04-mask-tree", "04-bank-conflicts", "mask-tree"},
    {"04-index-tree", "04-bank-conflicts", "index-tree"},
    {"04-no-barrier", "04-bank-conflicts", "no-barrier"},
    {"05-skeleton", "05-pitched-alloc", NULL},
    {"05-solution", "05-pitched-alloc", ""},
    {"06-skeleton", "06-tiled-matmul", NULL},
    {"06-solution", "06-tiled-matmul", ""},
    {"07-skeleton", "07-structures", NULL},
    {"07-solution", "07-structures", ""},
    {"08-skeleton", "08-transpose", NULL},
    {"08-solution", "08-transpose", ""},
    {"09-skeleton", "09-picture-sum", NULL},
    {"09-solution", "09-picture-sum", ""},
    {"10-skeleton", "10-block-size", NULL},
    {"10-solution", "10-block-size", ""},
    {"11-skeleton", "11-warp-votes", NULL},
    {"11-solution", "11-warp-votes", ""},
    {"12-skeleton", "12-solver", NULL},
    {"12-solution", "12-solver", ""},
    {"13-skeleton", "13-precision", NULL},
    {"13-solution", "13-precision", ""},
    {"14-skeleton", "14-streams", NULL},
    {"14-solution", "14-streams", ""},
    {"15-skeleton", "15-read-only", NULL},
    {"15-solution", "15-read-only", ""},
    {"16-skeleton", "16-fast-product", NULL},
    {"16-solution", "16-fast-product", ""},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* --- pages ------------------------------------------------------------------------------------ */

/* The document inside of page NAME. */
static json_t *read_meta(const char *name)
{
    char *page = shell_file(name, NULL);
    static const char begin[] = "<script type=\"application/json\" id=\"meta\">";
    char *at = strstr(page, begin), *end = at ? strstr(at, "</script>") : NULL;
    json_error_t error;
    cr_assert(end, "%s has no document", name);
    json_t *meta =
        json_loadb(at + sizeof begin - 1, (size_t)(end - at) - (sizeof begin - 1), 0, &error);
    cr_assert(meta, "%s: %s", name, error.text);
    free(page);
    return meta;
}

static long long number_of(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

static long long block_of(const json_t *meta)
{
    const json_t *cta = json_object_get(meta, "cta"), *grid = json_object_get(meta, "grid");
    long long block = 0;
    for (size_t i = 3; i-- > 0;)
        block = block * json_integer_value(json_array_get(grid, i)) +
                json_integer_value(json_array_get(cta, i));
    return block;
}

/* Writes NAME.html for the program that `step` runs with ARGUMENTS, and NAME.truth with the
 * machine's state after random steps, in random order. */
static void make_page(const char *name, const char *arguments)
{
    char list[STEPS * 12] = "", file[100];
    free(shell_must("$LANEWISE step -o %s.html %s >log 2>&1 || { cat log; exit 1; }", name,
                    arguments));
    snprintf(file, sizeof file, "%s.html", name);
    json_t *meta = read_meta(file);
    long long steps = number_of(meta, "steps");
    for (int i = 0; i < STEPS; i++)
        sprintf(list + strlen(list), "%s%lld", i ? "," : "", rand() % steps);
    free(shell_must("export LANEWISE_STEPS_DUMP=$PWD/%s.dump LANEWISE_STEPS_DUMP_AT=%s\n"
                    "$LANEWISE step -o %s.html --launch %lld --block %lld %s >log 2>&1\n"
                    "awk '{print $0 \",\"}' %s.dump | shuf --random-source=<(yes) >%s.truth",
                    name, list, name, number_of(meta, "launch"), block_of(meta), arguments, name,
                    name));
    json_decref(meta);
}

static void make_lab_page(const struct program *program)
{
    char arguments[100];
    snprintf(arguments, sizeof arguments, "--lab %s", program->lab);
    free(shell_must("cp -r labs kept"));
    if (program->mutant) {
        char *file = shell_must("printf %%s labs/%s/*.cu", program->lab);
        if (*program->mutant)
            submission_write_mutant(program->lab, program->mutant, file);
        else
            submission_write(program->lab, (struct edit[SUBMISSION_EDITS]){{NULL, NULL}}, file);
        free(file);
    }
    make_page(program->name, arguments);
    free(shell_must("rm -r labs && mv kept labs"));
}

/* Makes a copy of page NAME that runs PROBE, a script in this folder, after NAME's states. */
static void add_probe(const char *name, const char *probe, int wanted)
{
    free(shell_must(
        "{ sed '/Content-Security-Policy/d' %s.html\n"
        "echo '<script>const page=\"%s\", wanted=%d, truth=['; cat %s.truth; echo ']</script><script>'\n"
        "cat $TESTS/report/%s; echo '</script>'; } >%s.probe.html",
        name, name, wanted, name, probe, name));
}

/* --- the state -------------------------------------------------------------------------------- */

static void check_states(int from, int end)
{
    char pages[PROGRAMS * 60] = "";
    srand(32);
    for (int i = from; i < end; i++) {
        if (programs[i].lab)
            make_lab_page(&programs[i]);
        else
            make_page(programs[i].name, programs[i].mutant);
        add_probe(programs[i].name, "step_probe.js", 1);
        sprintf(pages + strlen(pages), "'%s.probe.html',", programs[i].name);
    }
    char *output = browser_visit(pages);
    for (int i = from; i < end; i++) {
        char want[100];
        snprintf(want, sizeof want, "%s: 0 differences, overflow 0\n", programs[i].name);
        cr_expect(strstr(output, want), "no \"%s\" in\n%s", want, output);
    }
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
}

Test(step_page, has_the_state_of_the_machine)
{
    check_states(0, PROGRAMS / 2);
}

Test(step_page, has_the_state_of_the_machine_in_more_labs)
{
    check_states(PROGRAMS / 2, PROGRAMS);
}

/* The reader computes these operations itself. The second launch writes random numbers, which it
 * cannot compute, until the recording is too long for a page. */
#define OPERATIONS                                                                                 \
    "cat >operations.cu <<'END'\n"                                                                 \
    "__global__ void compute(int *p, unsigned char *bytes)\n{\n"                                   \
    "    __shared__ unsigned sums[4];\n    int me = threadIdx.x, x = me * -7919;\n"                \
    "    if (me < 4)\n        sums[me] = me;\n    __syncthreads();\n"                              \
    "    for (int i = 0; i < 40; i++) {\n"                                                         \
    "        x ^= x << 13;\n        x ^= x >> (i + 5);\n        x |= (unsigned)x >> i;\n"          \
    "        float f = (float)x + (float)(unsigned)x;\n        bytes[me] = (x & 255) + i;\n"       \
    "        p[me] += bytes[me ^ 1] + (int)(f / 65536.0f) + atomicAdd(&sums[me & 3], x);\n"        \
    "        atomicAdd(&p[me / 8], me < 20 ? i : x);\n    }\n}\n"                                  \
    "__global__ void random(unsigned *p, int n)\n{\n    unsigned x = threadIdx.x + 1;\n"           \
    "    for (int i = 0; i < n; i++)\n        x = __umulhi(x * 747796405u + 1, ~x) ^ x;\n"         \
    "    p[threadIdx.x] = x;\n}\n"                                                                 \
    "int main()\n{\n    int *p;\n    cudaMalloc(&p, 8192);\n"                                      \
    "    compute<<<1, 96>>>(p, (unsigned char *)p + 4096);\n"                                      \
    "    random<<<1, 1024>>>((unsigned *)p, 2000);\n    return cudaDeviceSynchronize();\n}\nEND\n" \
    "$NVCC -arch=compute_75 -code=compute_75 -lineinfo -cudart shared -o operations "              \
    "operations.cu\n"

Test(step_page, has_the_state_of_operations_and_of_a_cut_recording)
{
    static const struct {
        const char *name, *arguments;
        bool is_cut;
    } rows[] = {{"computed", "--launch 1 ./operations", false},
                {"random", "--launch 2 ./operations", true}};
    free(shell_must(OPERATIONS));
    srand(32);
    for (int i = 0; i < 2; i++) {
        char file[40];
        make_page(rows[i].name, rows[i].arguments);
        add_probe(rows[i].name, "step_probe.js", 1);
        snprintf(file, sizeof file, "%s.html", rows[i].name);
        json_t *meta = read_meta(file);
        cr_expect_eq(json_is_true(json_object_get(meta, "cut")), rows[i].is_cut, "%s",
                     rows[i].name);
        json_decref(meta);
    }
    char *output = browser_visit("'computed.probe.html','random.probe.html'");
    cr_expect(strstr(output, "computed: 0 differences, overflow 0\n"
                             "random: 0 differences, overflow 0\nend\n"),
              "%s", output);
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
}

/* --- use -------------------------------------------------------------------------------------- */

static const struct program race = {"race", "04-bank-conflicts", "no-barrier"};

Test(step_page, obeys_keys_and_buttons)
{
    make_lab_page(&race);
    add_probe("race", "step_keys.js", 1);
    char *output = browser_visit("'race.probe.html'");
    cr_expect(strstr(output, "keys: 0 failed\n"), "%s", output);
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
}

static const char *const typed[] = {
    "\nF11: Step 1 of ", "\nShift+F11: Step 0 of ", "\nF10: Step 3 of ", "\nShift+F10: Step 0 of ",
    "; a finding happens here\nShift+F: There is no earlier finding.\n"};

/* In Firefox as in Chromium. F10 and F11, which open the menu and fill the screen in Firefox, are the
 * page's. */
Test(step_page, works_in_firefox)
{
    browser_choose_firefox();
    make_lab_page(&race);
    add_probe("race", "step_keys.js", 1);
    free(shell_must("mv race.probe.html keys.html"));
    add_probe("race", "step_probe.js", 1);
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

/* Built with -G, the page names variables: in registers, in local memory, and parameters. */
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
    add_probe("variables", "step_variables.js", 1);
    char *output = browser_visit("'variables.probe.html'");
    cr_expect(strstr(output, "variables: 0 failed\n"), "%s", output);
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
}

/* The page as it is, with its content security policy. */
Test(step_page, starts_under_its_own_policy)
{
    make_lab_page(&race);
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

/* A finding in the report of a grading links to its moment. */
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
    cr_expect(strstr(output, "; a finding happens here"), "%s", strstr(output, "id=\"now\""));
    free(output);
    free(link);
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
    {"./a", "lanewise step: which output file? Add -o FILE.html"},
    {"-o p.html", "lanewise step: which program? Name it at the end, or add --lab NAME"},
    {"-o p.html ./b", "lanewise step: ./b: No such file or directory"},
    {"-o p.html --launch 0 ./a", "lanewise step: --launch"},
    {"-o p.html --launch 3 ./a", "lanewise step: there is no launch 3: the program made 2"},
    {"-o p.html --block 4 ./a", "lanewise step: launch 1 has no block 4"},
    {"-o p.html --from 1000 ./a",
     "lanewise step: block 0 of launch 1 does not exist, or executes at most 1000 instructions"},
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
    json_t *meta = read_meta("p.html");
    cr_expect_eq(number_of(meta, "launch"), 2);
    cr_expect_eq(block_of(meta), 3);
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
    json_t *meta = read_meta("e.html");
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
