/* Tests linking the PTX texts of several source files into one module. The last test runs a program
 * of two files that nvcc built with -rdc=true. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"
#include "tests/support/shell.h"

/* A variable that no kernel here uses. No kernel's shared memory may include it. */
#define OF_OTHERS ".weak .shared .align 4 .b8 of_nobody[300000];\n"

/* One of two similar files. %1 is its number, %2 is the other file's number, and %3 is its
 * declaration of the table. The variable `own`, the function `mine` and the shared memory are local
 * to each file, but `same` is one variable. */
static const char file[] =
    ".version 8.5\n.target sm_90\n.address_size 64\n%3$s" OF_OTHERS
    ".extern .func (.param .b32 r) shown_by_%2$d();\n"
    ".global .align 4 .u32 own = %1$d;\n"
    ".const .align 8 .u64 pointer = generic(own);\n"
    ".weak .global .align 4 .u32 same = 40;\n"
    ".shared .align 4 .u32 of_module;\n"
    ".func (.param .b32 r) mine()\n{\nst.param.b32 [r], %1$d00;\nret;\n}\n"
    ".visible .func (.param .b32 r) shown_by_%1$d()\n{\n.reg .b32 a;\n"
    "ld.global.u32 a, [own];\nadd.u32 a, a, 70;\nst.param.b32 [r], a;\nret;\n}\n"
    ".visible .entry k%1$d(.param .u64 out)\n{\n.reg .b32 a;\n.reg .b64 o, w;\n"
    ".shared .align 8 .b64 of_kernel;\nld.param.u64 o, [out];\n"
    "ld.global.u32 a, [own];\nst.global.u32 [o], a;\n"
    "ld.const.u64 w, [pointer];\nld.u32 a, [w];\nst.global.u32 [o+4], a;\n"
    "atom.global.add.u32 a, [same], 1;\nst.global.u32 [o+8], a;\n"
    "{\n.param .b32 got;\ncall (got), mine, ();\nld.param.b32 a, [got];\n}\n"
    "st.global.u32 [o+12], a;\n"
    "{\n.param .b32 got;\ncall (got), shown_by_%2$d, ();\nld.param.b32 a, [got];\n}\n"
    "st.global.u32 [o+16], a;\n"
    "ld.global.u32 a, [table+4];\nst.global.u32 [o+20], a;\n"
    "mov.u64 w, of_kernel;\ncvt.u32.u64 a, w;\nst.global.u32 [o+24], a;\n"
    "mov.u64 w, of_module;\ncvt.u32.u64 a, w;\nst.global.u32 [o+28], a;\nret;\n}\n"
    ".visible .entry bad%1$d()\n{\n.loc 1 %1$d7 0\nfoo;\n}\n.file 1 \"/build/%1$d.cu\"\n";

enum { WORDS = 8 };

static void load_two_files(struct fixture *fixture)
{
    char *text;
    FILE *memory = open_memstream(&text, &(size_t){0});
    fprintf(memory, file, 1, 2, ".extern .global .align 4 .b8 table[];\n");
    fprintf(memory, file, 2, 1, ".visible .global .align 4 .u32 table[2] = {10, 11};\n");
    fclose(memory);
    fixture_open(fixture, NULL);
    fixture_load_whole(fixture, text);
    free(text);
}

static void expect_words(struct fixture *fixture, const char *kernel, const uint32_t right[WORDS])
{
    emu_addr out = fixture_upload(fixture, NULL, WORDS * sizeof *right);
    fixture_run(fixture, (struct fixture_launch){.kernel = kernel, .block = {1}, .params = {out}});
    for (unsigned i = 0; i < WORDS; i++)
        cr_expect_eq(fixture_word(fixture, out, i), right[i], "%s: word %u is %u, not %u", kernel,
                     i, fixture_word(fixture, out, i), right[i]);
}

Test(link, a_name_is_a_file_s_own_or_means_the_same)
{
    struct fixture fixture;
    load_two_files(&fixture);
    expect_words(&fixture, "k1", (uint32_t[]){1, 1, 40, 100, 72, 11, 16, 0});
    expect_words(&fixture, "k2", (uint32_t[]){2, 2, 41, 200, 71, 11, 16, 0});
    fixture_close(&fixture);
}

Test(link, the_program_finds_the_definition)
{
    struct fixture fixture;
    emu_addr addr;
    uint64_t size;
    load_two_files(&fixture);
    cr_assert_eq(emu_symbol(fixture.device, fixture.module, "table", &addr, &size), EMU_OK);
    cr_expect_eq(size, 8);
    cr_expect_eq(fixture_word(&fixture, addr, 1), 11);
    fixture_close(&fixture);
}

Test(link, errors_name_the_file)
{
    struct fixture fixture;
    load_two_files(&fixture);
    cr_expect(strstr(fixture_refusal(&fixture, "bad1"), "/build/1.cu:17: "), "%s",
              fixture_refusal(&fixture, "bad1"));
    cr_expect(strstr(fixture_refusal(&fixture, "bad2"), "/build/2.cu:27: "), "%s",
              fixture_refusal(&fixture, "bad2"));
    fixture_close(&fixture);
}

static const struct {
    const char *name, *first, *second, *says; /* SAYS is NULL if linking must succeed */
} pairs[] = {
    {"constant and global", ".visible .const .align 4 .u32 t[2];",
     ".extern .global .align 4 .u32 t[2];",
     "PTX: 't' is in constant memory in one file of the program and in global memory in another"},
    {"global and constant", ".extern .const .align 4 .u32 t[2];",
     ".visible .global .align 4 .u32 t[2];",
     "PTX: 't' is in global memory in one file of the program and in constant memory in another"},
    {"two declarations", ".extern .const .align 4 .u32 t[2];",
     ".extern .global .align 4 .u32 t[2];", "'t' is in "},
    {"other sizes", ".visible .global .align 4 .u32 t[2];", ".extern .global .align 4 .u32 t[3];",
     "PTX: 't' has 8 bytes in one file of the program and 12 in another"},
    {"an array of any size", ".extern .global .align 4 .u32 t[];",
     ".visible .global .align 4 .u32 t[2];", NULL},
    {"a variable that is not visible", ".const .align 4 .u32 t[2];",
     ".visible .global .align 4 .u32 t[3];", NULL},
};

Test(link, a_name_means_one_piece_of_memory)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        static const char head[] = ".version 8.5\n.target sm_90\n.address_size 64\n";
        char text[400];
        uint32_t module;
        int size = snprintf(text, sizeof text, "%s%s\n%s%s\n", head, pairs[i].first, head,
                            pairs[i].second);
        enum emu_status status = emu_load(fixture.device, text, (uint64_t)size, &module);
        const char *why = status == EMU_OK ? "" : emu_message(fixture.device);
        cr_expect_eq(status, pairs[i].says ? EMU_INVALID_PTX : EMU_OK, "%s: %s", pairs[i].name,
                     why);
        cr_expect(!pairs[i].says || strstr(why, pairs[i].says), "%s: %s", pairs[i].name, why);
    }
    fixture_close(&fixture);
}

TestSuite(linked, .init = shell_init, .fini = shell_fini, .timeout = 600);

Test(linked, a_program_of_two_files)
{
    static const char *const options[] = {"-arch=sm_80", "-arch=compute_90 -O0 -G"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        free(shell_must(
            "$NVCC -cudart shared -rdc=true -I$TESTS/.. %s $TESTS/gpu/ptx/linked/*.cu -o a",
            options[i]));
        int code;
        char *output = shell(&code, "$LANEWISE run --lines 0 ./a 2>&1");
        cr_expect(code == 0 && strstr(output, "all right\n"), "%s: exit status %d: %s", options[i],
                  code, output);
        free(output);
    }
}
