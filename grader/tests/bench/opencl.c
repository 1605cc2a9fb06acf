/* Runs the benchmark's kernels through OpenCL. bench.c starts this program
 * under Oclgrind and with PoCL.
 *
 *     opencl KERNELS.cl NAME N REPEATS
 *
 * Input and launch shape are those of kernels.cu. Prints "kernel_seconds WALL CPU" for each launch,
 * and "checksum X", the sum of the results of one launch. Exit code: 0; 2 if OpenCL fails. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCKS = 32, THREADS = 256, TILE = 16, SQUARE = 32 };

/* The works and their data, which are N or N x N ints, floats or doubles. The second input is made
 * with another factor than the first. */
static const struct work {
    const char *name, *kernel;
    char type;
    unsigned factor, below, factor_b;
    enum { GRID_LINE, GRID_LONG, GRID_TILES, GRID_SQUARES } grid;
} works[] = {
    {"sumsq_chunks", "sumsq_chunks", 'i', 7919, 1000, 0, GRID_LINE},
    {"sumsq", "sumsq", 'i', 7919, 1000, 0, GRID_LINE},
    {"shuffle", "shuffle_sum", 'i', 7919, 1000, 0, GRID_LINE},
    {"matmul_naive", "matmul_naive", 'f', 31, 8, 17, GRID_TILES},
    {"matmul", "matmul", 'f', 31, 8, 17, GRID_TILES},
    {"transpose_conflicts", "transpose_conflicts", 'f', 31, 1000, 0, GRID_SQUARES},
    {"transpose", "transpose", 'f', 31, 1000, 0, GRID_SQUARES},
    {"jacobi", "jacobi", 'd', 31, 1000, 0, GRID_TILES},
    {"texture", "texture", 't', 31, 1000, 0, GRID_TILES},
    {"histogram", "histogram", 'i', 7919, 1000, 0, GRID_LINE},
    {"divergent", "divergent", 'i', 1, 1, 0, GRID_LONG},
};

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "opencl: %s: error %d\n", what, error);
    exit(2);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0) {
        fprintf(stderr, "opencl: cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static void open_device(const char *kernels)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "no platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    char *text = read_file(kernels);
    program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    free(text);
}

static size_t bytes_of(char type)
{
    return type == 'd' ? sizeof(double) : sizeof(int);
}

static void put(void *values, char type, size_t i, unsigned value)
{
    if (type == 'd')
        ((double *)values)[i] = value;
    else if (type == 'i')
        ((int *)values)[i] = (int)value;
    else
        ((float *)values)[i] = (float)value;
}

static double get(const void *values, char type, size_t i)
{
    return type == 'd'   ? ((const double *)values)[i]
           : type == 'i' ? (double)((const int *)values)[i]
                         : ((const float *)values)[i];
}

/* Makes a buffer with COUNT small numbers, or with zeros. */
static cl_mem make_buffer(char type, size_t count, unsigned factor, unsigned below)
{
    cl_int error;
    void *values = calloc(count, bytes_of(type));
    for (size_t i = 0; i < count && factor; i++)
        put(values, type, i, (unsigned)i * factor % below);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, count * bytes_of(type), values, &error);
    check(error, "buffer");
    free(values);
    return buffer;
}

static cl_mem make_image(size_t n, unsigned factor, unsigned below)
{
    cl_int error;
    cl_image_format format = {CL_R, CL_FLOAT};
    cl_image_desc shape = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = n, .image_height = n};
    float *values = malloc(n * n * sizeof *values);
    for (size_t i = 0; i < n * n; i++)
        values[i] = (float)((unsigned)i * factor % below);
    cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &shape,
                                 values, &error);
    check(error, "image");
    free(values);
    return image;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void launch(cl_kernel kernel, const struct work *work, size_t n)
{
    size_t global[2] = {n, n}, local[2] = {TILE, TILE};
    cl_uint dimensions = work->grid >= GRID_TILES ? 2 : 1;
    if (work->grid == GRID_SQUARES) {
        local[0] = SQUARE;
        local[1] = 8;
        global[1] = n / 4;
    } else if (work->grid != GRID_TILES) {
        local[0] = THREADS;
        global[0] = work->grid == GRID_LINE ? BLOCKS * THREADS : n;
    }
    double start = now();
    clock_t cpu_start = clock();
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL),
          "launch");
    check(clFinish(queue), "finish");
    printf("kernel_seconds %.6f %.6f\n", now() - start,
           (double)(clock() - cpu_start) / CLOCKS_PER_SEC);
    fflush(stdout);
}

static void run(const struct work *work, size_t n, int repeats)
{
    cl_int error, width = (cl_int)n;
    cl_kernel kernel = clCreateKernel(program, work->kernel, &error);
    check(error, "kernel");
    char type = work->type == 't' ? 'f' : work->type;
    size_t count = work->grid >= GRID_TILES ? n * n : n;
    cl_mem in = work->type == 't' ? make_image(n, work->factor, work->below)
                                  : make_buffer(type, count, work->factor, work->below);
    cl_mem in_b = make_buffer(type, count, work->factor_b, work->below);
    cl_mem out = make_buffer(type, count, 0, 1);
    check(clSetKernelArg(kernel, 0, sizeof in, &in), "argument");
    check(clSetKernelArg(kernel, 1, sizeof in_b, &in_b), "argument");
    check(clSetKernelArg(kernel, 2, sizeof out, &out), "argument");
    check(clSetKernelArg(kernel, 3, sizeof width, &width), "argument");
    double sum = 0;
    void *values = malloc(count * bytes_of(type));
    for (int r = 0; r < repeats; r++) {
        launch(kernel, work, n);
        if (r > 0)
            continue; /* some works add to the existing values */
        check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, count * bytes_of(type), values, 0, NULL,
                                  NULL),
              "read");
        for (size_t i = 0; i < count; i++)
            sum += get(values, type, i);
    }
    printf("checksum %.17g\n", sum);
    free(values);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 5 && i < sizeof works / sizeof *works; i++) {
        if (strcmp(works[i].name, argv[2]) != 0)
            continue;
        open_device(argv[1]);
        run(&works[i], (size_t)atoi(argv[3]), atoi(argv[4]));
        return 0;
    }
    fprintf(stderr, "usage: opencl KERNELS.cl NAME N REPEATS\n");
    return 2;
}
