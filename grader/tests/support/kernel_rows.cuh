/* For programs with planted defects: a table of kernels. Each kernel is launched once, on new memory and in a
 * process of its own, because a fault ends all CUDA work of its process. marks.h describes the comments that list
 * the findings of a kernel. */
#pragma once

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS (1 << 14)

struct kernel_row {
    const char *name;
    void (*kernel)(int *);
    dim3 grid, block;
    int shared;
    bool cooperative;
    unsigned cluster; /* blocks in a cluster, or 0 without clusters */
};

/* Calls WORK in a process of its own. */
template <typename Work> static void apart(Work work)
{
    if (fork() == 0) {
        work();
        cudaDeviceSynchronize();
        _exit(0);
    }
    wait(NULL);
}

static void launch_clusters(const kernel_row &row, void **args)
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

static void launch(const kernel_row &row)
{
    int *data;
    void *args[] = {&data};
    cudaMalloc(&data, WORDS * sizeof *data);
    cudaMemset(data, 0, WORDS * sizeof *data);
    if (row.cluster)
        launch_clusters(row, args);
    else if (row.cooperative)
        cudaLaunchCooperativeKernel((void *)row.kernel, row.grid, row.block, args, row.shared);
    else
        row.kernel<<<row.grid, row.block, row.shared>>>(data);
}

/* Runs all rows, or only those named. Calls PREPARE, unless it is NULL, before each launch. */
static int run_all(const kernel_row *rows, int count, int argc, char **argv,
                   void (*prepare)() = nullptr)
{
    for (int i = 0; i < count; i++) {
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++)
            wanted |= strcmp(argv[k], rows[i].name) == 0;
        if (wanted)
            apart([&] {
                if (prepare)
                    prepare();
                launch(rows[i]);
            });
    }
    return 0;
}

#define ROW(kernel, ...)                                                                           \
    {                                                                                              \
#kernel, kernel, __VA_ARGS__                                                               \
    }
/* Two blocks of 64 threads that are one cluster. */
#define PAIR(kernel) ROW(kernel, 2, 64, 0, false, 2)
