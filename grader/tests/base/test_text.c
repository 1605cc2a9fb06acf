/* Tests that texts by other people are cleaned before they are shown, and that all compiler
 * messages get the same format. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compile/column.h"
#include "compile/messages.h"

static const struct {
    const char *name, *text, *clean;
} texts[] = {
    {"plain", "a b\tc\n", "a b\tc\n"},
    {"an escape sequence", "\033[31mred", "?[31mred"},
    {"a carriage return, which hides the text before it", "evil\rgood", "evil?good"},
    {"backspace and delete", "a\bb\x7f", "a?b?"},
    {"two, three and four bytes", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
     "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
    {"a lone continuation", "a\x80z", "a?z"},
    {"a character cut off at the end of the text", "a\xe2\x82", "a??"},
    {"an overlong encoding", "\xc0\xaf", "??"},
    {"three bytes for an ASCII character", "\xe0\x80\xaf", "???"},
    {"a surrogate", "\xed\xa0\x80", "???"},
    {"beyond Unicode", "\xf4\x90\x80\x80", "????"},
    {"code points that are not characters", "\xef\xbf\xbe \xef\xbf\xbf \xf0\x9f\xbf\xbf",
     "??? ??? ????"},
    {"an 8-bit escape",
     "\xc2\x9b"
     "31m",
     "??31m"},
    {"text that runs right to left",
     "a\xe2\x80\xae"
     "b",
     "a???b"},
};

Test(text, only_printable_utf_8_stays)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char *copy = strdup(texts[i].text);
        base_clean_text(copy, strlen(copy));
        cr_expect_str_eq(copy, texts[i].clean, "%s: \"%s\"", texts[i].name, copy);
        free(copy);
    }
}

static const struct {
    const char *text, *line;
} names[] = {
    {"coalesce.cu", "coalesce.cu"},
    {"a\nb\tc", "a\\nb\\tc"},
    {"\033[31mred\r", "\\x1b[31mred\\x0d"},
    {"nt \xc3\xa4", "nt \xc3\xa4"},
    {"a\xc3", "a\\xc3"},
    {"\xe2\x80\xae", "\\xe2\\x80\\xae"}, /* reverses the order in which the rest is displayed */
    {"", ""},
};

Test(text, names_become_one_line)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char *line = base_one_line(names[i].text);
        cr_expect_str_eq(line, names[i].line);
        free(line);
    }
}

Test(text, lines_from_windows_become_lines)
{
    char text[] = "\r\na\r\nb\rc\r\r\n\r";
    text[base_unix_lines(text, strlen(text))] = 0;
    cr_expect_str_eq(text, "\na\nb\rc\r\n\r");
}

Test(text, nul_bytes_are_replaced)
{
    char bytes[] = "a\0b";
    base_clean_text(bytes, 3);
    cr_expect_str_eq(bytes, "a?b");
}

#define SOURCE "one\n\tint x = y;\n__global__ void k(int *p) { foo(p); }\n"

static const struct {
    const char *name, *raw, *shown;
} messages[] = {
    {"nothing", "", ""},
    {"cudafe++, the column from its caret",
     "a.cu(2): error: identifier \"y\" is undefined\n   int x = y;\n           ^\n\n"
     "1 error detected in the compilation of \"a.cu\".\n",
     "labs/a.cu:2:10: error: identifier \"y\" is undefined\n"
     "    2 | \tint x = y;\n      | \t        ^\n"},
    {"cudafe++, with its keywords expanded",
     "a.cu(3): error: identifier \"foo\" is undefined\n"
     "  __attribute__((global)) void k(int *p) { foo(p); }\n"
     "                                           ^\n",
     "labs/a.cu:3:29: error: identifier \"foo\" is undefined\n"
     "    3 | __global__ void k(int *p) { foo(p); }\n"
     "      |                             ^\n"},
    {"cudafe++, the quoted line differs from the source: no column",
     "a.cu(2): error: odd\n  something else\n      ^\n",
     "labs/a.cu:2: error: odd\n    2 | \tint x = y;\n      | \t^\n"},
    {"cudafe++, a note before the caret",
     "a.cu(2): error: no match\n     types are: (int)\n   int x = y;\n           ^\n",
     "labs/a.cu:2:10: error: no match\n     types are: (int)\n"
     "    2 | \tint x = y;\n      | \t        ^\n"},
    {"cudafe++, a line number past the end of the file", "a.cu(9): error: end of file\n\n",
     "labs/a.cu:9: error: end of file\n"},
    {"the same warning twice", "a.cu(9): warning: w\n\na.cu(9): warning: w\n\n",
     "labs/a.cu:9: warning: w\n"},
    {"gcc",
     "a.cu:1:10: fatal error: b.h: No such file\n    1 | one\n      | ^~~\n"
     "compilation terminated.\n",
     "labs/a.cu:1:10: fatal error: b.h: No such file\n    1 | one\n      | ^~~\n"},
    {"the file in a folder", "/tmp/xyz/a.cu:3: undefined reference\n",
     "labs/a.cu:3: undefined reference\n"},
    {"a name that contains the file's name", "ba.cu: x\na.cub: y\n", "ba.cu: x\na.cub: y\n"},
    {"candidates in the toolkit's headers are left out",
     "/usr/x.h(5): note #3326-D: function f\n  int f();\n      ^\na.cu(9): error: e\n",
     "labs/a.cu:9: error: e\n"},
    {"no main()",
     "/usr/bin/ld: /usr/lib/Scrt1.o: in function `_start':\n"
     "(.text+0x17): undefined reference to `main'\n"
     "collect2: error: ld returned 1 exit status\n",
     "labs/a.cu: error: main(), where the program begins, is missing: restore the original "
     "main()\n"},
    {"a function that is missing, told once",
     "/usr/bin/ld: /tmp/x/tmpxft_1_a.o: in function `main':\n"
     "tmpxft_1_a.cpp:(.text+0x1a): undefined reference to `f(int*)'\n"
     "/usr/bin/ld: tmpxft_1_a.cpp:(.text+0x29): undefined reference to `f(int*)'\n"
     "collect2: error: ld returned 1 exit status\n",
     "labs/a.cu: error: f(int*) is used but not defined: is it missing or misspelt?\n"},
    {"the same from gold",
     "/usr/lib/Scrt1.o:function _start: error: undefined reference to 'main'\n"
     "/tmp/x/a.cu:4: error: undefined reference to 'f(int*)'\n"
     "/tmp/x/a.cu:5: error: undefined reference to 'f(int*)'\n"
     "collect2: error: ld returned 1 exit status\n",
     "labs/a.cu: error: main(), where the program begins, is missing: restore the original "
     "main()\n"
     "labs/a.cu: error: f(int*) is used but not defined: is it missing or misspelt?\n"},
    {"another failure of the linker", "/usr/bin/ld: cannot find -lcudart: No such file\n",
     "/usr/bin/ld: cannot find -lcudart: No such file\n"},
    {"warnings about other files", "/x/lab.h(9): warning #177-D: w\n\na.cu(9): warning #1: w\n\n",
     "labs/a.cu:9: warning #1: w\n"},
    {"warnings next to an error", "a.cu(9): warning #1: w\n\na.cu(9): error: e\n\n",
     "labs/a.cu:9: error: e\n"},
    {"one error more than the limit",
     "a.cu(9): error: 1\n\na.cu(9): error: 2\n\na.cu(9): error: 3\n\na.cu(9): error: 4\n\n"
     "a.cu(9): error: 5\n\na.cu(9): error: 6\n\n",
     "labs/a.cu:9: error: 1\nlabs/a.cu:9: error: 2\nlabs/a.cu:9: error: 3\n"
     "labs/a.cu:9: error: 4\nlabs/a.cu:9: error: 5\n"
     "and 1 more error: fix the first ones and compile again\n"},
    {"control characters", "a.cu(9): error: \033[2J\n", "labs/a.cu:9: error: ?[2J\n"},
};

/* A column of the line table, and the column of LINE to which it must be converted: the one above
 * the caret in MARKS. If MARKS is empty, the result must be 0. */
static const struct column_row {
    const char *name, *line, *marks;
    unsigned column;
} columns[] = {
    {"a statement", "    out[i] = a[i];", "    ^", 5},
    {"behind a case", "case 0: x = a[i];", "        ^", 9},
    {"a kernel in one line", "__global__ void one(int *a) { *a = 1; }", "                ^", 30},
    {"a function for host and device", "__host__ __device__ int f() { return 1; }",
     "                        ^", 51},
    {"launch bounds", "__global__ void __launch_bounds__(256) h(int *a) { *a = 1; }",
     "                                       ^", 66},
    {"forced inline", "__forceinline__ __device__ int f() { return 1; }",
     "                               ^", 71},
    {"inside an expanded keyword", "__global__ void one(int *a) { *a = 1; }", "", 12},
    {"a column after the end, as for a macro's text", "KERNEL(name, 2)", "", 30},
    {"on a blank", "A(x)  y", "", 6},
    {"unknown", "    out[i] = a[i];", "", 0},
    {"a column right after the end", "x;", "", 3},
};

Test(text, columns_refer_to_the_written_line)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; ++i) {
        const struct column_row *row = &columns[i];
        unsigned got = compile_true_column(row->line, strlen(row->line), row->column);
        cr_expect_eq(got, strlen(row->marks), "%s: column %u", row->name, got);
    }
}

/* COLUMN, and how much of the line must be marked from there on. */
static const struct mark_row {
    const char *name, *line, *marks;
    unsigned column;
} marks[] = {
    {"a statement", "  a[i] = b[i];", "  ^~~~~~~~~~~", 3},
    {"a line of several statements", "  a = 1; b[2 * i] = 1; // c", "  ^~~~~~~~~~~~~~~~~~~", 3},
    {"a loop and its body", "for (int i = 0; i < n; i++) s += a[i];",
     "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", 1},
    {"a block's head", "if (a[i]) {", "^~~~~~~~~", 1},
    {"a declaration of two variables", "int v = a[i], w = b[i]; /* c */", "^~~~~~~~~~~~~~~~~~~~~~",
     1},
    {"up to the enclosing bracket", "f(a[i], b[i])", "  ^~~~~~~~~~", 3},
    {"a statement that continues on the next line", "f(a[i],", "^", 1},
    {"a literal that contains a closing bracket", "puts(\"a // b)\"); x++;", "^~~~~~~~~~~~~~~~~~~~",
     1},
};

Test(text, marks_cover_whole_statements)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
        const struct mark_row *row = &marks[i];
        char *shown = NULL, want[200];
        size_t size;
        FILE *to = open_memstream(&shown, &size);
        base_print_snippet(to, row->line, 1, row->column, "why");
        fclose(to);
        snprintf(want, sizeof want, "    1 | %s\n      | %s why\n", row->line, row->marks);
        cr_expect_str_eq(shown, want, "%s: \"%s\"", row->name, shown);
        free(shown);
    }
}

Test(text, compiler_messages_have_one_format)
{
    for (size_t i = 0; i < sizeof messages / sizeof *messages; ++i) {
        char *shown = compile_messages(messages[i].raw, "a.cu", "labs/a.cu", SOURCE, 40);
        cr_assert(shown);
        cr_expect_str_eq(shown, messages[i].shown, "%s: \"%s\"", messages[i].name, shown);
        free(shown);
    }
}

Test(text, long_messages_are_cut)
{
    char raw[4000] = "";
    for (int i = 0; i < 100; ++i)
        sprintf(raw + strlen(raw), "x.h:%d: note: e\n", i);
    char *shown = compile_messages(raw, "a.cu", "labs/a.cu", SOURCE, 5);
    cr_assert(shown);
    cr_expect_str_eq(shown, "x.h:0: note: e\nx.h:1: note: e\nx.h:2: note: e\nx.h:3: note: e\n"
                            "x.h:4: note: e\n...\n");
    free(shown);
}
