/* Tests the page that steps through a launch, in a real browser. After random steps, it must show
 * the machine's real state, for the labs' skeletons and solutions. `make try-pages` tests it for
 * their mutants, too. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/step_pages.h"
#include "tests/support/submission.h"

TestSuite(step_states, .init = submission_init, .fini = shell_fini, .timeout = 600);
TestSuite(step_mutants, .init = submission_init, .fini = shell_fini, .timeout = 7200);

static const struct step_program programs[] = {
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

static void check_states(const struct step_program *first, size_t count)
{
    srand(32);
    for (size_t i = 0; i < count; i++)
        cr_expect(step_page_make(&first[i]), "%s: no kernel ran", first[i].name);
    step_page_compare(first, count);
}

Test(step_states, of_the_machine)
{
    check_states(programs, PROGRAMS / 2);
}

Test(step_states, of_the_machine_in_more_labs)
{
    check_states(programs + PROGRAMS / 2, PROGRAMS - PROGRAMS / 2);
}

/* The page computes these operations itself. The second launch writes random numbers, which the
 * page cannot compute, until the recording is too long for a page. The third has NaNs with
 * payloads. */
#define OPERATIONS                                                                                                                          \
    "cat >operations.cu <<'END'\n"                                                                                                          \
    "__global__ void compute(int *p, unsigned char *bytes)\n{\n"                                                                            \
    "    __shared__ unsigned sums[4];\n    int me = threadIdx.x, x = me * -7919;\n"                                                         \
    "    if (me < 4)\n        sums[me] = me;\n    __syncthreads();\n"                                                                       \
    "    for (int i = 0; i < 40; i++) {\n"                                                                                                  \
    "        x ^= x << 13;\n        x ^= x >> (i + 5);\n        x |= (unsigned)x >> i;\n"                                                   \
    "        float f = (float)x + (float)(unsigned)x;\n        bytes[me] = (x & 255) + i;\n"                                                \
    "        p[me] += bytes[me ^ 1] + (int)(f / 65536.0f) + atomicAdd(&sums[me & 3], x);\n"                                                 \
    "        atomicAdd(&p[me / 8], me < 20 ? i : x);\n    }\n}\n"                                                                           \
    "__global__ void random(unsigned *p, int n)\n{\n    unsigned x = threadIdx.x + 1;\n"                                                    \
    "    for (int i = 0; i < n; i++)\n        x = __brev(x * 747796405u + 1) ^ x;\n"                                                        \
    "    p[threadIdx.x] = x;\n}\n"                                                                                                          \
    "__global__ void payloads(unsigned *p)\n{\n    __shared__ volatile float f[64];\n"                                                      \
    "    __shared__ volatile double d[64];\n    int t = threadIdx.x;\n"                                                                     \
    "    f[t] = __uint_as_float(0x7f800001u + t);\n"                                                                                        \
    "    d[t] = __longlong_as_double(0x7ff0000000000001ull + t);\n    __syncthreads();\n"                                                   \
    "    float a = f[63 - t];\n    double b = d[63 - t];\n    f[t] = a * 2.0f + 1.0f;\n"                                                    \
    "    d[t] = b * 2.0;\n    p[t] = __float_as_uint(f[t]) + (unsigned)__double_as_longlong(d[t]);\n"                                       \
    "    f[t] = -__uint_as_float(0x7fc12345u + t);\n    f[t] = 1e-45f * t;\n"                                                               \
    "    p[t] += __float_as_uint(f[t]);\n}\n"                                                                                               \
    "int main()\n{\n    int *p;\n    cudaMalloc(&p, 8192);\n"                                                                               \
    "    compute<<<1, 96>>>(p, (unsigned char *)p + 4096);\n"                                                                               \
    "    random<<<1, 1024>>>((unsigned *)p, 2000);\n    payloads<<<1, 64>>>((unsigned *)p);\n    return cudaDeviceSynchronize();\n}\nEND\n" \
    "$NVCC -arch=compute_75 -code=compute_75 -lineinfo -cudart shared -o operations "                                                       \
    "operations.cu\n"

Test(step_states, of_operations_and_of_a_cut_recording)
{
    static const struct step_program rows[] = {{"computed", NULL, "--launch 1 ./operations"},
                                               {"random", NULL, "--launch 2 ./operations"},
                                               {"payloads", NULL, "--launch 3 ./operations"}};
    free(shell_must(OPERATIONS));
    check_states(rows, 3);
    for (int i = 0; i < 2; i++) {
        json_t *meta = step_page_meta(i ? "random.html" : "computed.html");
        cr_expect_eq(json_is_true(json_object_get(meta, "cut")), i == 1, "%s", rows[i].name);
        json_decref(meta);
    }
}

/* Operations on 8 bytes, conversions and comparisons that the page computes itself. Their operands
 * come from volatile memory. They are near the limits of 32 bits, so that carries and signs
 * matter. */
#define LONGS                                                                                       \
    "cat >longs.cu <<'END'\n"                                                                       \
    "#define COMPARE(name) asm volatile(\"{.reg .pred q; setp.\" name \" q, %%1, %%2; "             \
    "selp.u32 %%0, 1, 0, q;}\" : \"=r\"(bit) : \"r\"(x), \"r\"(y)); bits = 2 * bits + bit;\n"       \
    "__global__ void longs(volatile unsigned *p)\n{\n"                                              \
    "    unsigned t = threadIdx.x, bit, bits = 0;\n"                                                \
    "    long long sum = (int)p[t];\n    for (int i = 0; i < 30; i++) {\n"                          \
    "        unsigned x = p[(t + i) %% 64], y = p[(t ^ i) %% 64];\n"                                \
    "        unsigned short half = (unsigned short)x;\n        unsigned char byte = half;\n"        \
    "        unsigned long long wide = x, other = (unsigned long long)x * y;\n"                     \
    "        sum += (long long)(int)x * (int)y;\n        sum -= wide;\n"                            \
    "        sum ^= other << (x & 127);\n        sum = (sum | wide) & ~(other + half * 3u);\n"      \
    "        sum += (sum << 33) + (unsigned)byte * 4 + __umulhi(x, y) + __mulhi((int)x, (int)y);\n" \
    "        COMPARE(\"lt.s32\") COMPARE(\"le.s32\") COMPARE(\"gt.s32\") COMPARE(\"ge.s32\")\n"     \
    "        COMPARE(\"lt.u32\") COMPARE(\"le.u32\") COMPARE(\"gt.u32\") COMPARE(\"ge.u32\")\n"     \
    "        COMPARE(\"lo.u32\") COMPARE(\"ls.u32\") COMPARE(\"hi.u32\") COMPARE(\"hs.u32\")\n"     \
    "        COMPARE(\"eq.s32\") COMPARE(\"ne.u32\") COMPARE(\"eq.b32\")\n"                         \
    "        p[t] = (unsigned)sum ^ (unsigned)(sum >> 32) ^ bits;\n    }\n}\n"                      \
    "int main()\n{\n    unsigned *p, host[64];\n    for (int i = 0; i < 64; i++)\n"                 \
    "        host[i] = i %% 3 ? 0x80000000u + 5 * i - 77 : 0xfffffff0u + i;\n"                      \
    "    cudaMalloc(&p, 4096);\n    cudaMemcpy(p, host, 256, cudaMemcpyHostToDevice);\n"            \
    "    longs<<<1, 64>>>(p);\n    return cudaDeviceSynchronize();\n}\nEND\n"                       \
    "$NVCC -arch=compute_75 -code=compute_75 -lineinfo -cudart shared -o longs longs.cu\n"

Test(step_states, of_operations_on_8_bytes_and_comparisons)
{
    static const struct step_program row = {"longs", NULL, "--launch 1 ./longs"};
    free(shell_must(LONGS));
    check_states(&row, 1);
    json_t *meta = step_page_meta("longs.html");
    json_int_t steps = json_integer_value(json_object_get(meta, "steps"));
    json_int_t bytes = json_integer_value(json_object_get(meta, "stream_bytes"));
    /* In the loop, only selp has values in the recording. */
    cr_expect_lt(bytes, 15 * steps, "%lld bytes for %lld steps", bytes, steps);
    json_decref(meta);
}

/* --- mutants ---------------------------------------------------------------------------------- */

#define MUTANTS LANEWISE_ROOT "/grader/tests/mutants/"
#define BATCH   4 /* number of pages that one browser loads */

/* Fills PROGRAM with mutant PATH; forget() frees it. */
static void name_mutant(struct step_program *program, const char *path)
{
    const char *lab = path + strlen(MUTANTS), *slash = strchr(lab, '/');
    char *folder = strndup(lab, (size_t)(slash - lab));
    char *mutant = strndup(slash + 1, strlen(slash + 1) - strlen(".diff")), *name;
    cr_assert(asprintf(&name, "%.2s-%s", lab, mutant) >= 0);
    *program = (struct step_program){name, folder, mutant};
}

static void forget(struct step_program *program)
{
    free((char *)(uintptr_t)program->name);
    free((char *)(uintptr_t)program->lab);
    free((char *)(uintptr_t)program->mutant);
}

/* Compares the pages of the mutants PATHS, at most BATCH of them. Mutants that launch no kernel
 * have no page. */
static void check_mutants(char *const *paths, size_t count)
{
    struct step_program batch[BATCH];
    size_t pages = 0;
    srand(32);
    for (size_t i = 0; i < count; i++) {
        name_mutant(&batch[pages], paths[i]);
        if (step_page_make(&batch[pages]))
            pages++;
        else
            forget(&batch[pages]);
    }
    step_page_compare(batch, pages);
    while (pages)
        forget(&batch[--pages]);
}

Test(step_mutants, have_the_state_of_the_machine)
{
    glob_t found;
    char *pattern;
    const char *wanted = getenv("LANEWISE_PAGES"); /* such as "08-*" or "08-transpose/turned" */
    if (!wanted)
        cr_skip_test("make try-pages tries them");
    cr_assert(asprintf(&pattern, MUTANTS "%s%s.diff", wanted, strchr(wanted, '/') ? "" : "/*") >=
              0);
    cr_assert_eq(glob(pattern, GLOB_BRACE, NULL, &found), 0, "no mutant is %s", pattern);
    free(pattern);
    for (size_t from = 0; from < found.gl_pathc; from += BATCH) {
        size_t left = found.gl_pathc - from;
        check_mutants(found.gl_pathv + from, left < BATCH ? left : BATCH);
    }
    globfree(&found);
}
