/* Tests the search for near-duplicates: disguised copies must be found, and independent work must
 * not be reported.
 *
 * similar/NN-name/ holds independent solutions of lab NN in the form of mutants (grade/mutant.h).
 * All get full points. The test compares each with a disguised copy (disguise.h) and with all
 * others. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config.h"
#include "course/lab.h"
#include "grade/mutant.h"
#include "similar/compare.h"
#include "similar/kernels.h"
#include "similar/program.h"
#include "similar/source.h"
#include "tests/support/disguise.h"
#include "tests/support/shell.h"

TestSuite(similar, .init = shell_init, .fini = shell_fini, .timeout = 900);

static struct fingerprint print_of(const char *ptx)
{
    struct fingerprint print = {0};
    cr_assert(fingerprint_add_ptx(&print, ptx, strlen(ptx)));
    return print;
}

/* --- changes that do not matter, and changes that do ------------------------------------------------- */

#define HEAD ".version 9.0\n.target sm_80\n.address_size 64\n"
#define KERNEL                                                                                     \
    ".visible .entry sum(\n .param .u64 sum_param_0,\n .param .u32 sum_param_1\n)\n{\n"            \
    " .reg .pred %p<3>;\n .reg .b32 %r<9>;\n"                                                      \
    " ld.param.u64 %rd1, [sum_param_0];\n ld.param.u32 %r1, [sum_param_1];\n"                      \
    " mov.u32 %r2, %tid.x;\n setp.ge.s32 %p1, %r2, %r1;\n @%p1 bra $L__BB0_2;\n"                   \
    " cvta.to.global.u64 %rd2, %rd1;\n mul.wide.s32 %rd3, %r2, 4;\n add.s64 %rd4, %rd2, %rd3;\n"   \
    " ld.global.u32 %r3, [%rd4];\n mad.lo.s32 %r4, %r3, %r3, 7;\n st.global.u32 [%rd4], %r4;\n"    \
    "$L__BB0_2:\n ret;\n}\n"
#define OTHER                                                                                      \
    ".visible .entry other()\n{\n mov.u32 %r1, %ctaid.x;\n xor.b32 %r2, %r1, 5;\n"                 \
    " shl.b32 %r3, %r2, 2;\n or.b32 %r4, %r3, %r1;\n and.b32 %r5, %r4, 9;\n"                       \
    " not.b32 %r6, %r5;\n bar.sync 0;\n neg.s32 %r7, %r6;\n st.shared.u32 [buffer], %r7;\n "       \
    "ret;\n}\n"

static const struct {
    const char *name, *ptx;
    bool same;
} variants[] = {
    {"the same", HEAD KERNEL OTHER, true},
    {"another order", HEAD OTHER KERNEL, true},
    {"other names and numbers",
     HEAD OTHER
     ".visible .entry _Z3addPii(.param .u64 _Z3addPii_param_0, .param .u32 _Z3addPii_param_1)\n{\n"
     "ld.param.u64 %rd7, [_Z3addPii_param_0]; ld.param.u32 %r11, [_Z3addPii_param_1];\n"
     "mov.u32 %r12, %tid.x; setp.ge.s32 %p3, %r12, %r11; @%p3 bra LEAVE;\n"
     "cvta.to.global.u64 %rd8, %rd7; mul.wide.s32 %rd9, %r12, 4; add.s64 %rd1, %rd8, %rd9;\n"
     "ld.global.u32 %r5, [%rd1]; mad.lo.s32 %r6, %r5, %r5, 7; st.global.u32 [%rd1], %r6;\n"
     "LEAVE: ret; }\n",
     true},
    {"debug lines",
     HEAD ".file 1 \"a.cu\"\n" OTHER
          ".visible .entry sum(.param .u64 sum_param_0, .param .u32 sum_param_1)\n{\n.loc 1 2 3\n"
          "ld.param.u64 %rd1, [sum_param_0];\nld.param.u32 %r1, [sum_param_1];\n"
          ".loc 1 9 8, function_name $L__info_string0, inlined_at 1 2 3\nmov.u32 %r2, %tid.x;\n"
          "setp.ge.s32 %p1, %r2, %r1; // a; comment\n@%p1 bra $L__BB0_2;\n"
          "cvta.to.global.u64 %rd2, %rd1;\nmul.wide.s32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
          "ld.global.u32 %r3, [%rd4];\nmad.lo.s32 %r4, %r3, %r3, 7;\nst.global.u32 [%rd4], %r4;\n"
          "$L__tmp3:\n$L__BB0_2:\nret;\n}\n.section .debug_str\n{\n$L__info_string0:\n.b8 95\n.b8 "
          "0\n}\n",
     true},
    {"one of two kernels", HEAD KERNEL, false},
    {"nothing", HEAD, false},
};

Test(similar, fingerprints_depend_on_code_only)
{
    struct fingerprint first = print_of(HEAD KERNEL OTHER);
    cr_assert_geq(first.count, 4);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct fingerprint print = print_of(variants[i].ptx);
        bool same = print.count == first.count && fingerprint_shared(&print, &first) == first.count;
        cr_expect_eq(same, variants[i].same, "%s: %zu of %zu and %zu", variants[i].name,
                     fingerprint_shared(&print, &first), print.count, first.count);
        fingerprint_free(&print);
    }
    fingerprint_free(&first);
}

/* --- a program whose PTX would take very long to read ------------------------------------------------- */

/* Writes COUNT fat binaries. Each has one entry. All entries refer to the same LINES of PTX, which
 * come after the last fat binary. */
static void write_overlapping(FILE *file, uint32_t count, uint32_t lines)
{
    static const char line[] = " add.s32 %r1, %r2, 5;\n";
    for (uint32_t i = 0; i < count; i++) {
        uint8_t head[80] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, [16] = 1, [18] = 1, 1};
        uint32_t text = lines * (sizeof line - 1), to_text = (count - i) * sizeof head - 16;
        uint32_t rest = to_text + text;
        memcpy(head + 8, &rest, sizeof rest);
        memcpy(head + 20, &to_text, sizeof to_text);
        memcpy(head + 24, &text, sizeof text);
        fwrite(head, sizeof head, 1, file);
    }
    while (lines-- > 0)
        fputs(line, file);
}

static bool can_print(uint32_t count, uint32_t lines)
{
    struct fingerprint print = {0};
    char path[40];
    int memory = memfd_create("overlapping", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    write_overlapping(file, count, lines);
    fclose(file);
    bool good = fingerprint_add_program(path, &print);
    close(memory);
    fingerprint_free(&print);
    return good;
}

Test(similar, text_is_not_read_again_and_again)
{
    cr_expect(can_print(3, 100));
    cr_expect_not(can_print(3000, 10000));
    cr_expect_not(can_print(100000, 0));
}

/* Winnowing guarantees that seven equal instructions always lead to an equal fingerprint, wherever
 * they are in the programs. */
Test(similar, equal_code_has_an_equal_fingerprint)
{
    static const char run[] =
        "mov.u32 %r1, %tid.x; xor.b32 %r2, %r1, 5; shl.b32 %r3, %r2, 2;"
        "or.b32 %r4, %r3, %r1; and.b32 %r5, %r4, 9; not.b32 %r6, %r5; bar.sync 0;";
    for (unsigned seed = 0; seed < 100; seed++) {
        char left[4000] = ".entry a() {", right[4000] = ".entry b() {";
        unsigned state = seed;
        for (unsigned i = 0; i < 40; i++) {
            char *ends[] = {left + strlen(left), right + strlen(right)};
            state = state * 1103515245 + 12345;
            sprintf(ends[0], "add.s32 %%r1, %%r2, %u; ", state >> 8);
            sprintf(ends[1], "sub.s32 %%r3, %%r1, %u; ", state >> 9);
            if (i == seed % 40)
                strcat(left, run);
            if (i == (seed * 7 + 3) % 40)
                strcat(right, run);
        }
        struct fingerprint a = print_of(left), b = print_of(right);
        cr_expect_geq(fingerprint_shared(&a, &b), 1, "seed %u", seed);
        fingerprint_free(&a);
        fingerprint_free(&b);
    }
}

static const char *const rubbish[] = {"",
                                      ";",
                                      "{",
                                      "}",
                                      "@",
                                      "%",
                                      "//",
                                      "$:",
                                      ".entry",
                                      ".func {",
                                      ".b8",
                                      "ld",
                                      "ld.u32 %",
                                      "\xff\xfe;;{{",
                                      ".entry a { mov %r1, %r2",
                                      "a:b:c:d:;",
                                      "@!%p1 !@ @;",
                                      ".visible .entry (((((",
                                      "%r1 %r2 %r3;;;;;;"};

/* A hostile program can contain any text as its PTX. */
Test(similar, rubbish_is_no_danger)
{
    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++) {
        char text[600] = "";
        for (int k = 0; k < 12; k++)
            strcat(text, rubbish[i]);
        struct fingerprint print = print_of(text);
        fingerprint_free(&print);
    }
    struct fingerprint print = {0};
    cr_expect(!fingerprint_add_ptx(&print, "", KERNELS_MOST_PTX + 1),
              "the number of fingerprints has a limit");
    cr_expect_eq(print.count, 0);
}

Test(similar, a_fingerprint_survives_json)
{
    struct fingerprint print = print_of(HEAD KERNEL OTHER), read = {0}, none = {0};
    json_t *text = fingerprint_json(&print), *wrong = json_string("not hexadecimal at all");
    cr_assert(fingerprint_read(text, &read));
    cr_expect_eq(read.count, print.count);
    cr_expect_eq(fingerprint_shared(&print, &read), print.count);
    cr_expect(fingerprint_read(wrong, &none) && fingerprint_read(NULL, &none));
    cr_expect_eq(none.count, 0);
    fingerprint_subtract(&read, &print);
    cr_expect_eq(read.count, 0);
    cr_expect_eq(fingerprint_likeness(&read, &print), 0);
    json_decref(text);
    json_decref(wrong);
    fingerprint_free(&print);
    fingerprint_free(&read);
    fingerprint_free(&none);
}

/* --- copies and independent work ------------------------------------------------------------------------- */

#define MOST 16 /* largest number of programs of a lab */

struct program {
    char name[256];
    struct similar_own_code own, copy; /* code that is in neither the skeleton nor the solution */
};

struct collection {
    struct lab lab;
    struct similar_own_code known;
    struct program programs[MOST];
    size_t count;
};

static char *folder_of_test(void)
{
    char *folder = shell_must("pwd");
    folder[strcspn(folder, "\n")] = 0;
    return folder;
}

static void write_source(const char *name, const char *text)
{
    char path[PATH_SIZE], *folder = folder_of_test();
    cr_assert(base_path(path, "%s/%s", folder, name));
    cr_assert(base_write_file(path, text, strlen(text), 0600));
    free(folder);
}

static void add_source(const char *text, struct similar_own_code *own)
{
    struct similar_source source;
    cr_assert(similar_source_read(&source, text, strlen(text)));
    cr_assert(fingerprint_join(&own->fingerprints[SIMILAR_STATEMENTS], &source.statements));
    similar_source_free(&source);
}

/* Adds to OWN the fingerprints of file NAME in the test's folder, after compiling it like a
 * submission. */
static void add_compiled(const char *name, struct similar_own_code *own)
{
    free(shell_must("$NVCC -ptx -O3 -lineinfo -std=c++17 -I" LANEWISE_ROOT
                    "/shared -arch=compute_80 -o out.ptx %s 2>&1",
                    name));
    size_t size;
    char *ptx = shell_file("out.ptx", &size), *text = shell_file(name, NULL);
    cr_assert(fingerprint_add_ptx(&own->fingerprints[SIMILAR_KERNELS], ptx, size));
    add_source(text, own);
    free(text);
    free(ptx);
}

static void subtract(struct similar_own_code *own, const struct similar_own_code *known)
{
    for (enum similar_measure i = 0; i < SIMILAR_MEASURES; i++)
        fingerprint_subtract(&own->fingerprints[i], &known->fingerprints[i]);
}

static void free_own(struct similar_own_code *own)
{
    for (enum similar_measure i = 0; i < SIMILAR_MEASURES; i++)
        fingerprint_free(&own->fingerprints[i]);
}

static void add_known(struct collection *all, const char *path)
{
    char *source = shell_file(path, NULL);
    write_source("known.cu", source);
    add_compiled("known.cu", &all->known);
    free(source);
}

static void add_program(struct collection *all, const char *path, const char *name)
{
    struct mutant read;
    char error[1000];
    cr_assert_lt(all->count, MOST);
    struct program *program = &all->programs[all->count++];
    char *solution = shell_file(all->lab.solution, NULL);
    char *header = shell_file(LANEWISE_ROOT "/shared/lab.h", NULL);
    cr_assert(mutant_read(path, solution, &read, error, sizeof error), "%s", error);
    char *copy = disguise(read.source, header);
    snprintf(program->name, sizeof program->name, "%s", name);
    write_source("own.cu", read.source);
    write_source("copy.cu", copy);
    add_compiled("own.cu", &program->own);
    if (all->count == 1)
        add_compiled("copy.cu", &program->copy);
    else {
        add_source(copy, &program->copy);
        cr_assert(fingerprint_join(&program->copy.fingerprints[SIMILAR_KERNELS],
                                   &program->own.fingerprints[SIMILAR_KERNELS]));
    }
    subtract(&program->own, &all->known);
    subtract(&program->copy, &all->known);
    mutant_free(&read);
    free(copy);
    free(header);
    free(solution);
}

static void collect(struct collection *all, const char *lab)
{
    char error[1000], pristine[PATH_SIZE], folder[PATH_SIZE], path[PATH_SIZE];
    struct dirent **entries;
    cr_assert(labs_open(lab, &all->lab, error, sizeof error), "%s", error);
    cr_assert(lab_pristine_path(&all->lab, pristine));
    add_known(all, pristine);
    add_known(all, all->lab.solution);
    cr_assert(base_path(folder, "%s/grader/tests/similar/%s", LANEWISE_ROOT, lab));
    int count = scandir(folder, &entries, NULL, alphasort);
    cr_assert_gt(count, 2, "no programs in %s", folder);
    for (int i = 0; i < count; free(entries[i++]))
        if (strstr(entries[i]->d_name, ".diff") &&
            base_path(path, "%s/%s", folder, entries[i]->d_name))
            add_program(all, path, entries[i]->d_name);
    free(entries);
}

static void free_collection(struct collection *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free_own(&all->programs[i].own);
        free_own(&all->programs[i].copy);
    }
    free_own(&all->known);
    labs_close(&all->lab);
}

/* Checks that each program is similar to its own copy only. TOO_FEW is the number of programs with
 * too little code of their own to be compared; batch/pairs.h lists such programs if they are
 * equal. */
static void judge_lab(const char *lab, size_t too_few)
{
    static struct collection all;
    enum similar_measure measure;
    size_t silent = 0;
    collect(&all, lab);
    for (size_t i = 0; i < all.count; i++) {
        const struct program *one = &all.programs[i];
        bool enough = similar_compare(&one->own, &one->own, &measure);
        silent += !enough;
        cr_expect_eq(similar_compare(&one->own, &one->copy, &measure), enough, "%s: its copy",
                     one->name);
        for (size_t k = 0; k < all.count; k++) {
            const struct program *other = &all.programs[k];
            cr_expect(k == i || !similar_compare(&one->own, &other->copy, &measure), "%s and %s",
                      one->name, other->name);
        }
    }
    cr_expect_eq(silent, too_few, "%zu programs have too little code of their own", silent);
    free_collection(&all);
}

/* In labs 01, 02 and 05, a good solution has only a few lines. In 04 and 06, one solution is equal
 * to the kit's. */
Test(similar, lab_01)
{
    judge_lab("01-parallelize", 3);
}
Test(similar, lab_02)
{
    judge_lab("02-coalesce", 6);
}
Test(similar, lab_03)
{
    judge_lab("03-shared-reduce", 0);
}
Test(similar, lab_04)
{
    judge_lab("04-bank-conflicts", 1);
}
Test(similar, lab_05)
{
    judge_lab("05-pitched-alloc", 2);
}
Test(similar, lab_06)
{
    judge_lab("06-tiled-matmul", 1);
}
