/* Tests solutions in which main() and kernels share memory: numbers and results are in managed
 * memory, or in mapped page-locked memory, and nothing is copied. These programs get the same
 * points as the solutions, unless kernels move mapped data over the bus again and again. Results
 * that main() writes there itself earn nothing. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(shared_memory, .init = submission_init, .fini = shell_fini, .timeout = 600);

/* Commands for sed: main() copies to shared memory by memcpy(), and hands in results directly from
 * there. */
#define SHARED                                                                                     \
    "s/CHECK_CUDA(cudaMemcpy(\\([a-z_]*\\), \\(.*\\), \\(.*\\), cudaMemcpyHostToDevice));/"        \
    "memcpy(\\1, \\2, \\3);/\n"                                                                    \
    "s/cudaMemcpy(.*, cudaMemcpyDeviceToHost)/cudaDeviceSynchronize()/\n"                          \
    "s/\\(lab_result(.*\\), &sum, 1)/\\1, sum_on_gpu, 1)/\ns/LAB_FLOAT, c,/LAB_FLOAT, p.c,/\n"
#define MANAGED "s/cudaMalloc(/cudaMallocManaged(/\n" SHARED
#define MAPPED                                                                                     \
    "s/cudaMalloc(&\\(.*\\), \\(.*\\)));/"                                                         \
    "cudaHostAlloc((void **)\\&\\1, \\2, cudaHostAllocMapped));/\n"                                \
    "s/cudaFree(/cudaFreeHost(/\n" SHARED
/* Lab 05: rows in managed memory, with a pitch that the program chooses. */
#define MANAGED_ROWS                                                                               \
    "s/CHECK_CUDA(cudaMallocPitch(&matrix.first, &matrix.pitch, \\(.*\\), height));/"              \
    "matrix.pitch = (\\1 + 127) \\/ 128 * 128;\\n"                                                 \
    "    CHECK_CUDA(cudaMallocManaged(\\&matrix.first, matrix.pitch * height));/\n"
/* Lab 05: the host's numbers are in page-locked memory. */
#define PINNED_SUMS                                                                                \
    "s/(float \\*)memset(malloc(bytes), 0xff, bytes);/NULL;\\n"                                    \
    "    CHECK_CUDA(cudaMallocHost(\\&sums, bytes));/\ns/free(sums)/cudaFreeHost(sums)/\n"
/* Lab 09: main() hands in the bins and the picture from the memory into which kernels wrote
 * them. */
#define RESULTS_IN_PLACE                                                                           \
    "s/LAB_INT, bins,/LAB_INT, bins_on_gpu,/\ns/lab_result_picture/picture.pixels = after;\\n        &/\n"
/* Lab 11: main() hands in the kept numbers (or the sums) and the count from the memory into which
 * kernels wrote them. */
#define KEPT_IN_PLACE                                                                              \
    "s/LAB_INT, out,/LAB_INT, out_on_gpu,/\ns/LAB_INT, &count,/LAB_INT, count_on_gpu,/\n"
#define OVER_THE_BUS "bus," /* the message may be wrapped before and after it */
/* Lab 01: only the sum is in mapped memory. */
#define MAPPED_SUM                                                                                 \
    "s/cudaMalloc(&sum_on_gpu, \\(.*\\)));/"                                                       \
    "cudaHostAlloc((void **)\\&sum_on_gpu, \\1, cudaHostAllocMapped));/\n"                         \
    "s/cudaFree(sum_on_gpu)/cudaFreeHost(sum_on_gpu)/\n"
#define ON_HOST                                                                                    \
    "unsigned long long answer = 0; for (int i = 0; i < n; ++i) answer += (long long)data[i] * data[i];"

static const struct {
    const char *lab, *name, *script;
    int points;
    const char *says; /* a part of the output */
} rows[] = {
    {"01-parallelize", "managed", MANAGED, 100, ""},
    {"01-parallelize", "mapped", MAPPED, 100, ""},
    {"01-parallelize", "mapped sum", MAPPED_SUM, 100, ""},
    {"02-coalesce", "managed", MANAGED, 100, ""},
    {"02-coalesce", "mapped", MAPPED, 100, ""},
    {"03-shared-reduce", "managed", MANAGED, 100, ""},
    {"03-shared-reduce", "mapped", MAPPED, 100, ""},
    {"04-bank-conflicts", "managed", MANAGED, 100, ""},
    {"04-bank-conflicts", "mapped", MAPPED, 100, ""},
    /* the rows are not from cudaMallocPitch(), and main() makes all copies itself */
    {"05-pitched-alloc", "managed", MANAGED_ROWS, 25, ""},
    {"05-pitched-alloc", "pinned sums", PINNED_SUMS, 100, ""},
    {"06-tiled-matmul", "managed", MANAGED, 100, ""},
    {"06-tiled-matmul", "mapped", MAPPED, 35, OVER_THE_BUS},
    {"09-picture-sum", "managed", MANAGED RESULTS_IN_PLACE, 100, ""},
    {"09-picture-sum", "mapped", MAPPED RESULTS_IN_PLACE, 100, ""},
    {"11-warp-votes", "managed", MANAGED KEPT_IN_PLACE, 100, ""},
    {"11-warp-votes", "mapped", MAPPED KEPT_IN_PLACE, 100, ""},
    /* the kernel leaves out the first number, and main() adds it to the result */
    {"02-coalesce", "changed by main()",
     MANAGED "s/i = me; i < n/i = me + 1; i < n/\n"
             "s/    lab_result/    if (n > 0) *sum_on_gpu += (long long)data[0] * data[0];\\n&/\n",
     0, "sum is right, but kernels did not compute all of it"},
    {"02-coalesce", "written by main() after the kernel",
     MANAGED "s/    lab_result/    " ON_HOST " *sum_on_gpu = answer;\\n&/\n"
             "s/atomicAdd(sum, mine);/if (mine == 12345678) *sum = 1;/\n",
     0, "sum is right, but kernels did not compute all of it"},
    {"02-coalesce", "written by main() before the kernel",
     MANAGED "s/    while (lab_again/    " ON_HOST "\\n&/\n"
             "s/CHECK_CUDA(cudaMemset(sum_on_gpu, 0, sizeof sum));/*sum_on_gpu = answer;/\n"
             "s/atomicAdd(sum, mine);/if (mine == 12345678) *sum = 1;/\n",
     0, "sum is right, but kernels did not compute all of it"},
};

Test(shared_memory, earns_as_much)
{
    shell_patience(600);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        int code;
        json_t *result;
        char *file = shell_must("cat > script <<'EOF'\n%s\nEOF\n"
                                "cd " LANEWISE_ROOT "/solutions/%s && printf '%%s' *.cu",
                                rows[i].script, rows[i].lab);
        free(shell_must("sed -f script " LANEWISE_ROOT "/solutions/%s/%s > %s; "
                        "! cmp -s " LANEWISE_ROOT "/solutions/%s/%s %s",
                        rows[i].lab, file, file, rows[i].lab, file, file));
        char *output = submission_grade(rows[i].lab, file, &code, &result);
        cr_expect_eq(json_number_value(json_object_get(result, "score")), rows[i].points,
                     "%s, %s:\n%s", rows[i].lab, rows[i].name, output);
        cr_expect(strstr(output, rows[i].says), "%s, %s:\n%s", rows[i].lab, rows[i].name, output);
        json_decref(result);
        free(output);
        free(file);
    }
}
