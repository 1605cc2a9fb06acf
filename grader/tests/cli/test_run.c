/* Tests `lanewise run`: which programs it accepts, which options it passes on, and its exit
 * code. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(run, .init = shell_init, .fini = shell_fini, .timeout = 600);

/* Runs SCRIPT, which must end with exit code 2 and print a message of one line that contains
 * MESSAGE. */
static void expect_refusal(const char *name, const char *script, const char *message)
{
    int code;
    char *output = shell(&code, "%s", script);
    cr_expect_eq(code, 2, "%s: exit status %d", name, code);
    cr_expect(strstr(output, message), "%s: \"%s\"", name, output);
    const char *end = strchr(output, '\n');
    cr_expect(end && end[1] == '\0', "%s: not one line: \"%s\"", name, output);
    free(output);
}

static const struct {
    const char *name, *script, *message;
} refusals[] = {
    {"no such file", "$LANEWISE run ./nothing", "./nothing: No such file or directory"},
    {"a folder", "$LANEWISE run /tmp", "/tmp is not a file"},
    {"an empty file", "touch a; chmod +x a; $LANEWISE run ./a", "./a is not an executable"},
    {"a script", "echo '#!/bin/sh' >a; chmod +x a; $LANEWISE run ./a", "./a is not an executable"},
    {"no CUDA program", "cp $LANEWISE a; $LANEWISE run ./a", "./a is not a CUDA program"},
    {"the runtime of an old CUDA",
     "sed s/libcudart.so.13/libcudart.so.11/g $PROGRAMS/indices >a; chmod +x a; $LANEWISE run ./a",
     "./a needs libcudart.so.11; build it with nvcc from CUDA 12 or 13"},
    {"calls of the driver",
     "echo 'int cuInit(unsigned flags) { return 0; }' | "
     "gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so -x c -\n"
     "echo 'int cuInit(unsigned); int main(void) { return cuInit(0); }' | "
     "gcc -o a -x c - -L. -lcuda && $LANEWISE run ./a",
     "./a calls cuInit() of the CUDA driver, which the emulator does not have"},
    {"not executable",
     "cp $PROGRAMS/indices a; chmod -x a; setpriv --reuid 65534 -- "
     "$LANEWISE run ./a 2>&1 || (exit $?)",
     "./a"},
    {"an option with a wrong value", "$LANEWISE run --lines x ./a",
     "--lines must be a whole number, not \"x\""},
    {"no workers", "$LANEWISE run --workers 0 ./a",
     "--workers must be a whole number from 1 to 1024, not \"0\""},
    {"a JSON file that cannot be written",
     "$LANEWISE run --json /nowhere/a --lines 0 $PROGRAMS/indices "
     "2>&1 >/dev/null | tail -1; exit ${PIPESTATUS[0]}",
     "cannot write /nowhere/a: No such file or directory"},
};

Test(run, what_cannot_run_is_refused_in_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        expect_refusal(refusals[i].name, refusals[i].script, refusals[i].message);
}

#define KERNEL                                                                                     \
    "cat >a.cu <<'END'\n"                                                                          \
    "__global__ void k(int *p) { *p = 1; }\n"                                                      \
    "int main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n"  \
    "END\n"

Test(run, a_static_runtime_is_refused)
{
    expect_refusal("static", KERNEL "$NVCC -o a a.cu && $LANEWISE run ./a",
                   "build it with nvcc -cudart shared");
}

Test(run, a_program_without_ptx_is_refused)
{
    expect_refusal("no PTX",
                   KERNEL "$NVCC -gencode arch=compute_80,code=sm_80 -cudart shared -o a a.cu && "
                          "$LANEWISE run ./a",
                   "built only for code=sm_80, without PTX: add nvcc's flag -gencode "
                   "arch=compute_80,code=compute_80");
}

Test(run, a_program_for_newer_gpus_is_refused)
{
    expect_refusal("new PTX",
                   KERNEL "$NVCC -gencode arch=compute_100,code=compute_100 -cudart shared -o a "
                          "a.cu && $LANEWISE run ./a",
                   "its PTX is for compute_100");
}

/* A damaged file is refused or executed, but the command never crashes. */
Test(run, damaged_executables_are_survived)
{
    char *output = shell_must("cp $PROGRAMS/indices good; size=$(stat -c %%s good)\n"
                              "for i in $(seq 60); do\n"
                              "  at=$((i * 7919 %% size)); [ $i -gt 40 ] && at=$((i - 41 + 24))\n"
                              "  cp good a; printf '\\xff\\xff\\xff\\x7f' |\n"
                              "    dd of=a bs=1 seek=$at conv=notrunc 2>/dev/null\n"
                              "  chmod -x a; setpriv --reuid 65534 true\n"
                              "  $LANEWISE run ./a >/dev/null 2>&1; code=$?\n"
                              "  [ $code -eq 2 ] || [ $code -lt 128 ] || echo at $at: $code\n"
                              "  head -c $at good >a; $LANEWISE run ./a >/dev/null 2>&1; code=$?\n"
                              "  [ $code -eq 2 ] || echo first $at bytes: $code\n"
                              "done");
    cr_expect_str_empty(output, "%s", output);
    free(output);
}

/* A kernel with two blocks that race and read uninitialised memory. Then they do LOOPS rounds of
 * scattered loads and stores. */
#define WATCHED                                                                                    \
    "cat >a.cu <<'END'\n"                                                                          \
    "#include <cstdlib>\n"                                                                         \
    "__global__ void work(unsigned *p, unsigned n, int loops) {\n"                                 \
    "    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, sum = p[n + x %% 2];\n"               \
    "    p[n + 2] = x;\n"                                                                          \
    "    for (int i = 0; i < loops; i++, x = x * 1664525u + 1013904223u)\n"                        \
    "        sum += atomicAdd(&p[x %% n], 1);\n"                                                   \
    "    if (sum == 77) p[0] = sum; }\n"                                                           \
    "int main(int argc, char **argv) {\n"                                                          \
    "    unsigned *p, n = 1 << 16; cudaMalloc(&p, 4 * n + 12); cudaMemset(p, 0, 4 * n);\n"         \
    "    for (int i = 0; i < 2; i++) work<<<64, 128>>>(p, n, atoi(argv[1]));\n"                    \
    "    return cudaFree(p); }\n"                                                                  \
    "END\n"                                                                                        \
    "$NVCC -cudart shared -lineinfo -o a a.cu || exit 1\n"

/* Without --tools, all tools are active until they have used up a budget. The budget does not
 * depend on the machine. A launch in which the tools have stopped continues with all workers, and
 * has the same counts. */
Test(run, all_tools_are_on_by_default)
{
    char *output = shell_must(
        WATCHED
        "found() { grep -oE 'race-global|uninitialised-read|Only the first part|To search it all' "
        "$1 | sort -u; }\n"
        "$LANEWISE run ./a 10 >out 2>&1; found out; echo '-- long'\n"
        "for workers in 1 4; do $LANEWISE run --workers $workers ./a 600 >$workers 2>&1; done\n"
        "cmp 1 4; found 4; echo '-- few'\n"
        "$LANEWISE run --tools memcheck ./a 600 >few 2>&1; found few\n"
        "diff <(grep '^  [gw]' few) <(grep '^  [gw]' 4)\n"
        "$LANEWISE run --json a.json ./a 600 2>/dev/null\n"
        "grep -oE '\"watched\": \"[a-z]*\"' a.json");
    cr_expect_str_eq(output,
                     "race-global\nuninitialised-read\n-- long\n"
                     "Only the first part\nTo search it all\nrace-global\nuninitialised-read\n"
                     "-- few\n\"watched\": \"part\"\n\"watched\": \"none\"\n");
    free(output);
}

Test(run, help_and_no_program)
{
    int code;
    char *output = shell(&code, "$LANEWISE run --help");
    cr_expect(code == 0 && strstr(output, "--max-instructions"), "%d: %s", code, output);
    free(output);
    output = shell(&code, "$LANEWISE run");
    cr_expect(code == 2 && strstr(output, "usage: lanewise run"), "%d: %s", code, output);
    free(output);
}

Test(run, the_program_has_its_own_input_output_and_status)
{
    int code;
    char *output =
        shell(&code, "cat >a.cu <<'END'\n"
                     "#include <cstdio>\n"
                     "#include <cstring>\n"
                     "int main(int argc, char **argv) {\n"
                     "    char line[100]; int n; cudaGetDeviceCount(&n);\n"
                     "    fgets(line, sizeof line, stdin);\n"
                     "    printf(\"%%d %%s %%s\", argc, argv[2], line);\n"
                     "    return 40 + n; }\n"
                     "END\n"
                     "$NVCC -cudart shared -o a a.cu && echo hello | $LANEWISE run a --lines -x "
                     "2>/dev/null");
    cr_expect_eq(code, 41, "exit status %d", code);
    cr_expect_str_eq(output, "3 -x hello\n", "%s", output);
    free(output);
}

Test(run, a_crash_is_reported_and_kept)
{
    int code;
    char *output = shell(&code, "$LANEWISE run $PROGRAMS/faults host");
    cr_expect_eq(code, 128 + 11, "exit status %d", code);
    cr_expect(strstr(output, "was killed by signal 11") && strstr(output, "cudaMemcpy"), "%s",
              output);
    free(output);
}

/* The command leaves no files even if it is killed. Here, its own program kills it immediately. */
Test(run, nothing_is_left_behind)
{
    char *output = shell_must("mkdir tmp; export TMPDIR=$PWD/tmp\n"
                              "$LANEWISE run $PROGRAMS/indices >/dev/null 2>&1\n"
                              "cat >a.cu <<'END'\n"
                              "#include <signal.h>\n"
                              "#include <unistd.h>\n"
                              "int main() { cudaFree(0); return kill(getppid(), SIGKILL); }\n"
                              "END\n"
                              "$NVCC -cudart shared -o a a.cu 2>compiler\n"
                              "bash -c '$LANEWISE run ./a >/dev/null 2>&1; exit $?' 2>/dev/null\n"
                              "[ $? -eq 137 ] || echo it was not killed\n"
                              "ls tmp");
    cr_expect_str_empty(output, "%s", output);
    free(output);
}

Test(run, json_is_the_documented_schema)
{
    free(shell_must("$LANEWISE run --json out.json --deterministic $PROGRAMS/matmul_ladder 32 "
                    ">/dev/null 2>&1"));
    char *text = shell_file("out.json", NULL);
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    cr_assert(document, "%s", error.text);
    const char *schema, *program, *argument, *device, *kind, *kernel, *status;
    int code, deterministic, x, y, z, shared, fixed, warps, most, blocks, registers;
    const char *limit;
    double percent;
    json_t *findings, *counters, *lines;
    int failed = json_unpack_ex(
        document, &error, 0,
        "{s:s, s:s, s:[s!], s:i, s:{s:s, s:s, s:b}, s:[{s:s, s:[iii!], s:[iii!], s:i, s:i, "
        "s:{s:i, s:i, s:F, s:i, s:s, s:i!}, s:s, s:o, "
        "s:o}], s:o}",
        "schema", &schema, "program", &program, "args", &argument, "exit_status", &code, "device",
        "name", &device, "kind", &kind, "deterministic", &deterministic, "launches", "kernel",
        &kernel, "grid", &x, &y, &z, "block", &x, &y, &z, "static_shared_bytes", &fixed,
        "dynamic_shared_bytes", &shared, "occupancy", "warps", &warps, "most_warps", &most,
        "percent", &percent, "blocks", &blocks, "limit", &limit, "registers", &registers, "status",
        &status, "counters", &counters, "lines", &lines, "findings", &findings);
    cr_assert(!failed, "%s", error.text);
    cr_expect_str_eq(schema, "lanewise/run/v1");
    cr_expect(code == 0 && deterministic && strcmp(argument, "32") == 0);
    cr_expect(x == 16 && y == 16 && z == 1, "block of the naive kernel: %d %d %d", x, y, z);
    cr_expect(warps == 64 && most == 64 && percent == 100 && blocks == 8, "%d warps, %d blocks",
              warps, blocks);
    cr_expect(strcmp(limit, "warps") == 0 && registers <= 32, "%d registers", registers);
    cr_expect(strstr(kernel, "naive<float>(float const*"), "%s", kernel);
    size_t i;
    json_t *finding;
    cr_expect(json_is_array(findings));
    json_array_foreach(findings, i, finding)
        cr_expect_str_neq(json_string_value(json_object_get(finding, "severity")), "error");
    cr_expect(json_array_size(lines) > 3);
    json_decref(document);
    free(text);
}

/* Two executions with the same input give the same bytes and counters. */
Test(run, deterministic_runs_are_the_same)
{
    char *output = shell_must("for i in 1 2; do $LANEWISE run --deterministic --json $i.json --all "
                              "$PROGRAMS/sum_ladder 5000 >$i.out 2>&1; done\n"
                              "cmp 1.json 2.json; cmp 1.out 2.out");
    cr_expect_str_empty(output, "%s", output);
    free(output);
}

static json_t *launches_of(const char *options, json_t **document)
{
    free(shell_must("$LANEWISE run --json out.json %s $PROGRAMS/timed >/dev/null 2>&1", options));
    char *text = shell_file("out.json", NULL);
    *document = json_loads(text, 0, NULL);
    free(text);
    return json_object_get(*document, "launches");
}

/* If a launch repeats an earlier one, its line in the record is short, but the report shows it
 * completely. With a prediction, every launch has a complete line. */
Test(run, repeated_launches_are_reported_whole)
{
    static const char *const names[] = {"kernel", "grid", "block", "status", "counters"};
    json_t *documents[2], *few = launches_of("", &documents[0]),
                          *all = launches_of("--gpu h200", &documents[1]);
    char *record =
        shell_must("LANEWISE_RECORD=rec LD_LIBRARY_PATH=$LIB LD_PRELOAD=$PRELOAD $PROGRAMS/timed "
                   ">/dev/null; grep -c '^{\"repeats\"' rec");
    cr_expect_gt(atoi(record), 2);
    free(record);
    cr_assert_gt(json_array_size(few), 5);
    cr_assert_eq(json_array_size(few), json_array_size(all));
    for (size_t i = 0; i < json_array_size(few); i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            cr_expect(json_equal(json_object_get(json_array_get(few, i), names[k]),
                                 json_object_get(json_array_get(all, i), names[k])),
                      "launch %zu: %s", i, names[k]);
    json_decref(documents[0]);
    json_decref(documents[1]);
}

/* Counters do not depend on which worker runs which block. */
Test(run, workers_do_not_change_the_counters)
{
    char *output = shell_must("$LANEWISE run --workers 1 --json 1.json $PROGRAMS/matmul_ladder "
                              ">/dev/null 2>&1\n"
                              "$LANEWISE run --workers 5 --json 5.json $PROGRAMS/matmul_ladder "
                              ">/dev/null 2>&1\n"
                              "cmp 1.json 5.json");
    cr_expect_str_empty(output, "%s", output);
    free(output);
}

/* With the name of a GPU, the occupancy is computed for this GPU: a multiprocessor of a T4 has 32
 * warps. */
Test(run, the_occupancy_is_that_of_the_named_gpu, .init = submission_init)
{
    char *output = shell_must("$LANEWISE run --gpu t4 --lab 10 -- width=64 height=100 2>&1");
    cr_expect(strstr(output, "  occupancy              31.2 %          10 of 32 warps, limited by "
                             "shared memory"),
              "%s", output);
    free(output);
}

/* A lab that is run by hand compares its results with the CPU's. Sums of fractions are rounded
 * differently there. */
Test(run, a_lab_by_hand_compares_with_the_cpu, .init = submission_init)
{
    char *output = shell_must("$LANEWISE run --lab 10 -- width=64 height=100 2>&1");
    cr_expect(strstr(output, "CPU: 0 numbers are wrong\n"), "%s", output);
    free(output);
}
