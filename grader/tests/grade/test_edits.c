/* Tests the small edits that make a submission more like the solution. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/grade/edit_texts.h"

#define SQUARE(n) "int square(int n)\n{\nreturn " n ";\n}\n"

/* SAYS is the message of the first edit that makes the body SOURCE equal to SOLUTION. */
static const struct {
    const char *name, *source, *solution, *says;
} differences[] = {
    {"number", BODY("a[1] = 0;"), BODY("a[2] = 0;"), "with another number than `1` in line 3"},
    {"name", BODY("a = width;\nb = height;"), BODY("a = height;\nb = height;"),
     "with another name than `width` in line 3"},
    {"a name of another author", BODY("a = width;"), BODY("a = height;"),
     "with other lines in f()"},
    {"operator", BODY("a = n / 8;"), BODY("a = n % 8;"),
     "with another operator than `/` in line 3"},
    {"too much", BODY("a = n + 1;"), BODY("a = n;"), "without `+ 1` in line 3"},
    {"too little", BODY("a = n;"), BODY("a = n + 1;"), "with something more after `n` in line 3"},
    {"order", BODY("f(y, x);"), BODY("f(x, y);"), "with another order in `y, x` in line 3"},
    {"a call left out", BODY("a = 1;\nb = 2;"), BODY("a = 1;\n__syncthreads();\nb = 2;"),
     "with a call of __syncthreads() after line 3"},
    {"a call in place of a word", BODY("const int a = 1;"), BODY("__syncthreads();\nint a = 1;"),
     "with a call of __syncthreads() before line 3"},
    {"a return left out", BODY("a = 1;\nb = 2;"), BODY("a = 1;\nif (n)\nreturn;\nb = 2;"),
     "with an `if` after line 3"},
    {"a guarded call left out", BODY("a = 1;\nb = 2;"), BODY("a = 1;\nif (n)\ng(a);\nb = 2;"),
     "with a call of g() after line 3"},
    {"an assignment left out", BODY("a = 1;\nb = 2;"), BODY("a = 1;\nb += 1;\nb = 2;"),
     "with a statement that sets `b` after line 3"},
    {"a declaration left out", BODY("int s = 0;\nb = 2;"), BODY("int s = 0;\nint s = 0;\nb = 2;"),
     "with a statement that sets `s` after line 3"},
    {"a line too many", BODY("a = 1;\na = 2;\nb = 3;"), BODY("a = 1;\nb = 3;"),
     "without `a = 2;` in line 4"},
    {"comments", BODY("a = 1; // 2"), BODY("/* 3 */ a = 1;"), NULL},
};

Test(edits, describe_what_differs_from_the_solution)
{
    for (size_t i = 0; i < COUNT(differences); ++i) {
        struct edits edits;
        edits_from_solution(&edits, differences[i].source, differences[i].solution, NULL);
        const char *says = edits.count > 0 ? edits.list[0].says : NULL;
        if (differences[i].says)
            cr_expect_str_eq(says ? says : "nothing", differences[i].says, "%s",
                             differences[i].name);
        else
            cr_expect_null(says, "%s: %s", differences[i].name, says);
        edits_free(&edits);
    }
}

/* The edit does without a function of the student, so the mistake is probably in this function. */
Test(edits, look_into_functions_of_the_student)
{
    struct edits edits;
    edits_from_solution(&edits, SQUARE("n + n") BODY("a = square(n);"), BODY("a = n * n;"), NULL);
    cr_assert_gt(edits.count, 0);
    cr_expect(edits.list[0].is_vague, "%s", edits.list[0].says);
    edits_free(&edits);
    edits_from_solution(&edits, SQUARE("n * n") BODY("a = square(n);"), BODY("a = n * n;"),
                        SQUARE("n * n"));
    cr_assert_gt(edits.count, 0);
    cr_expect_not(edits.list[0].is_vague, "%s", edits.list[0].says);
    edits_free(&edits);
}

/* A launch may stand on several lines, and its size may be a macro. */
Test(edits, recognise_launches)
{
    static const char *const sources[] = {BODY("g<<<1, 2>>>(n);"), BODY("g<<<1,\n2>>>(n);"),
                                          "#define SIZE 2\n" BODY("g<<<1, SIZE>>>(n);"),
                                          "#define SIZE 2\n" BODY("g<<<1, 1>>>(SIZE);"),
                                          BODY("g(1, 2);")};
    static const char *const solutions[] = {BODY("g<<<1, 3>>>(n);"), BODY("g<<<1,\n3>>>(n);"),
                                            "#define SIZE 3\n" BODY("g<<<1, SIZE>>>(n);"),
                                            "#define SIZE 3\n" BODY("g<<<1, 1>>>(SIZE);"),
                                            BODY("g(1, 3);")};
    for (size_t i = 0; i < COUNT(sources); ++i) {
        struct edits edits;
        edits_from_solution(&edits, sources[i], solutions[i], NULL);
        cr_assert_gt(edits.count, 0);
        cr_expect_eq(edits.list[0].is_launch, i < 3, "%s", sources[i]);
        edits_free(&edits);
    }
}

/* A second declaration would only hide the mistake in the first one. */
Test(edits, declare_no_variable_again)
{
    struct edits edits;
    edits_from_solution(&edits, BODY("dim3 b(n, 1);\na = 2;\nc = b;"),
                        BODY("a = 2;\ndim3 b(1, n);\nc = b;"), NULL);
    for (size_t i = 0; i < edits.count; ++i)
        cr_expect_null(strstr(edits.list[i].says, "call of b()"), "%s", edits.list[i].says);
    edits_free(&edits);
}

Test(edits, leave_alone_what_the_student_has_not_begun)
{
    struct edits edits;
    edits_from_solution(&edits, BODY("a = 1;"), BODY("a = 2;"), BODY("a = 1;"));
    cr_expect_eq(edits.count, 0, "%s", edits.list[0].says);
    edits_free(&edits);
}

/* The name of a function is not that of a macro before it. */
Test(edits, skip_directives_before_a_function)
{
    struct edits edits;
    edits_from_solution(&edits, "#define W (8 / \\\n 2)\nint f(int n)\n{\nreturn n + (1 - n);\n}\n",
                        "#define W (8 / \\\n 2)\nint f(int n)\n{\nfor (;;)\nif (n)\nbreak;\n}\n",
                        NULL);
    cr_expect_lt(find_says(&edits, "with other lines in f()"), EDITS_MOST);
    edits_free(&edits);
}

/* The missing statement comes before lines that are written in another style. */
Test(edits, insert_only_the_first_statement)
{
    struct edits edits;
    edits_from_solution(&edits, BODY("int b = n;\na = 1;\nd = a;\nf(d);"),
                        BODY("int b = n;\na = 1;\nb = 1;\nf(a);"), NULL);
    cr_expect_lt(find_says(&edits, "with a statement that sets `b` after line 4"), EDITS_MOST);
    edits_free(&edits);
}

/* Another number of blocks may make up for a mistake in the kernel. */
Test(edits, the_size_of_a_launch_is_vague)
{
    struct edits edits;
    edits_from_solution(&edits, BODY("f<<<200, 256>>>(a);\nb = 8;\nf<<<b, c>>>(a);"),
                        BODY("f<<<64, 256>>>(a);\nb = 9;\nf<<<16, 32>>>(a);"), NULL);
    cr_assert_geq(edits.count, 3);
    for (size_t i = 0; i < 3; ++i)
        cr_expect_eq(edits.list[i].is_vague, edits.list[i].line != 4, "%s", edits.list[i].says);
    edits_free(&edits);
}
