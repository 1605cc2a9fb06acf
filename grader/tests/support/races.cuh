/* What the programs of races_*.cu, student_*.cu and sync_defects.cu share: a table of kernels, each launched once on
 * fresh memory.
 *
 * The comment before each kernel is what tests/support/marks.c expects of it: the id of a finding, with its line
 * marked "B" and, where it is about another one too, that one marked "A"; or "fine": no finding at all. "C" is
 * the line of another finding of the same kind: those who wait for each other. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define WORDS (1 << 14)
#ifndef ERROR_STATUS
#define ERROR_STATUS 1 /* of the process, if a launch failed */
#endif

struct kernel_row {
    const char *name;
    void (*kernel)(int *);
    dim3 grid, block;
    int shared;
    bool cooperative;
    unsigned cluster; /* blocks; 0: none */
};

static void run_in_clusters(const kernel_row &row, void **args)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = row.cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = row.grid;
    config.blockDim = row.block;
    config.dynamicSmemBytes = row.shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelExC(&config, (const void *)row.kernel, args);
}

static void run(const kernel_row &row)
{
    int *data;
    void *args[] = {&data};
    cudaMalloc(&data, WORDS * sizeof *data);
    cudaMemset(data, 0, WORDS * sizeof *data);
    if (row.cluster)
        run_in_clusters(row, args);
    else if (row.cooperative)
        cudaLaunchCooperativeKernel((void *)row.kernel, row.grid, row.block, args, row.shared);
    else
        row.kernel<<<row.grid, row.block, row.shared>>>(data);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s: %s\n", row.name, cudaGetErrorString(error));
        exit(ERROR_STATUS);
    }
    cudaFree(data);
}

/* All rows, or those named. */
static int run_all(const kernel_row *rows, int count, int argc, char **argv)
{
    for (int i = 0; i < count; i++) {
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++)
            wanted |= strcmp(argv[k], rows[i].name) == 0;
        if (wanted)
            run(rows[i]);
    }
    return 0;
}

#define ROW(kernel, ...)                                                                           \
    {                                                                                              \
#kernel, kernel, __VA_ARGS__                                                               \
    }
