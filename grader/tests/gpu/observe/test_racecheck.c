/* Tests racecheck on correct programs, and its options. Programs with races are in
 * planted/race-*. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/marks.h"
#include "tests/support/shell.h"

TestSuite(racecheck, .init = shell_init, .fini = shell_fini, .timeout = 600);

static const char *const right_programs[] = {
    "api_answers", "api_more", "graphs",   "cooperative",   "launch_api",  "memory_api",
    "memory_more", "streams",  "textures", "matmul_ladder", "sum_ladder",  "threads",
    "indices",     "async",    "bulk",     "lane_talk",     "tensor_maps",
};

Test(racecheck, is_silent_about_right_programs)
{
    for (size_t i = 0; i < sizeof right_programs / sizeof *right_programs; i++) {
        json_t *run = marks_run("--tools racecheck", right_programs[i]), *finding;
        size_t k;
        json_array_foreach(json_object_get(run, "findings"), k, finding)
        {
            const char *id = json_string_value(json_object_get(finding, "id"));
            cr_expect(strncmp(id, "race", 4) != 0, "%s, line %lld: %s", right_programs[i],
                      (long long)json_integer_value(json_object_get(finding, "line")),
                      json_string_value(json_object_get(finding, "message")));
        }
        json_decref(run);
    }
}

Test(racecheck, is_off_unless_it_is_asked_for)
{
    free(shell_must("$LANEWISE run --json out.json --tools memcheck $PROGRAMS/race-shared"));
    char *text = shell_file("out.json", NULL);
    cr_expect(!strstr(text, "\"race-shared\""));
    free(text);
}

Test(racecheck, unknown_tools_are_refused)
{
    int code;
    char *text = shell(&code, "$LANEWISE run --tools memcheck,race $PROGRAMS/race-shared");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(text, "lanewise run: unknown tools \"memcheck,race\"; --tools takes a list of "
                           "memcheck, synccheck, ordercheck, racecheck, initcheck\n");
    free(text);
    text = shell(&code, "LANEWISE_TOOLS=, $LANEWISE run $PROGRAMS/race-shared");
    cr_expect(strstr(text, "LANEWISE_TOOLS=,: expected a list of these tools"));
    free(text);
}

/* If the shadow of a texture grew with each read, this launch would need 4 GiB. */
Test(racecheck, needs_no_more_memory_for_further_reads_of_a_texture)
{
    char *text = shell_must(
        "printf '__global__ void sum(cudaTextureObject_t image, float *to)\\n{\\n    float sum = "
        "0;\\n    for (int i = 0; i < 32; i++)\\n        sum += tex2D<float>(image, threadIdx.x, "
        "i);\\n    to[blockIdx.x * blockDim.x + threadIdx.x] = sum;\\n}\\nint main()\\n{\\n    "
        "float *to;\\n    cudaMalloc(&to, 4 << 17);\\n    cudaArray_t array;\\n    "
        "cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();\\n    "
        "cudaMallocArray(&array, &floats, 32, 32);\\n    cudaResourceDesc resource = {};\\n    "
        "resource.resType = cudaResourceTypeArray;\\n    resource.res.array.array = array;\\n    "
        "cudaTextureDesc how = {};\\n    cudaTextureObject_t image;\\n    "
        "cudaCreateTextureObject(&image, &resource, &how, nullptr);\\n    "
        "sum<<<4096, 32>>>(image, to);\\n}\\n' >texture.cu; $NVCC -cudart shared -lineinfo "
        "-L$LIB -o texture texture.cu && $LANEWISE run --tools racecheck ./texture 2>&1");
    cr_expect(strstr(text, "texture requests"), "%s", text);
    cr_expect(!strstr(text, "[races-unwatched]"), "%s", text);
    free(text);
}

/* Racecheck stops if it has too little memory. The report must then not suggest that there are no
 * races. */
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer itself uses more address space than that */
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
    cr_expect(strstr(text, "note: fill: race detection stopped early"), "%s", text);
    free(text);
}
#endif
