/* The arguments of cuTensorMapEncodeTiled() and cuTensorMapReplaceAddress(). The results are those
 * of NVIDIA's driver 580 on an H100. The program needs no library of the driver. */
#include "tests/support/check.cuh"
#include "tests/support/tensor.cuh"

#include <cstring>

/* cudaGetDriverEntryPoint() is deprecated, but programs call it. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

struct arguments {
    int type, dims;
    uint64_t address, size[6], stride[5];
    unsigned box[6], step[6];
    int interleave, swizzle, promotion, fill;
    bool has_no_strides;
};

#define T40   (1ull << 40)
#define GOOD  CUDA_SUCCESS
#define WRONG CUDA_ERROR_INVALID_VALUE
/* Floats in rows of 64. */
#define WITH(...) [](arguments &a) { __VA_ARGS__; }

static const struct {
    const char *name;
    void (*change)(arguments &);
    CUresult want;
} rules[] = {
    {"2 dimensions", WITH((void)a), GOOD},
    {"0 dimensions", WITH(a.dims = 0), WRONG},
    {"1 dimension", WITH(a.dims = 1), GOOD},
    {"1 dimension, no strides", WITH(a.dims = 1; a.has_no_strides = true), WRONG},
    {"2 dimensions, no strides", WITH(a.has_no_strides = true), WRONG},
    {"5 dimensions", WITH(a.dims = 5), GOOD},
    {"6 dimensions", WITH(a.dims = 6), WRONG},
    {"an address of 8 mod 16", WITH(a.address = 8), WRONG},
    {"the address 0", WITH(a.address = 0), GOOD},
    {"stride 0", WITH(a.stride[0] = 0), GOOD},
    {"stride 16, less than a row", WITH(a.stride[0] = 16), GOOD},
    {"stride 264", WITH(a.stride[0] = 264), WRONG},
    {"stride 2^40 - 16", WITH(a.stride[0] = T40 - 16), GOOD},
    {"stride 2^40", WITH(a.stride[0] = T40), WRONG},
    {"strides that shrink", WITH(a.dims = 3; a.stride[1] = 128), GOOD},
    {"size 0", WITH(a.size[0] = 0), WRONG},
    {"size 1", WITH(a.size[0] = 1), GOOD},
    {"size 3", WITH(a.size[0] = 3), GOOD},
    {"size 2^32", WITH(a.size[0] = 1ull << 32), GOOD},
    {"size 2^32 + 1", WITH(a.size[0] = (1ull << 32) + 1), WRONG},
    {"box 0", WITH(a.box[0] = 0), WRONG},
    {"box 0 in y", WITH(a.box[1] = 0), WRONG},
    {"box 257", WITH(a.box[1] = 257), WRONG},
    {"box 260 in x", WITH(a.box[0] = 260), WRONG},
    {"box 65537", WITH(a.box[1] = 65537), WRONG},
    {"a box's row of 12 bytes", WITH(a.box[0] = 3), WRONG},
    {"a box larger than the tensor", WITH(a.box[0] = 128), GOOD},
    {"a box of 228 KiB", WITH(a.box[0] = 256; a.box[1] = 228), GOOD},
    {"a box of 229 KiB", WITH(a.box[0] = 256; a.box[1] = 229), WRONG},
    {"step 0", WITH(a.step[1] = 0), WRONG},
    {"step 8", WITH(a.step[1] = 8), GOOD},
    {"step 9", WITH(a.step[1] = 9), WRONG},
    {"step 0 in x", WITH(a.step[0] = 0), WRONG},
    {"step 2 in x", WITH(a.step[0] = 2), GOOD},
    {"step 9 in x", WITH(a.step[0] = 9), WRONG},
    {"swizzle 32 bytes", WITH(a.swizzle = 1; a.box[0] = 8), GOOD},
    {"swizzle 32 bytes, 48 in a row", WITH(a.swizzle = 1; a.box[0] = 12), WRONG},
    {"swizzle 64 bytes, 48 in a row", WITH(a.swizzle = 2; a.box[0] = 12), GOOD},
    {"swizzle 64 bytes, 80 in a row", WITH(a.swizzle = 2; a.box[0] = 20), WRONG},
    {"swizzle 128 bytes", WITH(a.swizzle = 3; a.box[0] = 32), GOOD},
    {"swizzle 128 bytes, 144 in a row", WITH(a.swizzle = 3; a.box[0] = 36), WRONG},
    {"a swizzle of newer GPUs", WITH(a.swizzle = 4; a.box[0] = 32), WRONG},
    {"swizzle 256", WITH(a.swizzle = 256), WRONG},
    {"type 0", WITH(a.type = 0), GOOD},
    {"type 12", WITH(a.type = 12; a.fill = 1), GOOD},
    {"a type of newer GPUs", WITH(a.type = 13; a.box[0] = 128), WRONG},
    {"type 256", WITH(a.type = 256), WRONG},
    {"NaN outside", WITH(a.fill = 1), GOOD},
    {"NaN outside of integers", WITH(a.type = 3; a.fill = 1), WRONG},
    {"fill 2", WITH(a.fill = 2), WRONG},
    {"interleaved in 2 dimensions", WITH(a.interleave = 1), WRONG},
    {"interleave 3", WITH(a.dims = 3; a.interleave = 3), WRONG},
    {"promotion 3", WITH(a.promotion = 3), GOOD},
};

int main()
{
    encode_function *encode = driver_function<encode_function>("cuTensorMapEncodeTiled");
    replace_function *replace = driver_function<replace_function>("cuTensorMapReplaceAddress");
    alignas(64) char room[sizeof(CUtensorMap) + 8];
    void *function = room, *memory;
    cudaDriverEntryPointQueryResult result;
    MUST(cudaMalloc(&memory, 1 << 16));
    for (const auto &rule : rules) {
        arguments a = {7,
                       2,
                       (uint64_t)memory,
                       {64, 64, 8, 4, 2, 1},
                       {256, 16384, 131072, 524288, 1048576},
                       {16, 4, 2, 1, 1, 1},
                       {1, 1, 1, 1, 1, 1}};
        rule.change(a);
        uint64_t address = a.address == 8 ? (uint64_t)memory + 8 : a.address;
        expect(rule.name,
               (int)encode((CUtensorMap *)room, (CUtensorMapDataType)a.type, a.dims,
                           (void *)address, a.size, a.has_no_strides ? nullptr : a.stride, a.box,
                           a.step, (CUtensorMapInterleave)a.interleave,
                           (CUtensorMapSwizzle)a.swizzle, (CUtensorMapL2promotion)a.promotion,
                           (CUtensorMapFloatOOBfill)a.fill),
               (int)rule.want);
    }
    expect("an address", (int)replace((CUtensorMap *)room, (char *)memory + 64), (int)GOOD);
    expect("an address of 8 mod 16", (int)replace((CUtensorMap *)room, (char *)memory + 8),
           (int)WRONG);
    MUST(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result));
    expect("found without a version", (void *)encode == function, true);
    MUST(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 11080,
                                          cudaEnableDefault, &result));
    expect("too old a version", (int)result, (int)cudaDriverEntryPointVersionNotSufficent);
    expect("which has no function", function == nullptr, true);
    MUST(cudaFree(memory));
    return summary();
}
