/* Runs the kernels of the answers on this machine's GPU, through the CUDA driver.
 *
 *   build/tests/answers              writes answers.tsv to stdout
 *   build/tests/answers new          writes only the rows that answers.tsv lacks; append them to the file
 *   build/tests/answers MNEMONIC     shows the first operand set for which GPU and emulator differ;
 *                                    MNEMONIC "all" checks every mnemonic
 *
 * The driver's library is opened at run time, so that this program builds on machines without
 * it. */
#include <cuda.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/files.h"
#include "config.h"
#include "tests/hardware/answers.h"

static struct {
    CUresult (*init)(unsigned);
    CUresult (*device)(CUdevice *, int);
    CUresult (*name)(char *, int, CUdevice);
    CUresult (*context)(CUcontext *, CUdevice);
    CUresult (*set_context)(CUcontext);
    CUresult (*load)(CUmodule *, const void *);
    CUresult (*unload)(CUmodule);
    CUresult (*function)(CUfunction *, CUmodule, const char *);
    CUresult (*alloc)(CUdeviceptr *, size_t);
    CUresult (*write)(CUdeviceptr, const void *, size_t);
    CUresult (*read)(void *, CUdeviceptr, size_t);
    CUresult (*set)(CUdeviceptr, unsigned char, size_t);
    CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, CUstream, void **, void **);
} cuda;

static char gpu_name[100];
static CUdeviceptr in, out;
static uint64_t inputs[ANSWERS_SETS * ANSWERS_SLOTS], outputs[ANSWERS_SETS];

static void must(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    fprintf(stderr, "answers: %s: CUDA error %d\n", what, (int)result);
    exit(2);
}

static void open_library(void)
{
    static const struct {
        void *place;
        const char *name;
    } symbols[] = {
        {&cuda.init, "cuInit"},
        {&cuda.device, "cuDeviceGet"},
        {&cuda.name, "cuDeviceGetName"},
        {&cuda.context, "cuDevicePrimaryCtxRetain"},
        {&cuda.set_context, "cuCtxSetCurrent"},
        {&cuda.load, "cuModuleLoadData"},
        {&cuda.unload, "cuModuleUnload"},
        {&cuda.function, "cuModuleGetFunction"},
        {&cuda.alloc, "cuMemAlloc_v2"},
        {&cuda.write, "cuMemcpyHtoD_v2"},
        {&cuda.read, "cuMemcpyDtoH_v2"},
        {&cuda.set, "cuMemsetD8_v2"},
        {&cuda.launch, "cuLaunchKernel"},
    };
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = library ? dlsym(library, symbols[i].name) : NULL;
        if (!symbol) {
            fprintf(stderr, "answers: this machine has no NVIDIA driver (libcuda.so.1, %s)\n",
                    symbols[i].name);
            exit(2);
        }
        memcpy(symbols[i].place, &symbol, sizeof symbol);
    }
}

static void open_gpu(void)
{
    CUdevice device;
    CUcontext context;
    open_library();
    must(cuda.init(0), "cuInit");
    must(cuda.device(&device, 0), "no GPU");
    must(cuda.name(gpu_name, sizeof gpu_name, device), "no GPU");
    must(cuda.context(&context, device), "no context");
    must(cuda.set_context(context), "no context");
    must(cuda.alloc(&in, sizeof inputs), "no memory");
    must(cuda.alloc(&out, sizeof outputs), "no memory");
}

/* Runs the row's kernel on the GPU. False if the driver rejects its PTX. */
static bool run_on_gpu(const struct opcode_row *row)
{
    char *kernels = answers_ptx(row), *ptx = malloc(strlen(kernels) + sizeof FIXTURE_PTX);
    CUmodule module;
    CUfunction function;
    void *params[] = {&in, &out};
    sprintf(ptx, "%s%s", FIXTURE_PTX, kernels);
    CUresult loaded = cuda.load(&module, ptx);
    free(ptx);
    free(kernels);
    if (loaded != CUDA_SUCCESS) {
        fprintf(stderr, "answers: %s: the driver refuses its PTX (%d)\n", row->name, (int)loaded);
        return false;
    }
    must(cuda.function(&function, module, "plain"), row->name);
    answers_inputs(row, inputs);
    must(cuda.write(in, inputs, sizeof inputs), row->name);
    must(cuda.set(out, 0, sizeof outputs), row->name);
    must(cuda.launch(function, ANSWERS_SETS / ANSWERS_BLOCK, 1, 1, ANSWERS_BLOCK, 1, 1, 0, NULL,
                     params, NULL),
         row->name);
    must(cuda.read(outputs, out, sizeof outputs), row->name);
    must(cuda.unload(module), row->name);
    return true;
}

static void record(const struct opcode_row *row, void *context)
{
    (void)context;
    if (!run_on_gpu(row))
        return;
    char *key = answers_key(row);
    printf("%s\t", key);
    free(key);
    if (!row->ulps) {
        printf("%016" PRIx64 "\n", answers_digest(row, outputs));
        return;
    }
    printf("%" PRIu64 "\t", row->ulps);
    for (size_t i = 0; i < ANSWERS_SHOWN; i++)
        printf("%" PRIx64 "%c", outputs[i], i + 1 < ANSWERS_SHOWN ? ' ' : '\n');
}

static void record_new(const struct opcode_row *row, void *context)
{
    const struct text *recorded = context;
    char *key = answers_key(row), *line = NULL;
    if (asprintf(&line, "\n%s\t", key) < 0 || !strstr(recorded->bytes, line))
        record(row, NULL);
    free(line);
    free(key);
}

static int record_all_new(void)
{
    struct text recorded;
    char why[200];
    if (!base_read_file(LANEWISE_ROOT "/grader/tests/hardware/answers.tsv", 1 << 24, &recorded, why,
                        sizeof why)) {
        fprintf(stderr, "answers: answers.tsv %s\n", why);
        return 2;
    }
    answers_each(record_new, &recorded);
    free(recorded.bytes);
    return 0;
}

struct wanted {
    const char *name;
    bool found;
};

static void compare(const struct opcode_row *row, void *context)
{
    static uint64_t ours[ANSWERS_SETS];
    struct wanted *wanted = context;
    bool all = strcmp(wanted->name, "all") == 0;
    if ((!all && strcmp(row->name, wanted->name) != 0) || !run_on_gpu(row))
        return;
    wanted->found = true;
    answers_emulate(row, inputs, ours);
    size_t different = 0, first = 0;
    for (size_t i = ANSWERS_SETS; i-- > 0;)
        if (!answers_is_right(row, inputs[i * ANSWERS_SLOTS], ours[i], outputs[i]) && ++different)
            first = i;
    const uint64_t *set = &inputs[first * ANSWERS_SLOTS];
    if (different)
        printf("%s (%s): %zu differ; first a=%#" PRIx64 " b=%#" PRIx64 " c=%#" PRIx64 " e=%#" PRIx64
               ": GPU %#" PRIx64 ", emulator %#" PRIx64 "\n",
               row->name, row->form, different, set[0], set[1], set[2], set[3], outputs[first],
               ours[first]);
    else if (!all)
        printf("%s (%s): all %u results agree\n", row->name, row->form, ANSWERS_SETS);
}

int main(int argc, char **argv)
{
    open_gpu();
    if (argc < 2) {
        char date[32];
        time_t now = time(NULL);
        strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
        printf("# %s, %s, by `make answers`\n", gpu_name, date);
        answers_each(record, NULL);
        return 0;
    }
    if (strcmp(argv[1], "new") == 0)
        return record_all_new();
    struct wanted wanted = {argv[1], false};
    answers_each(compare, &wanted);
    if (!wanted.found)
        fprintf(stderr, "answers: no row is called %s\n", argv[1]);
    return wanted.found ? 0 : 2;
}
