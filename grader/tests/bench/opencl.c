/* Runs the benchmark's kernels through OpenCL: started under Oclgrind by bench.c.
 *
 *     opencl KERNELS.cl sumsq|matmul N REPEATS
 *
 * Input, launch shape, checks and output are those of sumsq.cu and matmul.cu: "kernel_seconds WALL CPU"
 * a launch, exit code 1 if the answer is wrong, 2 if OpenCL fails. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCKS = 32, THREADS = 256, TILE = 16 };

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
    const char *text = read_file(kernels);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    free((char *)text);
}

static cl_mem buffer(size_t bytes, const void *from)
{
    cl_int error;
    cl_mem memory =
        clCreateBuffer(context, from ? CL_MEM_COPY_HOST_PTR : 0, bytes, (void *)from, &error);
    check(error, "buffer");
    return memory;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void launch(cl_kernel kernel, int dimensions, const size_t *global, const size_t *local,
                   int repeats)
{
    for (int r = 0; r < repeats; r++) {
        double start = now();
        clock_t cpu_start = clock();
        check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL),
              "launch");
        check(clFinish(queue), "finish");
        printf("kernel_seconds %.6f %.6f\n", now() - start,
               (double)(clock() - cpu_start) / CLOCKS_PER_SEC);
        fflush(stdout);
    }
}

static void set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    check(clSetKernelArg(kernel, index, size, value), "argument");
}

static int run_sumsq(cl_kernel kernel, int n, int repeats)
{
    int *data = malloc((size_t)n * sizeof *data), sums[BLOCKS];
    unsigned expected = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        data[i] = (int)((unsigned)i * 7919u % 1000);
        expected += (unsigned)(data[i] * data[i]);
    }
    cl_mem input = buffer((size_t)n * sizeof *data, data), output = buffer(sizeof sums, NULL);
    set_argument(kernel, 0, sizeof input, &input);
    set_argument(kernel, 1, sizeof n, &n);
    set_argument(kernel, 2, sizeof output, &output);
    launch(kernel, 1, (size_t[]){BLOCKS * THREADS}, (size_t[]){THREADS}, repeats);
    check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL), "read");
    for (int b = 0; b < BLOCKS; b++)
        sum += (unsigned)sums[b];
    free(data);
    return sum != expected;
}

static int run_matmul(cl_kernel kernel, int n, int repeats)
{
    size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    for (size_t i = 0; i < count; i++) {
        a[i] = (float)(i * 31 % 8);
        b[i] = (float)(i * 17 % 8);
    }
    cl_mem memory[] = {buffer(bytes, a), buffer(bytes, b), buffer(bytes, NULL)};
    for (cl_uint i = 0; i < 3; i++)
        set_argument(kernel, i, sizeof memory[i], &memory[i]);
    set_argument(kernel, 3, sizeof n, &n);
    launch(kernel, 2, (size_t[]){(size_t)n, (size_t)n}, (size_t[]){TILE, TILE}, repeats);
    check(clEnqueueReadBuffer(queue, memory[2], CL_TRUE, 0, bytes, c, 0, NULL, NULL), "read");
    int wrong = 0;
    for (int row = 0; row < n; row++) {
        int column = row * 37 % n;
        float expected = 0;
        for (int k = 0; k < n; k++)
            expected += a[row * n + k] * b[k * n + column];
        wrong |= c[row * n + column] != expected;
    }
    free(a);
    free(b);
    free(c);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: opencl KERNELS.cl sumsq|matmul N REPEATS\n");
        return 2;
    }
    cl_int error;
    open_device(argv[1]);
    cl_kernel kernel = clCreateKernel(program, argv[2], &error);
    check(error, "kernel");
    int n = atoi(argv[3]), repeats = atoi(argv[4]);
    return strcmp(argv[2], "sumsq") == 0 ? run_sumsq(kernel, n, repeats)
                                         : run_matmul(kernel, n, repeats);
}
