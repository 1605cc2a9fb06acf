/* Tests slices: the lines of a student's file that compute a result. */
#include "checks/slice.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char program[] = "__device__ int twice(int a)\n"                             /* 1 */
                              "{\n"                                                       /* 2 */
                              "    return a * 2; // not = a\n"                            /* 3 */
                              "}\n"                                                       /* 4 */
                              "\n"                                                        /* 5 */
                              "__device__ int *place(struct matrix m, int y)\n"           /* 6 */
                              "{\n"                                                       /* 7 */
                              "    return m.first + y * m.pitch;\n"                       /* 8 */
                              "}\n"                                                       /* 9 */
                              "\n"                                                        /* 10 */
                              "__global__ void sums(const int *data, int n, int *out)\n"  /* 11 */
                              "{\n"                                                       /* 12 */
                              "    int me = blockIdx.x * blockDim.x + threadIdx.x;\n"     /* 13 */
                              "    int total = 0, unused = me;\n"                         /* 14 */
                              "    if (me >= n)\n"                                        /* 15 */
                              "        return;\n"                                         /* 16 */
                              "    for (int i = me; i < n; i += 32)\n"                    /* 17 */
                              "        total += twice(data[i]);\n"                        /* 18 */
                              "    __syncthreads();\n"                                    /* 19 */
                              "    /* out[0] = 7; */ puts(\"out[1] = total\");\n"         /* 20 */
                              "    out[me] = total;\n"                                    /* 21 */
                              "}\n"                                                       /* 22 */
                              "\n"                                                        /* 23 */
                              "__global__ void fill(struct matrix m, struct matrix to)\n" /* 24 */
                              "{\n"                                                       /* 25 */
                              "    int y = threadIdx.y;\n"                                /* 26 */
                              "    *place(to, y) = 1;\n"                                  /* 27 */
                              "}\n"                                                       /* 28 */
                              "\n"                                                        /* 29 */
                              "int main()\n"                                              /* 30 */
                              "{\n"                                                       /* 31 */
                              "    int n = lab_int(\"n\");\n"                             /* 32 */
                              "    int size = n * 4;\n"                                   /* 33 */
                              "    dim3 blocks(n / 32);\n"                                /* 34 */
                              "    cudaMemcpy(data, from,\n"                              /* 35 */
                              "               size, cudaMemcpyHostToDevice);\n"           /* 36 */
                              "    sums<<<blocks, 32>>>(data, n, out);\n"                 /* 37 */
                              "    fill<<<1, 32>>>(m, to);\n"                             /* 38 */
                              "}\n"                                                       /* 39 */
                              "__global__ void square(float *x) {\n"                      /* 40 */
                              "    int i = threadIdx.x;\n"                                /* 41 */
                              "    x[i] *= x[i];\n"                                       /* 42 */
                              "}\n";                                                      /* 43 */

/* Writes the lines of SLICE to TEXT, and frees SLICE. */
static void list(char text[100], struct slice *slice)
{
    unsigned lines[SLICE_MOST], count = slice_lines(slice, lines);
    text[0] = '\0';
    for (unsigned i = 0; i < count; ++i)
        snprintf(text + strlen(text), 100 - strlen(text), "%s%u", i ? " " : "", lines[i]);
    slice_free(slice);
}

Test(slice, goes_back_to_loops_variables_and_functions)
{
    char lines[100];
    struct slice *slice = slice_new(program);
    slice_begin_at(slice, 21, 0, true);
    list(lines, slice);
    cr_expect_str_eq(lines, "3 13 14 15 17 18 21");
}

Test(slice, of_a_launch_has_the_size_of_its_grid)
{
    char lines[100];
    struct slice *slice = slice_new(program);
    slice_begin_at_launches(slice, "sums", 0);
    list(lines, slice);
    cr_expect_str_eq(lines, "34 37", "the line that reads the case says nothing");
}

Test(slice, of_a_call_begins_with_its_statement)
{
    char lines[100];
    struct slice *slice = slice_new(program);
    slice_begin_at_word(slice, "cudaMemcpyHostToDevice", 0);
    list(lines, slice);
    cr_expect_str_eq(lines, "33 35 36");
}

Test(slice, of_a_function_has_the_kernels_calls)
{
    char lines[100];
    struct slice *slice = slice_new(program);
    slice_begin_at(slice, 8, 0, true);
    slice_begin_at_calls(slice, 8, "fill", 1);
    slice_begin_at_calls(slice, 21, "sums", 1); /* the kernel itself */
    list(lines, slice);
    cr_expect_str_eq(lines, "8 26 27");
}

Test(slice, of_a_function_whose_brace_is_on_its_first_line)
{
    char lines[100];
    struct slice *slice = slice_new(program);
    slice_begin_at(slice, slice_last_statement(slice, "square"), 0, true);
    list(lines, slice);
    cr_expect_str_eq(lines, "41 42");
}

/* Two functions have the same name, and one of them calls a function that returns a variable. */
static const char overloaded[] = "__device__ float add(float a)\n"         /* 1 */
                                 "{\n"                                     /* 2 */
                                 "    a += 1;\n"                           /* 3 */
                                 "    return a;\n"                         /* 4 */
                                 "}\n"                                     /* 5 */
                                 "__device__ void put(double a, int *x)\n" /* 6 */
                                 "{\n"                                     /* 7 */
                                 "    *x = a;\n"                           /* 8 */
                                 "}\n"                                     /* 9 */
                                 "__device__ void put(float a, int *x)\n"  /* 10 */
                                 "{\n"                                     /* 11 */
                                 "    a = add(a);\n"                       /* 12 */
                                 "    *x = a;\n"                           /* 13 */
                                 "}\n"                                     /* 14 */
                                 "__global__ void make(int *x)\n"          /* 15 */
                                 "{\n"                                     /* 16 */
                                 "    put(1.f, x);\n"                      /* 17 */
                                 "}\n";                                    /* 18 */

Test(slice, has_the_overload_in_which_it_begins)
{
    char lines[100];
    struct slice *slice = slice_new(overloaded);
    slice_begin_at(slice, 13, 0, true);
    slice_begin_at_calls(slice, 13, "make", 1);
    list(lines, slice);
    cr_expect_str_eq(lines, "3 4 12 13 17");
}

Test(slice, of_a_function_has_the_lines_that_set_what_it_returns)
{
    char lines[100];
    struct slice *slice = slice_new(overloaded);
    slice_begin_at(slice, 13, 0, true);
    slice_limit(slice, 2);
    list(lines, slice);
    cr_expect_str_eq(lines, "3 4 12 13", "two steps away: line 12, then line 3");
}

Test(slice, ends_where_the_caller_says)
{
    char lines[100];
    struct slice *slice = slice_new(program);
    slice_begin_at(slice, 21, 0, true);
    slice_limit(slice, 1);
    list(lines, slice);
    cr_expect_str_eq(lines, "13 14 15 18 21", "without what is farther away");
}

Test(slice, knows_its_lines)
{
    struct slice *slice = slice_new(program);
    cr_expect(slice_is_loop(slice, 17) && !slice_is_loop(slice, 18));
    cr_expect(slice_multiplies(slice, 3) && !slice_multiplies(slice, 20));
    cr_expect(slice_has_name(slice, 18, "data") && !slice_has_name(slice, 20, "out"));
    cr_expect_eq(slice_last_statement(slice, "sums"), 21);
    cr_expect_eq(slice_last_statement(slice, "no_such"), 0);
    slice_free(slice);
}

Test(slice, bears_any_text)
{
    static const char *const texts[] = {"",   "}", "{", "/*", "\"", "f(", "for", "a b(\n{\n  c(",
                                        "=\n"};
    unsigned lines[SLICE_MOST];
    for (size_t i = 0; i < COUNT(texts); ++i) {
        struct slice *slice = slice_new(texts[i]);
        for (unsigned line = 0; line < 5; ++line) {
            slice_begin_at(slice, line, 0, true);
            slice_begin_at_calls(slice, line, "f", 1);
        }
        slice_begin_at_launches(slice, "f", 0);
        cr_expect_leq(slice_lines(slice, lines), 4u);
        slice_free(slice);
    }
}
