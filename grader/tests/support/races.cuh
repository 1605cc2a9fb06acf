/* Shared by the programs races_*.cu, student_*.cu and sync_defects.cu: a table of kernels, each of which is launched
 * once on fresh memory.
 *
 * The comment before each kernel tells tests/support/marks.c what to expect: "fine" for no finding, or the id of a
 * finding. A comment "B" marks the finding's line, and "A" the other line that it names, if any. "C" marks the line
 * of a second finding with the same id, for threads that wait for each other. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define WORDS (1 << 14)
#ifndef ERROR_STATUS
#define ERROR_STATUS 1 /* exit status if a launch failed */
#endif

struct kernel_row {
    const char *name;
    void (*kernel)(int *);
    dim3 grid, block;
    int shared;
    bool cooperative;
    unsigned cluster; /* blocks in a cluster; 0: no cluster */
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

/* Runs all rows, or only those that the arguments name. */
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
