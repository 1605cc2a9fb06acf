/* Tests the messages about the mistakes in misleading.cu. They must name the cause and a fix, and
 * must never mislead. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

TestSuite(misleading, .init = shell_init, .fini = shell_fini, .timeout = 300);

#define WORDS 4

static const struct row {
    const char *name;         /* name of the case */
    const char *must[WORDS];  /* the report, with its lines joined, must contain this */
    const char *never[WORDS]; /* the report must not contain these words */
    const char *tools;        /* NULL for all tools */
} rows[] = {
    {"sum_of_one_block",
     {"one of the two updates is lost [race-global]", "use atomicAdd() or another atomic"},
     {"__syncthreads()"},
     NULL},
    {"largest_without_atomic", {"use atomicAdd() or another atomic"}, {"two launches"}, NULL},
    {"unrolled_loop",
     {"no __syncthreads() before the loop's next iteration", "at the end of the loop's body"},
     {"in between", "between lines"},
     NULL},
    {"no_dynamic_size", {"kernel<<<blocks, threads, bytes>>>"}, {"compare every"}, NULL},
    {"partly_cleared_bins", {"[race-global]", "[uninitialised-read]"}, {NULL}, NULL},
    {"one_too_far",
     {"thread 127 reads element 256 of sums (1024 elements), but nothing has written it [uninitialised-read]",
      "writes only elements 0 to 255: is the index here too large"},
     {"cudaMemset", "byte 1024"},
     NULL},
    {"elements_for_bytes",
     {"only the first 1000 of its 4000 bytes are written: does a cudaMemcpy() or cudaMemset() get a number of elements?"},
     {NULL},
     NULL},
    {"null_on_device", {"through a null pointer", "this pointer is NULL"}, {"compare every"}, NULL},
    {"freed_after_reset",
     {"cudaDeviceReset() has already freed these 400 bytes",
      "leave this cudaFree() out, or call it before cudaDeviceReset()"},
     {"[leak]", "[bad-free]"},
     NULL},
    {"swapped_pitches",
     {"the pitches are swapped: the target's rows are 512 bytes apart, but the call passes the pitch 400"},
     {NULL},
     NULL},
    {"pitch_in_elements",
     {"a row of 400 bytes does not fit into the source's pitch of 100 bytes [wrong-pitch]",
      "are in bytes, n * sizeof(type)"},
     {"times"},
     NULL},
    {"own_pitches", {NULL}, {"pitch]"}, NULL},
    {"pitch_of_ints",
     {"-byte allocation", "row y begins y * 512 bytes after row 0",
      "add these bytes to a char pointer"},
     {"compare every"},
     "memcheck"},
    {"rows_without_pitch",
     {"nothing has written it", "this read is in the padding after the 400 bytes of row 0",
      "rows begin 512 bytes apart (the pitch): does the index use this pitch for y"},
     {"is the index here too large", "write too little"},
     NULL},
    {"symbol_in_quotes",
     {"cudaMemcpyToSymbol() returns cudaErrorInvalidSymbol: invalid device symbol [failed-call]",
      "pass the __device__ or __constant__ variable itself"},
     {NULL},
     NULL},
    {"size_below_zero",
     {"cudaMalloc() returns cudaErrorMemoryAllocation", "A negative int becomes a huge size_t"},
     {NULL},
     NULL},
    {"two_empty_grids", {"first: a grid of 0", "second: a grid of 0"}, {NULL}, NULL},
    {"host_null", {"the host program uses a null pointer [host-crash]"}, {"cudaMalloc()"}, NULL},
    {"host_uses_device_memory", {"uses an address from cudaMalloc() [host-crash]"}, {NULL}, NULL},
    {"host_function_named_free",
     {"uses an address from cudaMalloc() [host-crash]"},
     {"calls free()"},
     NULL},
    {"host_stack", {"the host program's stack is full [host-crash]"}, {"cudaMalloc()"}, NULL},
    {"host_index", {"an address outside of its memory [host-crash]"}, {"cudaMalloc()"}, NULL},
#ifndef __aarch64__ /* on this CPU, the quotient is 0 and the program continues */
    {"host_divides", {"divides an integer by 0 [host-crash]"}, {NULL}, NULL},
#endif
    {"right_but_long",
     {"an endless loop, or too much work for one warp",
      "raise the limit with --max-instructions N (with make: LIMIT=N)"},
     {NULL},
     "memcheck --max-instructions 100000"},
};

/* Joins the lines of TEXT. */
static void join(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (!isspace((unsigned char)*from))
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
}

#define ROWS (sizeof rows / sizeof *rows)

ParameterizedTestParameters(misleading, cases)
{
    static int indices[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        indices[i] = (int)i;
    return cr_make_param_array(int, indices, ROWS);
}

ParameterizedTest(int *index, misleading, cases)
{
    const struct row *row = &rows[*index];
    int code;
    char *text =
        shell(&code, "$LANEWISE run --deterministic --tools %s $PROGRAMS/misleading %s 2>&1",
              row->tools ? row->tools : "racecheck,initcheck", row->name);
    join(text);
    for (size_t i = 0; i < WORDS && row->must[i]; i++)
        cr_expect(strstr(text, row->must[i]), "%s: not said: %s\n%s", row->name, row->must[i],
                  text);
    for (size_t i = 0; i < WORDS && row->never[i]; i++)
        cr_expect(!strstr(text, row->never[i]), "%s: said: %s\n%s", row->name, row->never[i], text);
    free(text);
}

/* Some seconds after its start (later on a busy machine), an endless kernel shows where it is. Then
 * Ctrl-C on the terminal stops it. */
Test(misleading, endless_kernel_on_a_terminal)
{
    int code;
    char *text =
        shell(&code, "(for i in $(seq 900); do grep -q 'still runs' said && break; sleep .1; done; "
                     "printf '\\003'; sleep 5) 2>/dev/null | NO_COLOR=1 timeout 100 script -fqec "
                     "\"$LANEWISE run $PROGRAMS/misleading endless\" said 2>&1");
    join(text);
    cr_expect(strstr(text, "spin still runs after "), "%s", text);
    cr_expect(strstr(text, " seconds: line "), "%s", text);
    cr_expect(strstr(text, "spin: stopped by Ctrl-C: thread "), "%s", text);
    cr_expect(strstr(text, "was killed by signal 2"), "%s", text);
    cr_expect(!strstr(text, "no kernel ran"), "%s", text);
    free(text);
}

/* If an answer is right but too slow, the report names the line and the stride. */
Test(misleading, swapped_x_and_y_in_a_grading)
{
    int code;
    char *text =
        shell(&code,
              "sed -e 's/int x = blockIdx.x \\* blockDim.x + threadIdx.x/int x = blockIdx.y * "
              "blockDim.y + threadIdx.y/' -e 's/int y = blockIdx.y \\* blockDim.y + "
              "threadIdx.y/int y = blockIdx.x * blockDim.x + threadIdx.x/' -e 's/blocks((width "
              "+ 31) \\/ 32, (height + 7) \\/ 8)/blocks((height + 31) \\/ 32, (width + 7) \\/ 8)/' "
              "%s/solutions/05-pitched-alloc/*.cu >swapped.cu && $LANEWISE grade --lab 05 "
              "--submission swapped.cu 2>&1",
              LANEWISE_ROOT);
    join(text);
    cr_expect(strstr(text, "60 of 100 points"), "%s", text);
    cr_expect(strstr(text, "neighbouring lanes read words"), "%s", text);
    cr_expect(!strstr(text, "ask to write"), "%s", text);
    free(text);
}

/* Findings inside the headers of CUDA's libraries are reported at the caller's line if they are the
 * caller's mistake, and otherwise not at all. */
Test(misleading, libraries)
{
    static const struct {
        const char *name, *must; /* MUST is NULL if there must be neither errors nor losses */
    } cases[] = {
        {"unique", NULL},
        {"sort", NULL},
        {"for_each", "libraries.cu:28:9: error: static_kernel: thread "},
        {"cub", "no __syncthreads() between two calls [race-shared]"},
        {"tiles", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text =
            shell_must("$LANEWISE run --deterministic --tools racecheck,initcheck "
                       "$PROGRAMS/libraries %s 2>&1 | sed -n '/: error: /,$p;/: warning: /,$p'",
                       cases[i].name);
        join(text);
        cr_expect(!strstr(text, ".cuh:") && !strstr(text, "/thrust/"), "%s: %s", cases[i].name,
                  text);
        if (cases[i].must)
            cr_expect(strstr(text, cases[i].must), "%s: %s", cases[i].name, text);
        else
            cr_expect(!strstr(text, " error: "), "%s: %s", cases[i].name, text);
        free(text);
    }
}
