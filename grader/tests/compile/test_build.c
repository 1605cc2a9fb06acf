/* Tests building a submission: nvcc's exit code and messages, the cache of built programs, and
 * failures that are not the student's fault. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile/build.h"
#include "config.h"
#include "sandbox/process.h"

static char folder[PATH_SIZE];

static void make_folder(void)
{
    cr_assert(base_private_folder(folder));
}

static void remove_folder(void)
{
    base_remove_tree(folder);
}

TestSuite(build, .init = make_folder, .fini = remove_folder, .timeout = 600);

static void build_for(enum grading_device device, const char *source, struct compile_build *build)
{
    struct text text = {(char *)source, strlen(source)};
    char why[400];
    struct compile_job job = {.source = &text,
                              .file_name = "a.cu",
                              .shown = "labs/xy/a.cu",
                              .device = device,
                              .gpu_arch = "sm_90",
                              .level = sandbox_best_level(why, sizeof why),
                              .folder = folder};
    compile_build(&job, build);
}

static void build_source(const char *source, struct compile_build *build)
{
    build_for(ON_EMULATOR, source, build);
}

/* Returns the source of a new program: it contains the current time, so it cannot be in the
 * cache. */
static char *fresh_source(const char *statement)
{
    struct timespec now;
    char *source;
    clock_gettime(CLOCK_REALTIME, &now);
    cr_assert(asprintf(&source, "// %lld.%09ld\nint main() { %s }\n", (long long)now.tv_sec,
                       now.tv_nsec, statement) > 0);
    return source;
}

/* Each needs a header that nvcc reads only for programs that seem to need it (shortcuts). */
static const char *const with_rare_functions[] = {
    "#include <cmath>\n"
    "int main() { return std::beta(1.0, 1.0) > 3; }\n",
    "__global__ void k(int *a) { *a = __ldg(a + 1); }\n"
    "int main() {}\n",
    "__global__ void k(int *a) { __stcg(a, 1); }\n"
    "int main() {}\n",
    "__global__ void k(int *a) { *a = __funnelshift_l(a[1], a[2], a[3]); }\n"
    "int main() {}\n",
    "__global__ void k(double *a) { atomicAdd(a, 1.0); }\n"
    "int main() {}\n",
    "__global__ void k(int *a) { atomicAdd_block(a, 1); }\n"
    "int main() {}\n",
    "__global__ void k(float *a, cudaTextureObject_t t) { *a = tex2D<float>(t, 0, 1); }\n"
    "int main() {}\n",
    "__global__ void k(int *a, cudaSurfaceObject_t s) { *a = surf2Dread<int>(s, 0, 1); }\n"
    "int main() {}\n",
    "#include <cuda_fp16.h>\n"
    "__global__ void k(__half *a) { *a = __hadd(__ldg(a + 1), *a); }\n"
    "int main() {}\n",
    "#include <mma.h>\n"
    "int main() {}\n",
    "#include <cooperative_groups.h>\n"
    "#include <cooperative_groups/memcpy_async.h>\n"
    "#include <cooperative_groups/reduce.h>\n"
    "#include <cooperative_groups/scan.h>\n"
    "namespace cg = cooperative_groups;\n"
    "__global__ void k(int *a)\n"
    "{\n"
    "    __shared__ cg::block_tile_memory<128> memory;\n"
    "    __shared__ int copy[32];\n"
    "    auto block = cg::this_thread_block(memory);\n"
    "    auto large = cg::tiled_partition<64>(block);\n"
    "    auto tile = cg::tiled_partition<32>(block);\n"
    "    cg::memcpy_async(block, copy, a, sizeof copy);\n"
    "    cg::wait(block);\n"
    "    a[0] = cg::reduce(large, *a, cg::plus<int>()) + cg::inclusive_scan(tile, *a);\n"
    "    a[1] = cg::coalesced_threads().shfl(a[1], 0) + copy[1];\n"
    "    cg::this_grid().sync();\n"
    "}\n"
    "int main() {}\n",
    "#include <cooperative_groups.h>\n"
    "#include <cooperative_groups/reduce.h>\n"
    "#include <cuda/atomic>\n"
    "namespace cg = cooperative_groups;\n"
    "__global__ void k(cuda::atomic<int> *a)\n"
    "{\n"
    "    auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
    "    cg::reduce_update_async(tile, *a, 1, cg::plus<int>());\n"
    "}\n"
    "int main() {}\n",
};

Test(build, programs_may_call_rare_functions)
{
    for (size_t i = 0; i < sizeof with_rare_functions / sizeof *with_rare_functions; ++i) {
        struct compile_build build;
        build_source(with_rare_functions[i], &build);
        cr_expect_eq(build.end, COMPILE_DONE, "%s%s", with_rare_functions[i], build.messages);
        compile_build_free(&build);
    }
}

Test(build, a_program_is_built_once_and_then_found)
{
    struct compile_build first, second;
    char *source = fresh_source("return 7;");
    build_source(source, &first);
    cr_assert_eq(first.end, COMPILE_DONE, "%s", first.messages);
    cr_expect(!first.cached);
    cr_expect_str_eq(first.messages, "");
    cr_assert_eq(unlink(first.program), 0);
    build_source(source, &second);
    cr_assert_eq(second.end, COMPILE_DONE, "%s", second.messages);
    cr_expect(second.cached);
    const char *words[] = {second.program, NULL};
    const char *environment[] = {"LD_LIBRARY_PATH=" LANEWISE_ROOT "/" LANEWISE_BUILD "/lib",
#ifdef __SANITIZE_ADDRESS__
                                 "LD_PRELOAD=libasan.so.8", "ASAN_OPTIONS=detect_leaks=0",
#endif
                                 NULL};
    struct process_command command = {.argv = words,
                                      .environment = environment,
                                      .wall_seconds = 10,
                                      .output_keep = 1000,
                                      .output_limit = 1000};
    struct process_outcome outcome;
    process_run(&command, &outcome);
    cr_expect(outcome.end == PROCESS_EXITED && outcome.code == 7, "%s", outcome.output);
    process_outcome_free(&outcome);
    compile_build_free(&first);
    compile_build_free(&second);
    free(source);
}

Test(build, a_huge_program_is_not_kept)
{
    struct compile_build builds[2];
    char *source = fresh_source("static volatile int huge[2 << 20] = {1}; return huge[7];");
    for (int i = 0; i < 2; ++i) {
        build_source(source, &builds[i]);
        cr_assert_eq(builds[i].end, COMPILE_DONE, "%s", builds[i].messages);
        cr_expect(!builds[i].cached);
        cr_assert_eq(unlink(builds[i].program), 0);
        compile_build_free(&builds[i]);
    }
    free(source);
}

Test(build, errors_have_the_path_that_the_student_knows)
{
    struct compile_build build;
    build_source("int main() {\n    int x = 3\n    return x;\n}\n", &build);
    cr_expect_eq(build.end, COMPILE_REJECTED);
    cr_expect_str_eq(build.messages, "labs/xy/a.cu:3:5: error: expected a \";\"\n"
                                     "    3 |     return x;\n"
                                     "      |     ^\n");
    compile_build_free(&build);
}

Test(build, what_does_not_link_is_rejected)
{
    struct compile_build build;
    build_source("int missing(); int main() { return missing(); }\n", &build);
    cr_expect_eq(build.end, COMPILE_REJECTED);
    cr_expect(strstr(build.messages, "missing() is used but not defined"), "%s", build.messages);
    compile_build_free(&build);
}

Test(build, the_headers_of_labs_are_found)
{
    struct compile_build build;
    build_source("#include \"lab.h\"\nint main() { return LAB_EXIT_CUDA; }\n", &build);
    cr_expect_eq(build.end, COMPILE_DONE, "%s", build.messages);
    cr_expect_str_eq(build.messages, "");
    compile_build_free(&build);
}

Test(build, warnings_come_back_from_the_cache_too)
{
    for (int round = 0; round < 2; ++round) {
        struct compile_build build;
        build_source("__global__ void k() { int unused; }\nint main() { return 0; }\n", &build);
        cr_expect_eq(build.end, COMPILE_DONE, "%s", build.messages);
        cr_expect(strstr(build.messages, "labs/xy/a.cu:1:27: warning"), "%s", build.messages);
        compile_build_free(&build);
    }
}

Test(build, a_missing_compiler_is_nobodys_fault)
{
    struct compile_build build;
    char *source = fresh_source("return 0;");
    setenv("NVCC", "/nowhere/nvcc", 1);
    build_source(source, &build);
    cr_expect_eq(build.end, COMPILE_BROKEN);
    cr_expect(strstr(build.messages, "/nowhere/nvcc"), "%s", build.messages);
    compile_build_free(&build);
    free(source);
}

/* Replaces nvcc by a shell script. */
static void fake_compiler(const char *script)
{
    char path[PATH_SIZE];
    cr_assert(base_path(path, "%s/nvcc", folder));
    cr_assert(base_write_file(path, script, strlen(script), 0700));
    setenv("NVCC", path, 1);
}

Test(build, a_compiler_that_is_badly_installed_is_nobodys_fault)
{
    struct compile_build build;
    fake_compiler("#!/bin/sh\necho 'nvcc fatal   : Host compiler missing'; exit 1\n");
    build_source("int main() {}\n", &build);
    cr_expect_eq(build.end, COMPILE_BROKEN);
    cr_expect_str_eq(build.messages, "nvcc fatal   : Host compiler missing");
    compile_build_free(&build);
}

/* The kernel kills a process if the machine has too little memory. */
Test(build, a_compiler_that_is_killed_is_nobodys_fault)
{
    static const char *const scripts[] = {
        "#!/bin/sh\nkill -KILL $$\n",
        "#!/bin/sh\nsh -c 'kill -KILL $$'\nexit $?\n",
        "#!/bin/sh\necho 'gcc: fatal error: Killed signal terminated program cc1plus'; exit 1\n",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        struct compile_build build;
        fake_compiler(scripts[i]);
        build_source("int main() {}\n", &build);
        cr_expect_eq(build.end, COMPILE_BROKEN, "script %zu", i);
        cr_expect(strstr(build.messages, "killed the compiler"), "%s", build.messages);
        compile_build_free(&build);
    }
}

Test(build, a_compiler_of_another_release_is_nobodys_fault)
{
    struct compile_build build;
    fake_compiler("#!/bin/sh\necho 'Cuda compilation tools, release 12.4, V12.4.131'\n");
    build_source("int main() {}\n", &build);
    cr_expect_eq(build.end, COMPILE_BROKEN);
    cr_expect(strstr(build.messages, "is from CUDA 12.4, but grading needs CUDA 13"), "%s",
              build.messages);
    compile_build_free(&build);
}

Test(build, a_compiler_that_crashes_rejects)
{
    struct compile_build build;
    fake_compiler("#!/bin/sh\nkill -SEGV $$\n");
    build_source("int main() {}\n", &build);
    cr_expect_eq(build.end, COMPILE_REJECTED);
    compile_build_free(&build);
}

Test(build, a_compiler_that_leaves_nothing_has_not_built)
{
    struct compile_build build;
    fake_compiler("#!/bin/sh\nexit 0\n");
    build_source("int main() {}\n", &build);
    cr_expect_eq(build.end, COMPILE_REJECTED);
    compile_build_free(&build);
}

/* Symbols that a submission may not define if it is built for a GPU. For the emulator it may define
 * them, if they have no effect. */
static const struct {
    const char *name, *source, *symbol; /* SYMBOL is NULL if the build must succeed */
} definitions[] = {
    {"functions of its own",
     "static int malloc_all() { return 0; } int culprit() { return malloc_all(); }", NULL},
    {"C++ functions with the same names",
     "int clock(float x) { return x; } int cudaMalloc(char) { return 0; }", NULL},
    {"a function of the runtime",
     "extern \"C\" int cudaEventElapsedTime(float *ms, void *, void *) { return *ms = 1, 0; }",
     "cudaEventElapsedTime"},
    {"a symbol defined in assembly",
     "asm(\".globl cudaDeviceSynchronize\\ncudaDeviceSynchronize: ret\");",
     "cudaDeviceSynchronize"},
    {"a weak one", "extern \"C\" __attribute__((weak)) int __cudaLaunchKernel(void) { return 0; }",
     "__cudaLaunchKernel"},
    {"an alias",
     "static int zero() { return 0; }\nextern \"C\" int cudaFree(int)"
     " __attribute__((alias(\"_ZL4zerov\")));",
     "cudaFree"},
    {"the driver", "extern \"C\" int cuInit(unsigned) { return 0; }", "cuInit"},
    {"a variable", "extern \"C\" { int cuMemAlloc_v2; }", "cuMemAlloc_v2"},
    {"a clock", "extern \"C\" int clock_gettime(int, void *) { return 0; }", "clock_gettime"},
    {"memory", "extern \"C\" void *calloc(unsigned long, unsigned long) { return 0; }", "calloc"},
    {"the loader", "extern \"C\" void *dlsym(void *, const char *) { return 0; }", "dlsym"},
    {"a function that is chosen at load time (ifunc)",
     "extern \"C\" { typedef int (*f)(); static int g() { return 0; } static f h() { return g; }\n"
     "int memcmp(...) __attribute__((ifunc(\"_ZL1hv\"))); }",
     "memcmp"},
};

Test(build, programs_for_a_gpu_define_nothing_of_cuda_or_libc)
{
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; ++i) {
        struct compile_build build;
        char *source, *fresh = fresh_source("return 0;");
        const char *symbol = definitions[i].symbol;
        cr_assert(asprintf(&source, "%s\n%s", definitions[i].source, fresh) > 0);
        build_for(ON_GPU, source, &build);
        cr_expect_eq(build.end, symbol ? COMPILE_REJECTED : COMPILE_DONE, "%s: %s",
                     definitions[i].name, build.messages);
        cr_expect(!symbol || strstr(build.messages, symbol), "%s: %s", definitions[i].name,
                  build.messages);
        compile_build_free(&build);
        free(source);
        free(fresh);
        remove_folder();
        make_folder();
    }
}

static uint16_t machine_of(const char *program)
{
    Elf64_Ehdr header;
    FILE *file = fopen(program, "rb");
    cr_assert(file && fread(&header, sizeof header, 1, file) == 1, "%s", program);
    fclose(file);
    return header.e_machine;
}

/* nvcc links the runtime library of this CPU. `make try-arm64` runs this test on arm64, too. */
Test(build, labs_can_be_built_for_a_gpu)
{
    static const char *const labs[] = {"01-parallelize/parallelize.cu",
                                       "06-tiled-matmul/tiled_matmul.cu",
                                       "16-fast-product/fast_product.cu"};
    for (size_t i = 0; i < sizeof labs / sizeof *labs; ++i) {
        struct compile_build build;
        struct text source;
        char path[PATH_SIZE], why[400];
        snprintf(path, sizeof path, LANEWISE_ROOT "/solutions/%s", labs[i]);
        cr_assert(base_read_file(path, 1 << 20, &source, why, sizeof why), "%s", why);
        build_for(ON_GPU, source.bytes, &build);
        cr_assert_eq(build.end, COMPILE_DONE, "%s: %s", labs[i], build.messages);
        cr_expect_eq(machine_of(build.program), machine_of("/proc/self/exe"), "%s", labs[i]);
        compile_build_free(&build);
        free(source.bytes);
        remove_folder();
        make_folder();
    }
}
