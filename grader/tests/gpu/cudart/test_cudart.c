/* Tests the runtime library with programs that nvcc has built, and that check themselves
 * (support/check.cuh). These programs must succeed, counters must agree with theory, and errors
 * must be those of a GPU. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dlfcn.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "gpu/counters.h"
#include "tests/support/shell.h"

TestSuite(cudart, .init = shell_init, .fini = shell_fini, .timeout = 600);

/* --- programs that check themselves ----------------------------------------------------------- */

static const char *const programs[] = {
    "sum_ladder", "matmul_ladder", "indices",     "memory_api",   "launch_api",
    "threads",    "lane_talk",     "async",       "cuda12",       "own_streams",
    "matrices",   "bulk",          "tensor_maps", "tensor_rules",
};

Test(cudart, programs_find_their_results_right)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE run --lines 0 $PROGRAMS/%s", programs[i]);
        cr_expect(code == 0 && strstr(output, "all right\n"), "%s: exit status %d: %s", programs[i],
                  code, output);
        free(output);
    }
}

/* A warp that polls forever would reach the limit. With two workers, one of them may poll while the
 * other has no CPU. */
Test(cudart, waiting_warps_let_others_work)
{
    static const char *const options[] = {"--workers 1 --max-instructions 1000000",
                                          "--workers 2 --max-instructions 500000000"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE run --lines 0 %s $PROGRAMS/waits", options[i]);
        cr_expect(code == 0 && strstr(output, "all right\n"), "%s: exit status %d: %s", options[i],
                  code, output);
        free(output);
    }
}

/* Programs that were built in different ways: with other functions for launches, other
 * registration, other compression. For the last row, newly allocated memory has random bytes. */
static const struct {
    const char *name, *program, *options, *environment;
} builds[] = {
    {"launches as in CUDA 12", "launch_api", "-D__NV_LEGACY_LAUNCH -Xcompiler -D__NV_LEGACY_LAUNCH",
     ""},
    {"a default stream for each thread", "memory_api", "--default-stream per-thread", ""},
    {"PTX that is not compressed", "indices", "--compress-mode none", ""},
    {"PTX in LZ4", "indices", "--compress-mode speed", ""},
    {"PTX for 9.0", "matmul_ladder", "-arch=compute_90", ""},
    {"code for many GPUs", "indices",
     "-gencode arch=compute_75,code=[sm_75,compute_75] -gencode arch=compute_80,code=sm_80 "
     "-gencode arch=compute_90,code=[sm_90,compute_90]",
     ""},
    {"relocatable device code", "indices", "-rdc=true", ""},
    {"asynchronous copies for 8.0", "async", "-arch=compute_80", ""},
    {"for a debugger", "sum_ladder", "-G", ""},
    {"without optimisation", "matmul_ladder", "-Xcicc -O0", ""},
    {"poisoned memory", "sum_ladder", "", "LANEWISE_POISON=7"},
    {"one worker", "sum_ladder", "", "LANEWISE_WORKERS=1"},
};

ParameterizedTestParameters(cudart, programs_built_otherwise)
{
    static int indices[sizeof builds / sizeof *builds];
    for (int i = 0; i < (int)(sizeof builds / sizeof *builds); i++)
        indices[i] = i;
    return cr_make_param_array(int, indices, sizeof builds / sizeof *builds);
}

ParameterizedTest(int *index, cudart, programs_built_otherwise)
{
    int code;
    char *output =
        shell(&code,
              "$NVCC -cudart shared -I$TESTS/.. %s -o a $(find $TESTS -name %s.cu) && "
              "%s $LANEWISE run --lines 0 ./a",
              builds[*index].options, builds[*index].program, builds[*index].environment);
    cr_expect(code == 0 && strstr(output, "all right\n"), "%s: exit status %d: %s",
              builds[*index].name, code, output);
    free(output);
}

/* --- counters --------------------------------------------------------------------------------- */

static json_t *run_for_json(const char *program)
{
    free(shell_must("$LANEWISE run --lines 0 --json out.json $PROGRAMS/%s >/dev/null 2>&1",
                    program));
    char *text = shell_file("out.json", NULL);
    json_t *document = json_loads(text, 0, NULL);
    cr_assert(document, "%s: no JSON", program);
    free(text);
    return document;
}

/* Returns the first launch with BLOCKS blocks in x of a kernel whose name contains KERNEL. */
static const json_t *find_launch(const json_t *document, const char *kernel, int blocks)
{
    size_t i;
    json_t *launch;
    json_array_foreach(json_object_get(document, "launches"), i, launch)
    {
        const char *name = json_string_value(json_object_get(launch, "kernel"));
        json_t *x = json_array_get(json_object_get(launch, "grid"), 0);
        if (strstr(name, kernel) && json_integer_value(x) == blocks)
            return launch;
    }
    cr_assert(false, "no launch of %s with %d blocks", kernel, blocks);
    return NULL;
}

/* A kernel whose name begins with "wide" executes at least one wide operation for each of its 256
 * products. All others execute none. */
Test(cudart, sums_by_something_wider_than_floats)
{
    json_t *document = run_for_json("wide_sums"), *launch;
    size_t i;
    json_array_foreach(json_object_get(document, "launches"), i, launch)
    {
        const char *kernel = json_string_value(json_object_get(launch, "kernel"));
        json_int_t count = json_integer_value(
            json_object_get(json_object_get(launch, "counters"), "wide_operations"));
        cr_expect(strncmp(kernel, "wide", 4) == 0 ? count >= 256 : count == 0, "%s: %lld", kernel,
                  (long long)count);
    }
    cr_expect_eq(i, 13);
    json_decref(document);
}

/* The expected counters for each version of the sum, calculated by hand for 32,768 elements and
 * blocks of 256 threads (8 warps). */
static const struct {
    const char *kernel;
    int blocks;
    enum emu_counter counter;
    long long right;
} counts[] = {
    /* each of 256 threads reads a chunk of 128 words, so each lane needs a separate 128-byte
     * line */
    {"chunks<int>", 1, EMU_global_load_requests, 1024},
    {"chunks<int>", 1, EMU_global_load_sectors, 32 * 1024},
    {"chunks<int>", 1, EMU_global_load_sectors_ideal, 4 * 1024},
    {"chunks<int>", 1, EMU_global_load_lines, 32 * 1024},
    /* 32 blocks and chunks of 4 words: lanes are 16 bytes apart, so a warp covers 512 bytes */
    {"chunks<int>", 32, EMU_global_load_sectors, 16 * 1024},
    {"chunks<int>", 32, EMU_global_load_lines, 4 * 1024},
    {"interleaved<int>", 32, EMU_global_load_requests, 1024},
    {"interleaved<int>", 32, EMU_global_load_sectors, 4 * 1024},
    {"interleaved<int>", 32, EMU_global_load_sectors_ideal, 4 * 1024},
    {"interleaved<int>", 32, EMU_global_load_lines, 1024},
    {"interleaved<int>", 32, EMU_global_store_requests, 256},
    {"interleaved<int>", 32, EMU_global_store_sectors, 4 * 256},
    {"interleaved<double>", 32, EMU_global_load_sectors, 8 * 1024},
    {"vectors", 32, EMU_global_load_requests, 256},
    {"vectors", 32, EMU_global_load_sectors, 16 * 256},
    {"one_thread<float>", 1, EMU_global_load_requests, 32768},
    {"one_thread<float>", 1, EMU_global_load_sectors, 32768},
    {"atomics<int>", 32, EMU_global_reduction_requests, 256},
    {"atomics<int>", 32, EMU_global_reduction_sectors, 256},
    {"atomics<int>", 32, EMU_global_atomic_requests, 0},
    /* thread 0 reads the 256 words of its block one by one */
    {"shared_serial<int>", 32, EMU_shared_load_requests, 32 * 256},
    {"shared_serial<int>", 32, EMU_shared_load_bank_conflicts, 0},
    {"shared_serial<int>", 32, EMU_shared_store_requests, 256},
    /* the tree with the index 2 * off * t; this number was measured on a GPU */
    {"tree_interleaved<int>", 32, EMU_shared_load_bank_conflicts, 2240},
    {"tree_interleaved<int>", 32, EMU_shared_store_bank_conflicts, 1120},
    {"tree_interleaved<float>", 32, EMU_shared_load_bank_conflicts, 2240},
    {"tree_modulo<int>", 32, EMU_shared_load_bank_conflicts, 0},
    {"tree_mask<int>", 32, EMU_shared_load_bank_conflicts, 0},
    {"tree_mask<int>", 32, EMU_shared_store_bank_conflicts, 0},
    {"tree_sequential<int>", 32, EMU_shared_load_bank_conflicts, 0},
    /* For off = 1 to 16, all 8 warps diverge. For 32, 64 and 128, only the warps that still work
     * diverge. This makes 5*8 + 4 + 2 + 1, and one more for thread 0 at the end. */
    {"tree_mask<int>", 32, EMU_divergent_branches, 32 * (5 * 8 + 4 + 2 + 1 + 1)},
    /* for off = 128, 64 and 32, whole warps stop; for 16 to 1, one warp diverges */
    {"tree_sequential<int>", 32, EMU_divergent_branches, 32 * (5 + 1)},
    /* one barrier before the tree and eight in it, for eight warps */
    {"tree_sequential<int>", 32, EMU_barriers, 32 * 8 * 9},
    {"tree_unrolled<int>", 32, EMU_barriers, 32 * 8 * 3},
};

Test(cudart, the_sum_ladder_counts_what_theory_says)
{
    json_t *document = run_for_json("sum_ladder 32768");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const json_t *launch = find_launch(document, counts[i].kernel, counts[i].blocks);
        const char *name = emu_counter_name(counts[i].counter);
        long long got =
            json_integer_value(json_object_get(json_object_get(launch, "counters"), name));
        cr_expect_eq(got, counts[i].right, "%s, %d blocks: %s is %lld, but theory says %lld",
                     counts[i].kernel, counts[i].blocks, name, got, counts[i].right);
    }
    json_decref(document);
}

static long long counter_of(const json_t *document, const char *kernel, int blocks,
                            const char *name)
{
    const json_t *launch = find_launch(document, kernel, blocks);
    return json_integer_value(json_object_get(json_object_get(launch, "counters"), name));
}

/* For n = 64 there are 4 x 4 blocks. Each warp is two rows of 16 threads. */
Test(cudart, the_matmul_ladder_counts_what_theory_says)
{
    json_t *document = run_for_json("matmul_ladder 64");
    long long naive = counter_of(document, "naive<float>", 4, "global_load_sectors");
    long long tiled = counter_of(document, "tiled<float>", 4, "global_load_sectors");
    /* naive: each of 128 warps loads 64 times: two words of A in 2 sectors, and 16 words of B in 2
     * sectors */
    cr_expect_eq(naive, 128 * 64 * (2 + 2), "naive: %lld sectors", naive);
    /* tiled: each warp loads 4 times: two rows of 16 words from A, and two from B; a pair of rows
     * has 4 sectors */
    cr_expect_eq(tiled, 128 * 4 * (4 + 4), "tiled: %lld sectors", tiled);
    cr_expect_eq(counter_of(document, "tiled<float>", 4, "shared_load_bank_conflicts"), 0);
    cr_expect_eq(counter_of(document, "tiled<float>", 4, "barriers"), 128 * 4 * 2);
    json_decref(document);
}

/* Returns the number of the first line of FILE that contains TEXT. */
static int line_of(const char *file, const char *text)
{
    char *source = shell_source(file), *at = strstr(source, text);
    int line = 1;
    cr_assert(at, "%s has no \"%s\"", file, text);
    for (char *c = source; c < at; c++)
        line += *c == '\n';
    free(source);
    return line;
}

Test(cudart, lines_have_their_own_counters)
{
    json_t *document = run_for_json("sum_ladder 32768"), *line;
    const json_t *launch = find_launch(document, "tree_interleaved<int>", 32);
    int number = line_of("sum_ladder.cu", "s[i] += s[i + off];"), found = 0;
    size_t i;
    json_array_foreach(json_object_get(launch, "lines"), i, line)
    {
        const char *file = json_string_value(json_object_get(line, "file"));
        if (!strstr(file, "sum_ladder.cu") ||
            json_integer_value(json_object_get(line, "line")) != number)
            continue;
        json_t *counters = json_object_get(line, "counters");
        found++;
        cr_expect_eq(json_integer_value(json_object_get(counters, "shared_load_bank_conflicts")),
                     2240);
        cr_expect_eq(json_integer_value(json_object_get(counters, "shared_store_bank_conflicts")),
                     1120);
        cr_expect_null(json_object_get(counters, "global_load_requests"));
    }
    cr_expect_eq(found, 1, "line %d is listed %d times", number, found);
    json_decref(document);
}

/* --- errors ----------------------------------------------------------------------------------- */

/* Compares line by line, so that a failure shows only one of 400 lines. */
Test(cudart, answers_are_those_of_a_gpu)
{
    free(shell_must("$LANEWISE run --lines 0 $PROGRAMS/api_answers >out 2>/dev/null"));
    char *got = shell_file("out", NULL), *got_rest = got;
    char *right = shell_source("api_answers.expected");
    char *right_rest = right;
    for (int line = 1; got_rest || right_rest; line++) {
        const char *one = strsep(&got_rest, "\n"), *other = strsep(&right_rest, "\n");
        cr_assert(one && other && strcmp(one, other) == 0, "line %d: \"%s\", a GPU says \"%s\"",
                  line, one ? one : "(end)", other ? other : "(end)");
    }
    free(got);
    free(right);
}

static const struct {
    const char *kind, *error, *id, *line; /* LINE is a part of the finding's source line, or "" */
} faults[] = {
    {"after-the-end", "cudaSuccess", "[out-of-bounds]",
     "p[i] = 1;"}, /* a GPU maps this memory, too, so it does not report the access */
    {"far-away", "cudaErrorIllegalAddress", "[out-of-bounds]", "p[i] = 1;"},
    {"null", "cudaErrorIllegalAddress", "[out-of-bounds]", "p[i] = 1;"},
    {"freed", "cudaErrorIllegalAddress", "[use-after-free]", "p[i] = 1;"},
    {"shared", "cudaErrorIllegalAddress", "[out-of-bounds]", "s[threadIdx.x + i]"},
    {"misaligned", "cudaErrorMisalignedAddress", "[misaligned]", "*(int *)(p + 2) = 1;"},
    {"trap", "cudaErrorLaunchFailure", "[trap]", "__trap();"},
    {"assert", "cudaErrorAssert", "[assertion]", "assert(p[0] == 1);"},
    {"endless", "cudaErrorLaunchTimeout", "[endless-loop]", "p[1] = p[1] + 1;"},
};

Test(cudart, faults_have_their_errors_and_findings)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char right[400], place[100] = "";
        int code;
        char *output = shell(&code,
                             "$LANEWISE run --max-instructions 100000 --lines 0 "
                             "$PROGRAMS/faults %s",
                             faults[i].kind);
        const char *error = faults[i].error;
        snprintf(right, sizeof right,
                 "launch: cudaSuccess\nwait: %s\nlast: %s\nlast again: cudaSuccess\nmalloc: %s\n"
                 "copy: %s\n",
                 error, error, error, error);
        snprintf(place, sizeof place, "faults.cu:%d:", line_of("faults.cu", faults[i].line));
        cr_expect(code == 0 && strstr(output, right), "%s: %s", faults[i].kind, output);
        cr_expect(strstr(output, faults[i].id) && strstr(output, place), "%s: no %s at %s: %s",
                  faults[i].kind, faults[i].id, place, output);
        cr_expect(strstr(output, " error: "), "%s: %s", faults[i].kind, output);
        free(output);
    }
}

Test(cudart, an_impossible_launch_is_explained)
{
    char *output = shell_must("cd $TESTS/gpu/cudart && $LANEWISE run $PROGRAMS/faults threads");
    cr_expect(strstr(output, "launch: cudaErrorInvalidValue\nwait: cudaSuccess\n"), "%s", output);
    cr_expect(strstr(output, "faults.cu:69: error: outside: a block of 2000 x 1 x 1 threads") &&
                  strstr(output, "outside<<<1, 2000>>>(p, 0);") &&
                  strstr(output, "[invalid-launch]"),
              "%s", output);
    free(output);
}

/* nvcc 12 compiles <<<...>>> to a call of cudaLaunchKernel(), which a program may also call
 * directly. */
Test(cudart, a_launch_is_found_where_it_is)
{
    char *output = shell_must("cat >a.cu <<'END'\n"
                              "__global__ void k() {}\n"
                              "int main()\n"
                              "{\n"
                              "    k<<<1, 5000>>>();\n"
                              "    cudaLaunchKernel((const void *)k, 1, 6000, nullptr, 0, 0);\n"
                              "}\n"
                              "END\n"
                              "$NVCC -cudart shared -g -D__NV_LEGACY_LAUNCH -Xcompiler "
                              "-D__NV_LEGACY_LAUNCH -o a a.cu && $LANEWISE run ./a");
    cr_expect(strstr(output, "a.cu:4: error: k: a block of 5000 x 1 x 1"), "%s", output);
    cr_expect(strstr(output, "a.cu:5: error: k: a block of 6000 x 1 x 1"), "%s", output);
    free(output);
}

Test(cudart, what_is_not_supported_is_named_once)
{
    char *output = shell_must("cd $TESTS/gpu/cudart && $LANEWISE run $PROGRAMS/unsupported");
    static const char right[] = "cudaArrayGetMemoryRequirements: cudaErrorNotSupported\n"
                                "cudaArrayGetMemoryRequirements again: cudaErrorNotSupported\n"
                                "cudaArrayGetSparseProperties: cudaErrorNotSupported\n"
                                "last: cudaErrorNotSupported\n"
                                "cuLaunchKernel: cudaSuccess\n"
                                "1, 1\n"
                                "interleaved: 801\n"
                                "an ordinary launch after them: cudaSuccess\n";
    cr_expect(strstr(output, right), "%s", output);
    const char *first =
        strstr(output, "cudaArrayGetMemoryRequirements is not supported by Lanewise");
    cr_expect(first && !strstr(first + 1, "cudaArrayGetMemoryRequirements is not"), "%s", output);
    cr_expect(strstr(output, "cudaArrayGetSparseProperties is not supported"), "%s", output);
    cr_expect(strstr(output, "the driver's cuLaunchKernel() is not supported"), "%s", output);
    cr_expect(strstr(output, "cuTensorMapEncodeTiled() with an interleaved layout is not"), "%s",
              output);
    free(output);
}

/* With -g, the program also has line numbers of host code. The finding must still be at the
 * kernel's line. */
Test(cudart, ptx_that_is_not_supported_is_shown_at_its_line)
{
    char *output = shell_must(
        "cat >a.cu <<'END'\n"
        "__global__ void k(int *p)\n"
        "{\n"
        "    p[threadIdx.x] = 1;\n"
        "    asm volatile(\"wgmma.fence.sync.aligned;\");\n"
        "}\n"
        "int main()\n"
        "{\n"
        "    k<<<1, 32>>>(nullptr);\n"
        "}\n"
        "END\n"
        "$NVCC -cudart shared -g -lineinfo -gencode arch=compute_90a,code=compute_90a -o a a.cu\n"
        "$LANEWISE run ./a");
    cr_expect(strstr(output, "a.cu:4: error: k: kernel 'k(int*)': PTX line ") &&
                  strstr(output, "'wgmma.fence.sync.aligned'") &&
                  strstr(output, "\n    4 |     asm "),
              "%s", output);
    free(output);
    output = shell_must("LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB ./a 2>&1");
    cr_expect(strstr(output, "a.cu:4: kernel 'k(int*)': PTX line "), "%s", output);
    free(output);
}

/* Without `lanewise run`, the library itself prints the findings. */
Test(cudart, without_a_record_findings_go_to_stderr)
{
    char *output = shell_must(
        "LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB $PROGRAMS/faults null 2>&1 >/dev/null");
    cr_expect(strncmp(output, "lanewise: error: ", 17) == 0 && strstr(output, "[kernel-fault]"),
              "%s", output);
    cr_expect(strchr(output, '\n') == output + strlen(output) - 1, "not one line: %s", output);
    free(output);
}

static const struct {
    const char *setting, *message;
} settings[] = {
    {"LANEWISE_WORKERS=many", "lanewise: LANEWISE_WORKERS=many: expected a whole number"},
    {"LANEWISE_WORKERS=", "LANEWISE_WORKERS=: expected a whole number"},
    {"LANEWISE_MAX_INSTRUCTIONS=-1", "LANEWISE_MAX_INSTRUCTIONS=-1: expected a whole number"},
    {"LANEWISE_POISON=99999999999999999999", "expected a whole number"},
    {"LANEWISE_DETERMINISTIC=2", "LANEWISE_DETERMINISTIC=2"},
    {"LANEWISE_MEMORY=1G", "LANEWISE_MEMORY=1G"},
    {"LANEWISE_RECORD=/nowhere/record", "LANEWISE_RECORD=/nowhere/record: No such file"},
};

/* Calls that only nvcc's generated code makes are not counted. A forked child counts nothing. */
Test(cudart, calls_are_counted)
{
    char *output = shell_must(
        "cat >a.cu <<'END'\n"
        "#include <unistd.h>\n"
        "#include <sys/wait.h>\n"
        "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n"
        "int main() {\n"
        "  float *p, *q; size_t pitch;\n"
        "  cudaMalloc(&p, 4000); cudaMallocPitch(&q, &pitch, 100, 5);\n"
        "  for (int i = 0; i < 3; i++) k<<<1, 32>>>(p);\n"
        "  cudaFree(p); cudaFree(q); cudaFree((void *)8); cudaGetLastError();\n"
        "  if (fork() == 0) return 0;\n"
        "  wait(NULL);\n"
        "}\n"
        "END\n"
        "$NVCC -cudart shared -L\"$LIB\" a.cu -o a 2>&1 || exit\n"
        "LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB LANEWISE_RECORD=$PWD/record ./a || exit\n"
        "grep calls record | tr '{},' '\\n' | grep : | sort");
    cr_expect_str_eq(output, "\"calls\":\n\"cudaFree\":3\n\"cudaGetLastError\":1\n"
                             "\"cudaLaunchKernel\":3\n\"cudaMalloc\":1\n"
                             "\"cudaMallocPitch\":1\n");
    free(output);
}

Test(cudart, mistyped_settings_are_refused)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        int code;
        char *output = shell(&code, "LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB %s $PROGRAMS/indices",
                             settings[i].setting);
        cr_expect_eq(code, 2, "%s: exit status %d", settings[i].setting, code);
        cr_expect(strstr(output, settings[i].message) &&
                      strchr(output, '\n') == output + strlen(output) - 1,
                  "%s: %s", settings[i].setting, output);
        free(output);
    }
}

Test(cudart, memory_is_limited_by_its_setting)
{
    char *output = shell_must("cat >a.cu <<'END'\n"
                              "#include <cstdio>\n"
                              "int main() { void *p; size_t f, t; cudaMemGetInfo(&f, &t);\n"
                              "  int a = cudaMalloc(&p, 1 << 20), b = cudaMalloc(&p, 1 << 20);\n"
                              "  printf(\"%%zu %%d %%d\", t, a, b); }\n"
                              "END\n"
                              "$NVCC -cudart shared -o a a.cu && LANEWISE_MEMORY=1500000 "
                              "$LANEWISE run ./a 2>/dev/null");
    cr_expect_str_eq(output, "1500000 0 2", "%s", output);
    free(output);
}

/* --- the library's names ---------------------------------------------------------------------- */

/* No compiler of CUDA 13 emits calls of these three functions. */
static const char *const unneeded[] = {
    "__cudaGetProcAddress",
    "__cudaRegisterHostVar",
    "__cudaRegisterUnifiedTable",
};

static bool is_unneeded(const char *name)
{
    for (size_t i = 0; i < sizeof unneeded / sizeof *unneeded; i++)
        if (strcmp(name, unneeded[i]) == 0)
            return true;
    return false;
}

/* Our library exports every name that NVIDIA's library exports, so that no program fails to start
 * because of a missing name. */
Test(cudart, all_names_are_there)
{
    char *names = shell_must("nm -D --defined-only " LANEWISE_CUDA_HOME "/lib*/libcudart.so.13 | "
                             "sed -n 's/.* T \\(_*cuda[^@]*\\)@.*/\\1/p' | sort -u");
    void *library = dlopen(LANEWISE_ROOT "/" LANEWISE_BUILD "/lib/libcudart.so.13", RTLD_LAZY);
    cr_assert(library, "%s", dlerror());
    int count = 0;
    char *rest = names;
    for (char *name; (name = strsep(&rest, "\n")) && *name; count++)
        cr_expect(is_unneeded(name) || dlvsym(library, name, "libcudart.so.13"), "no %s", name);
    cr_expect_gt(count, 300, "NVIDIA's library has only %d names", count);
    cr_expect_null(dlsym(library, "emu_open"), "the library exports a name of the emulator");
    free(names);
}

/* Names that only the library of CUDA 12 has. */
static const char *const only_in_12[] = {
    "cudaEventElapsedTime_v2",
    "cudaGetDeviceProperties_v2",
    "cudaGraphAddDependencies_v2",
    "cudaGraphAddNode_v2",
    "cudaGraphGetEdges_v2",
    "cudaGraphNodeGetDependencies_v2",
    "cudaGraphNodeGetDependentNodes_v2",
    "cudaGraphRemoveDependencies_v2",
    "cudaLaunchCooperativeKernelMultiDevice",
    "cudaMemAdvise_v2",
    "cudaMemPrefetchAsync_v2",
    "cudaMemPrefetchAsync_v2_ptsz",
    "cudaSetDoubleForDevice",
    "cudaSetDoubleForHost",
    "cudaSignalExternalSemaphoresAsync_v2",
    "cudaSignalExternalSemaphoresAsync_v2_ptsz",
    "cudaStreamGetCaptureInfo_v2",
    "cudaStreamGetCaptureInfo_v2_ptsz",
    "cudaStreamGetCaptureInfo_v3",
    "cudaStreamGetCaptureInfo_v3_ptsz",
    "cudaStreamUpdateCaptureDependencies_v2",
    "cudaStreamUpdateCaptureDependencies_v2_ptsz",
    "cudaThreadExit",
    "cudaThreadGetCacheConfig",
    "cudaThreadGetLimit",
    "cudaThreadSetCacheConfig",
    "cudaThreadSetLimit",
    "cudaThreadSynchronize",
    "cudaWaitExternalSemaphoresAsync_v2",
    "cudaWaitExternalSemaphoresAsync_v2_ptsz",
};

/* Our library for CUDA 12 has all names of our library for CUDA 13, and the names above. */
Test(cudart, all_names_of_cuda_12_are_there)
{
    enum { ONLY = sizeof only_in_12 / sizeof *only_in_12 };
    char *names = shell_must("nm -D --defined-only $LIB/libcudart.so.13 | "
                             "sed -n 's/.* T \\([^@]*\\)@@libcudart.*/\\1/p'");
    char *all =
        shell_must("nm -D --defined-only $LIB/libcudart.so.12 | grep -c ' T .*@@libcudart.so.12$'");
    void *library = dlopen(LANEWISE_ROOT "/" LANEWISE_BUILD "/lib/libcudart.so.12", RTLD_LAZY);
    cr_assert(library, "%s", dlerror());
    for (int i = 0; i < ONLY; i++)
        cr_expect(dlvsym(library, only_in_12[i], "libcudart.so.12"), "no %s", only_in_12[i]);
    int count = 0;
    char *rest = names;
    for (char *name; (name = strsep(&rest, "\n")) && *name; count++)
        cr_expect(dlvsym(library, name, "libcudart.so.12"), "no %s", name);
    cr_expect_eq(atoi(all), count + ONLY, "%d names, and not %d and %d", atoi(all), count, ONLY);
    free(names);
    free(all);
}
