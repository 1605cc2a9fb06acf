/* Tests the comparison of sources: copies that a cheat has changed must all be found, and
 * independent work must not be reported.
 *
 * This test compares all programs of each lab: the solution, the mutants, and the solutions in
 * similar/NN-name/ (test_similar.c). Each has two disguised copies (disguise.h). */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "course/lab.h"
#include "grade/mutant.h"
#include "similar/compare.h"
#include "similar/source.h"
#include "tests/support/disguise.h"
#include "tests/support/shell.h"

TestSuite(similar_source, .timeout = 300);

static struct similar_source source_of(const char *text)
{
    struct similar_source source;
    cr_assert(similar_source_read(&source, text, strlen(text)));
    return source;
}

/* --- changes that do not matter, and changes that do ------------------------------------------------- */

#define BEGIN "__global__ void sum(const int *data, int n, int *out)\n{\n"
#define LOOP                                                                                       \
    "    int mine = 0;\n    for (int i = threadIdx.x; i < n; i += 32)\n        mine += data[i];\n"
#define END   "    atomicAdd(out, mine);\n}\n"
#define OTHER "static int twice(int x)\n{\n    return 2 * x;\n}\n"

static const char program[] = "#include \"lab.h\"\n" BEGIN LOOP END OTHER;

static const struct {
    const char *name, *text;
    bool same;
} variants[] = {
    {"the same", program, true},
    {"comments and layout", "/* mine */" BEGIN "// a\n\n" LOOP "/**/" END OTHER "// end", true},
    {"another order", OTHER BEGIN LOOP END, true},
    {"statements in another order",
     BEGIN
     "int i = threadIdx.x; int mine = 0; while (i < n) { mine += data[i]; i += 32; }" END OTHER,
     true},
    {"announced", "static int twice(int x);\n" BEGIN LOOP END OTHER, true},
    {"names",
     "__global__ void add(const int *a, int count, int *total) { int part = 0; for (int k = "
     "threadIdx.x; k < count; k += 32) part += a[k]; atomicAdd(total, part); }"
     "static int doubled(int number) { return 2 * number; }",
     true},
    {"while",
     BEGIN
     "int mine = 0; int i = threadIdx.x; while (i < n) { mine += data[i]; i += 32; }" END OTHER,
     true},
    {"one declaration",
     BEGIN "int mine = 0, i = threadIdx.x; while (i < n) { mine += data[i]; i += 32; }" END OTHER,
     true},
    {"sums written out",
     BEGIN
     "int mine = 0; for (int i = threadIdx.x; i < n; i = i + 32) { mine = mine + data[i]; }" END
         OTHER,
     true},
    {"kinds of integers",
     BEGIN "unsigned mine = 0u; for (size_t i = (unsigned)threadIdx.x; i < n; i += 32U) mine += "
           "data[i];" END OTHER,
     true},
    {"a declaration without a value",
     BEGIN
     "int mine; mine = 0; for (int i = threadIdx.x; i < n; i += 32) mine += data[i];" END OTHER,
     true},
    {"another number",
     BEGIN "int mine = 0; for (int i = threadIdx.x; i < n; i += 64) mine += data[i];" END OTHER,
     false},
    {"another member",
     BEGIN "int mine = 0; for (int i = threadIdx.y; i < n; i += 32) mine += data[i];" END OTHER,
     false},
    {"names swapped",
     BEGIN "int mine = 0; for (int i = threadIdx.x; i < n; i += 32) mine += data[i];"
           "atomicAdd(mine, out);}" OTHER,
     false},
    {"one more statement", BEGIN LOOP "mine += 1;" END OTHER, false},
    {"one function fewer", BEGIN LOOP END, false},
    {"nothing", "", false},
};

Test(similar_source, text_is_what_no_cheat_changes)
{
    struct similar_source first = source_of(program);
    cr_assert_eq(first.function_count, 2);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct similar_source source = source_of(variants[i].text);
        cr_expect_eq(source.text == first.text, variants[i].same, "%s", variants[i].name);
        similar_source_free(&source);
    }
    similar_source_free(&first);
}

static const char *const steps[] = {"i++;",   "++i;",         "i += 1;",
                                    "i=i+1;", "i = i + 1u ;", "{ i++; }"};

Test(similar_source, steps_are_the_same)
{
    struct similar_source first = source_of("void f(int i) { i += 1; }");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char text[100];
        snprintf(text, sizeof text, "void f(int i) { %s }", steps[i]);
        struct similar_source source = source_of(text);
        cr_expect_eq(source.text, first.text, "%s", steps[i]);
        similar_source_free(&source);
    }
    similar_source_free(&first);
}

/* A statement is counted if its function is in the skeleton, and some names in it have changed. */
Test(similar_source, counts_renamed_given_functions)
{
    struct similar_source given = source_of(OTHER), same = source_of("// hm\n" OTHER);
    struct similar_source renamed = source_of("static int two(int k) { return 2 * k; }");
    struct similar_source own = source_of("static int two(int k) { return 3 * k; }");
    cr_expect_eq(similar_source_renamed(&same, &given), 0);
    cr_expect_eq(similar_source_renamed(&renamed, &given), 2);
    cr_expect_eq(similar_source_renamed(&own, &given), 0);
    struct similar_source *all[] = {&given, &same, &renamed, &own};
    for (size_t i = 0; i < 4; i++)
        similar_source_free(all[i]);
}

static const char *const rubbish[] = {"",         ";",     "{",     "}",        "(",         ")",
                                      "#",        "\\",    "\"",    "'",        "/*",        "//",
                                      "for",      "for(",  "++",    "= = =",    "a = a +",   "int",
                                      "int,int,", ",",     "#\n",   "\xff\xfe", "if(if(",    "<<<",
                                      "0x",       "1.e+",  ".",     "->x",      "#define a", "else",
                                      "\\\n",     "a++++", "(int)", "((int)",   "while(",    "do",
                                      "\"\\",     "u",     "0u",    "struct {"};

/* A student can hand in any bytes. */
Test(similar_source, rubbish_is_no_danger)
{
    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++)
        for (size_t k = 0; k < sizeof rubbish / sizeof *rubbish; k++) {
            char text[200] = "";
            for (int n = 0; n < 4; n++)
                strcat(strcat(text, rubbish[i]), rubbish[k]);
            struct similar_source source = source_of(text);
            similar_source_free(&source);
        }
    struct similar_source source;
    cr_expect(!similar_source_read(&source, "", SIMILAR_SOURCE_TEXT + 1),
              "the length of a source has a limit");
    cr_expect_eq(source.function_count, 0);
}

/* --- copies and independent work ------------------------------------------------------------------------- */

#define MOST 64 /* largest number of programs of a lab */

struct program {
    char name[256];
    bool independent;
    struct similar_source source;
    struct similar_own_code own; /* code that is not in the skeleton */
};

struct collection {
    struct lab lab;
    char *header, *solution;
    struct similar_source skeleton;
    struct fingerprint given;
    struct program programs[MOST];
    size_t count;
};

/* Returns a copy of SOURCE with the changes of a cheat. If MORE is true, the cheat has also
 * rewritten the loops and types. */
static char *copy_of(const struct collection *all, const char *source, bool more)
{
    char *copy = disguise(source, all->header);
    if (!more)
        return copy;
    char *loops = disguise_loops(copy);
    free(copy);
    for (char *at = loops; (at = strstr(at, "int\n")); at += 4)
        if (at == loops || strchr(" \n(;{", at[-1]))
            memcpy(at, "long", 4); /* int becomes long */
    return loops;
}

static void expect_copies(const struct collection *all, const struct program *one, const char *text)
{
    for (int more = 0; more < 2; more++) {
        char *copied = copy_of(all, text, more);
        struct similar_source copy = source_of(copied);
        cr_expect_eq(copy.text, one->source.text, "%s: copy %d is not found", one->name, more);
        cr_expect_geq(similar_source_renamed(&copy, &all->skeleton), SIMILAR_RENAMED_LEAST, "%s",
                      one->name);
        similar_source_free(&copy);
        free(copied);
    }
}

static void add_program(struct collection *all, const char *name, const char *text,
                        bool independent)
{
    cr_assert_lt(all->count, MOST);
    struct program *program = &all->programs[all->count++];
    snprintf(program->name, sizeof program->name, "%s", name);
    program->independent = independent;
    program->source = source_of(text);
    cr_assert(fingerprint_join(&program->own.fingerprints[SIMILAR_STATEMENTS],
                               &program->source.statements));
    fingerprint_subtract(&program->own.fingerprints[SIMILAR_STATEMENTS], &all->given);
    cr_expect_lt(similar_source_renamed(&program->source, &all->skeleton), SIMILAR_RENAMED_LEAST,
                 "%s", name);
    expect_copies(all, program, text);
}

static void add_folder(struct collection *all, const char *kind, bool independent)
{
    char folder[PATH_SIZE], path[PATH_SIZE], error[1000];
    struct dirent **entries;
    cr_assert(base_path(folder, "%s/grader/tests/%s/%s", LANEWISE_ROOT, kind, all->lab.name));
    int count = scandir(folder, &entries, NULL, alphasort);
    cr_assert_gt(count, 2, "no programs in %s", folder);
    for (int i = 0; i < count; free(entries[i++])) {
        struct mutant read;
        if (!strstr(entries[i]->d_name, ".diff") ||
            !base_path(path, "%s/%s", folder, entries[i]->d_name))
            continue;
        cr_assert(mutant_read(path, all->solution, &read, error, sizeof error), "%s", error);
        add_program(all, entries[i]->d_name, read.source, independent);
        mutant_free(&read);
    }
    free(entries);
}

static void collect(struct collection *all, const char *lab)
{
    char error[1000], pristine[PATH_SIZE];
    cr_assert(labs_open(lab, &all->lab, error, sizeof error), "%s", error);
    cr_assert(lab_pristine_path(&all->lab, pristine));
    char *skeleton = shell_file(pristine, NULL);
    all->header = shell_file(LANEWISE_ROOT "/shared/lab.h", NULL);
    all->solution = shell_file(all->lab.solution, NULL);
    all->skeleton = source_of(skeleton);
    struct similar_source solution = source_of(all->solution);
    cr_assert(fingerprint_join(&all->given, &all->skeleton.statements));
    cr_assert(fingerprint_join(&all->given, &solution.statements));
    add_program(all, "the solution", all->solution, false);
    add_folder(all, "mutants", false);
    add_folder(all, "similar", true);
    similar_source_free(&solution);
    free(skeleton);
}

static void free_collection(struct collection *all)
{
    for (size_t i = 0; i < all->count; i++) {
        similar_source_free(&all->programs[i].source);
        fingerprint_free(&all->programs[i].own.fingerprints[SIMILAR_STATEMENTS]);
    }
    similar_source_free(&all->skeleton);
    fingerprint_free(&all->given);
    free(all->header);
    free(all->solution);
    labs_close(&all->lab);
}

/* Checks that all copies are found. No two independent programs may be similar, and no program may
 * be similar to a mutant of another program. */
static void judge_lab(const char *lab)
{
    static struct collection all;
    enum similar_measure measure;
    collect(&all, lab);
    for (size_t i = 0; i < all.count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct program *one = &all.programs[i], *other = &all.programs[k];
            cr_expect(!one->independent || !similar_compare(&one->own, &other->own, &measure),
                      "%s and %s", one->name, other->name);
        }
    free_collection(&all);
}

Test(similar_source, lab_01)
{
    judge_lab("01-parallelize");
}
Test(similar_source, lab_02)
{
    judge_lab("02-coalesce");
}
Test(similar_source, lab_03)
{
    judge_lab("03-shared-reduce");
}
Test(similar_source, lab_04)
{
    judge_lab("04-bank-conflicts");
}
Test(similar_source, lab_05)
{
    judge_lab("05-pitched-alloc");
}
Test(similar_source, lab_06)
{
    judge_lab("06-tiled-matmul");
}
