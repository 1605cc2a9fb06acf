/* Tests initcheck on correct programs, and how it marks written bytes. Programs with uninitialised
 * reads are in planted/uninitialised-read. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/memory/memory.h"
#include "tests/support/marks.h"
#include "tests/support/shell.h"

TestSuite(initcheck, .init = shell_init, .fini = shell_fini, .timeout = 600);

static const char *const right_programs[] = {
    "api_answers", "api_more", "graphs",   "cooperative", "launch_api",    "memory_api",
    "memory_more", "streams",  "textures", "async",       "matmul_ladder", "sum_ladder",
    "threads",     "indices",  "halves",   "lane_talk",   "bulk",          "tensor_maps",
};

Test(initcheck, is_silent_about_right_programs)
{
    for (size_t i = 0; i < sizeof right_programs / sizeof *right_programs; i++) {
        json_t *run = marks_run("--tools initcheck", right_programs[i]), *finding;
        size_t k;
        json_array_foreach(json_object_get(run, "findings"), k, finding)
        {
            const char *id = json_string_value(json_object_get(finding, "id"));
            cr_expect(strcmp(id, "uninitialised-read") != 0, "%s: %s", right_programs[i],
                      json_string_value(json_object_get(finding, "message")));
        }
        json_decref(run);
    }
}

/* The last number of each texel is padding, which has no value and is not used. */
Test(initcheck, is_silent_about_the_padding_of_texels)
{
    char *text = shell_must(
        "printf '__global__ void sum(cudaTextureObject_t numbers, float *to)\\n{\\n    float4 v = "
        "tex1Dfetch<float4>(numbers, threadIdx.x);\\n    to[threadIdx.x] = v.x + v.y + "
        "v.z;\\n}\\nint main()\\n{\\n    float *to, host[96] = {};\\n    float4 *from;\\n    "
        "cudaMalloc(&to, 128);\\n    cudaMalloc(&from, 512);\\n    cudaMemcpy2D(from, 16, host, "
        "12, 12, 32, cudaMemcpyHostToDevice);\\n    cudaResourceDesc resource = {};\\n    "
        "resource.resType = cudaResourceTypeLinear;\\n    resource.res.linear.devPtr = from;\\n  "
        "  resource.res.linear.desc = cudaCreateChannelDesc<float4>();\\n    "
        "resource.res.linear.sizeInBytes = 512;\\n    cudaTextureDesc how = {};\\n    "
        "cudaTextureObject_t numbers;\\n    cudaCreateTextureObject(&numbers, &resource, &how, "
        "nullptr);\\n    sum<<<1, 32>>>(numbers, to);\\n}\\n' >texture.cu; $NVCC -cudart shared "
        "-lineinfo -L$LIB -o texture texture.cu && $LANEWISE run --tools initcheck ./texture 2>&1");
    cr_expect(strstr(text, "texture requests"), "%s", text);
    cr_expect(!strstr(text, "[uninitialised-read]"), "%s", text);
    free(text);
}

#define BYTES 200u

/* A copy within a block may overlap in either direction. The marks must move with the bytes. */
Test(initcheck, marks_are_copied_with_the_bytes)
{
    struct memory memory;
    bool marked[BYTES] = {false};
    mem_init(&memory, 1 << 20, 0);
    memory.tracks[MEM_WRITTEN] = true;
    const struct mem_block *block = mem_alloc(&memory, BYTES);
    cr_assert(block && block->marks[MEM_WRITTEN]);
    srand(1);
    for (unsigned i = 0; i < BYTES; i++) {
        marked[i] = rand() % 2;
        mem_mark(&memory, MEM_WRITTEN, block->addr + i, 1, marked[i]);
    }
    for (unsigned time = 0; time < 2000; time++) {
        unsigned size = (unsigned)rand() % 100, to = (unsigned)rand() % (BYTES - size);
        unsigned from = time % 2 ? (to + 8) % 64 / 8 * 8 + to % 8 : (unsigned)rand() % 100;
        mem_copy_marks(&memory, block->addr + to, block->addr + from, size);
        memmove(marked + to, marked + from, size);
        for (unsigned i = 0; i < BYTES; i++)
            cr_assert_eq(mem_first_unmarked(block, MEM_WRITTEN, i, 1) == 1, marked[i],
                         "byte %u after %u from %u to %u", i, size, from, to);
    }
    mem_close(&memory);
}
