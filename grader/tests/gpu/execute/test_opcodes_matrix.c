/* Tests wmma: products of matrices that are distributed over a warp's lanes, in every type, shape,
 * layout and space. All sums of the numbers used here are exact, so the order of additions does not
 * matter. tests/hardware/test_hardware_products.c runs the other matrix instructions, and compares
 * all of them with a GPU. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcode_matrix.h"
#include "tests/hardware/products.h"
#include "tests/support/emulator_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROOM         4096u /* bytes for one matrix; a, b, c and d follow each other */

static const struct kind {
    const char *d, *ab, *c, *word; /* types, and a modifier for wmma.mma */
} kinds[] = {{"f16", "f16", "f16", ""},          {"f16", "f16", "f32", ""},
             {"f32", "f16", "f16", ""},          {"f32", "f16", "f32", ""},
             {"f32", "bf16", "f32", ""},         {"s32", "s8", "s32", ""},
             {"s32", "s8", "s32", ".satfinite"}, {"s32", "u8", "s32", ""},
             {"s32", "u8", "s32", ".satfinite"}, {"f64", "f64", "f64", ""},
             {"f64", "f64", "f64", ".rn"},       {"f32", "tf32", "f32", ""},
             {"s32", "s4", "s32", ""},           {"s32", "s4", "s32", ".satfinite"},
             {"s32", "u4", "s32", ""},           {"s32", "u4", "s32", ".satfinite"},
             {"s32", "b1", "s32", ".xor.popc"},  {"s32", "b1", "s32", ".and.popc"}};

#define LARGE "f16 bf16 s8 u8 "
static const struct shape {
    const char *name;
    unsigned m, n, k;
    const char *factors; /* the types of a and b */
} shapes[] = {{"m16n16k16", 16, 16, 16, LARGE}, {"m32n8k16", 32, 8, 16, LARGE},
              {"m8n32k16", 8, 32, 16, LARGE},   {"m8n8k4", 8, 8, 4, "f64 "},
              {"m16n16k8", 16, 16, 8, "tf32 "}, {"m8n8k32", 8, 8, 32, "s4 u4 "},
              {"m8n8k128", 8, 8, 128, "b1 "}};

static const char *const spaces[] = {"", ".global", ".shared", ".shared::cta"};

/* One product. BY_COLUMN has a bit for each of a, b, c and d. The bit is 1 if the matrix is stored
 * by columns. */
struct wmma {
    const struct kind *kind;
    const struct shape *shape;
    const char *space;
    unsigned by_column;
};

static bool is_double(const struct kind *kind)
{
    return strcmp(kind->ab, "f64") == 0;
}

static unsigned bits_of(const char *type)
{
    return strstr(type, "64")   ? 64
           : strstr(type, "32") ? 32
           : strstr(type, "16") ? 16
           : strstr(type, "8")  ? 8
           : strstr(type, "4")  ? 4
                                : 1;
}

/* Returns whether PTX has this type and layout. For numbers of less than 8 bits, a must be stored
 * by rows, and b by columns. */
static bool exists(const struct wmma *p)
{
    char word[8];
    snprintf(word, sizeof word, "%s ", p->kind->ab);
    const char *found = strstr(p->shape->factors, word);
    bool begins = found && (found == p->shape->factors || found[-1] == ' ');
    return begins && (bits_of(p->kind->ab) >= 8 || (p->by_column & 3) == 2);
}

static void each_product(void (*visit)(const struct wmma *, void *), void *context)
{
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t s = 0; s < COUNT(shapes); s++)
            for (size_t p = 0; p < COUNT(spaces); p++)
                for (unsigned by_column = 0; by_column < 16; by_column++) {
                    struct wmma wmma = {&kinds[k], &shapes[s], spaces[p], by_column};
                    if (exists(&wmma))
                        visit(&wmma, context);
                }
}

static const char *layout(const struct wmma *p, unsigned matrix)
{
    return p->by_column >> matrix & 1 ? "col" : "row";
}

static const char *type_of(const struct wmma *p, unsigned matrix)
{
    return matrix == 3 ? p->kind->d : matrix == 2 ? p->kind->c : p->kind->ab;
}

/* Returns the mnemonic of wmma.load of matrix WHICH (0 to 2), wmma.store (3) or wmma.mma (4). */
static char *mnemonic(const struct wmma *p, unsigned which)
{
    static const char *const names[] = {"load.a", "load.b", "load.c", "store.d"};
    const struct kind *kind = p->kind;
    char *text = NULL, factors[16] = "";
    if (strcmp(kind->ab, "f16") != 0)
        snprintf(factors, sizeof factors, ".%s.%s", kind->ab, kind->ab);
    int length =
        which == 4
            ? asprintf(&text, "wmma.mma%s.sync.aligned.%s.%s.%s%s.%s%s.%s",
                       strstr(kind->word, "popc") ? kind->word : "", layout(p, 0), layout(p, 1),
                       p->shape->name, is_double(kind) ? kind->word : "", kind->d, factors, kind->c)
            : asprintf(&text, "wmma.%s.sync.aligned.%s.%s%s.%s", names[which], layout(p, which),
                       p->shape->name, p->space, type_of(p, which));
    cr_assert(length > 0, "out of memory");
    if (which == 4 && strcmp(kind->word, ".satfinite") == 0) { /* comes last in the mnemonic */
        char *whole = NULL;
        cr_assert(asprintf(&whole, "%s%s", text, kind->word) > 0, "out of memory");
        free(text);
        text = whole;
    }
    return text;
}

struct visitor {
    name_visitor *visit;
    void *context;
};

static void visit_product(const struct wmma *p, void *context)
{
    const struct visitor *visitor = context;
    for (unsigned which = 0; which < 5; which++) {
        char *text = mnemonic(p, which);
        visitor->visit(text, visitor->context);
        free(text);
    }
}

static void visit_recorded(const struct product *product, void *context)
{
    const struct visitor *visitor = context;
    visitor->visit(product->name, visitor->context);
}

/* --- ldmatrix and stmatrix in other spaces --------------------------------------------------------- */

/* Returns TEXT with each FROM replaced by TO. The caller frees the result. */
static char *replace(const char *text, const char *from, const char *to)
{
    char *result = NULL;
    size_t size;
    FILE *out = open_memstream(&result, &size);
    cr_assert(out, "out of memory");
    for (const char *found; (found = strstr(text, from)); text = found + strlen(from))
        fprintf(out, "%.*s%s", (int)(found - text), text, to);
    fputs(text, out);
    fclose(out);
    return result;
}

/* The address of the recorded instruction is in shared memory. Here it is in another space. */
static const struct other_space {
    const char *word, *address;
} other_spaces[] = {{".shared::cta.b16", "[at]"}, {".b16", "[wide]"}};

static bool names_space(const struct product *product)
{
    return strstr(product->name, ".shared.b16");
}

static void visit_other_spaces(const struct product *product, void *context)
{
    const struct visitor *visitor = context;
    for (size_t i = 0; i < COUNT(other_spaces) && names_space(product); i++) {
        char *name = replace(product->name, ".shared.b16", other_spaces[i].word);
        visitor->visit(name, visitor->context);
        free(name);
    }
}

/* The results must be those of the recorded instruction in shared memory. */
static void check_other_spaces(const struct product *product, void *context)
{
    uint64_t *inputs = context, *want = inputs + products_input_words(product);
    uint64_t *got = want + products_output_words(product);
    if (!names_space(product))
        return;
    products_inputs(product, inputs);
    products_emulate(product, inputs, want);
    for (size_t i = 0; i < COUNT(other_spaces); i++) {
        struct product other = *product;
        char *text = replace(product->text, ".shared.b16", other_spaces[i].word);
        char *moved = replace(text, "[at]", other_spaces[i].address);
        other.text = moved;
        products_emulate(&other, inputs, got);
        cr_expect(memcmp(got, want, products_output_words(product) * sizeof *got) == 0,
                  "%s with %s", product->name, other_spaces[i].word);
        free(text);
        free(moved);
    }
}

Test(opcodes, rows_of_matrices_in_other_spaces)
{
    uint64_t *words = calloc((size_t)PRODUCTS_SETS * 3 * PRODUCTS_MOST * 32, sizeof *words);
    cr_assert(words, "out of memory");
    products_each(check_other_spaces, words);
    free(words);
}

void matrix_each(name_visitor *visit, void *context)
{
    products_each(visit_other_spaces, &(struct visitor){visit, context});
    each_product(visit_product, &(struct visitor){visit, context});
    products_each(visit_recorded, &(struct visitor){visit, context});
}

/* --- the matrices in memory -------------------------------------------------------------------------- */

static unsigned rows_of(const struct wmma *p, unsigned matrix)
{
    return matrix == 1 ? p->shape->k : p->shape->m;
}

static unsigned columns_of(const struct wmma *p, unsigned matrix)
{
    return matrix == 0 ? p->shape->k : p->shape->n;
}

/* Returns the distance between rows or columns, including some padding. */
static unsigned apart(const struct wmma *p, unsigned matrix)
{
    unsigned gap = bits_of(type_of(p, matrix)) == 1 ? 32 : 16;
    return (p->by_column >> matrix & 1 ? rows_of(p, matrix) : columns_of(p, matrix)) + gap;
}

/* Returns the bits of a multiple of 1/4 below 512. It has at most 10 bits after the leading one, so
 * all types except the integers can represent it. */
static uint16_t half_bits(double value)
{
    unsigned size = (unsigned)(value < 0 ? -4 * value : 4 * value), exponent = 13;
    if (!size)
        return 0;
    while (size >= 2048u)
        size /= 2, exponent++; /* no value reaches this size */
    while (size < 1024)
        size *= 2, exponent--;
    return (uint16_t)((value < 0 ? 0x8000u : 0) | (exponent + 10) << 10 | (size & 1023));
}

static uint64_t bits_for(const char *type, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    uint64_t wide;
    memcpy(&wide, &value, sizeof wide);
    return strcmp(type, "f64") == 0    ? wide
           : strcmp(type, "f16") == 0  ? half_bits(value)
           : strcmp(type, "bf16") == 0 ? bits >> 16
           : strstr(type, "f32")       ? bits
                                       : (uint64_t)(int64_t)value;
}

static void put(const struct wmma *p, unsigned matrix, uint8_t *memory, unsigned row,
                unsigned column, double value)
{
    bool by_column = p->by_column >> matrix & 1;
    unsigned at = by_column ? column * apart(p, matrix) + row : row * apart(p, matrix) + column;
    unsigned bits = bits_of(type_of(p, matrix)), shift = at * bits % 8;
    uint64_t number = bits_for(type_of(p, matrix), value);
    uint8_t *to = memory + (size_t)matrix * ROOM + (size_t)at * bits / 8;
    uint8_t ones = (uint8_t)((1u << bits % 8) - 1);
    if (bits >= 8)
        memcpy(to, &number, bits / 8);
    else
        *to = (uint8_t)((*to & ~(ones << shift)) | (number & ones) << shift);
}

static double some_number(const char *type, unsigned seed)
{
    unsigned bits = (seed * 2654435761u) >> 16;
    if (strcmp(type, "u8") == 0)
        return bits % 256;
    if (strcmp(type, "s8") == 0)
        return (int)(bits % 256) - 128;
    if (strcmp(type, "s4") == 0)
        return (int)(bits % 16) - 8;
    if (strcmp(type, "u4") == 0 || strcmp(type, "b1") == 0)
        return bits % (*type == 'u' ? 16 : 2);
    if (strcmp(type, "s32") == 0) /* so large that some sums overflow the type */
        return bits % 2 ? 2147483000 + (int)(bits % 600) : -2147483000 - (int)(bits % 600);
    return ((int)(bits % 13) - 6) / 2.0;
}

static double fit(const struct kind *kind, double sum)
{
    if (strcmp(kind->d, "s32") != 0)
        return sum;
    if (strcmp(kind->word, ".satfinite") == 0)
        return sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
    return (int32_t)(uint32_t)(int64_t)sum;
}

static double multiply(const struct kind *kind, double a, double b)
{
    return strcmp(kind->word, ".xor.popc") == 0 ? a != b : a * b;
}

/* Fills IN with a, b and c, and RIGHT with a, b, c and the expected d. */
static void make_matrices(const struct wmma *p, uint8_t *in, uint8_t *right)
{
    static double number[3][128][128];
    unsigned seed = 1;
    memset(in, 0x5a, (size_t)4 * ROOM);
    for (unsigned x = 0; x < 3; x++)
        for (unsigned i = 0; i < rows_of(p, x); i++)
            for (unsigned j = 0; j < columns_of(p, x); j++) {
                number[x][i][j] = some_number(type_of(p, x), seed++);
                put(p, x, in, i, j, number[x][i][j]);
            }
    memcpy(right, in, (size_t)4 * ROOM);
    for (unsigned i = 0; i < p->shape->m; i++)
        for (unsigned j = 0; j < p->shape->n; j++) {
            double sum = number[2][i][j];
            for (unsigned k = 0; k < p->shape->k; k++)
                sum += multiply(p->kind, number[0][i][k], number[1][k][j]);
            put(p, 3, right, i, j, fit(p->kind, sum));
        }
}

/* --- the kernel -------------------------------------------------------------------------------------- */

/* Prints "{a0, a1, …}", the registers with a lane's part of the matrix. */
static void print_part(FILE *out, const struct wmma *p, unsigned matrix)
{
    const char *type = type_of(p, matrix);
    unsigned numbers = rows_of(p, matrix) * columns_of(p, matrix) / 32, bits = bits_of(type);
    unsigned count = matrix < 2 && strcmp(type, "f16") == 0 ? 8
                     : bits == 64                           ? numbers
                                                            : numbers * bits / 32;
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s%c%s%u", i ? ", " : "{", "abcd"[matrix], bits == 64 ? "l" : "w", i);
    fprintf(out, "}");
}

static void print_copy(FILE *out, const char *name, const char *from, const char *to)
{
    fprintf(out,
            "mov.u32 i, %%laneid;\nshl.b32 i, i, 2;\n%s:\ncvt.u64.u32 at, i;\nadd.s64 g, p, at;\n"
            "add.s64 s, x, at;\nld.%s.u32 w, [%c];\nst.%s.u32 [%c], w;\nadd.u32 i, i, 128;\n"
            "setp.lt.u32 more, i, %u;\n@more bra %s;\nbar.warp.sync -1;\n",
            name, from, *from, to, *to, 4 * ROOM, name);
}

static char *kernel_text(const struct wmma *p)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool is_shared = strstr(p->space, "shared");
    cr_assert(out, "out of memory");
    fprintf(out,
            ".visible .entry k(.param .u64 in)\n{\n.reg .pred more;\n.reg .b64 p, x, g, s, at;\n"
            ".reg .b32 i, w, aw<8>, bw<8>, cw<8>, dw<8>;\n"
            ".reg .b64 al<2>, bl<2>, cl<2>, dl<2>;\n");
    fprintf(out, ".shared .align 32 .b8 m[%u];\nld.param.u64 p, [in];\nmov.u64 x, %s;\n", 4 * ROOM,
            is_shared ? "m" : "p");
    if (is_shared)
        print_copy(out, "arrive", "global", "shared");
    for (unsigned which = 0; which < 3; which++) {
        char *name = mnemonic(p, which);
        fprintf(out, "%s ", name);
        print_part(out, p, which);
        fprintf(out, ", [x+%u], %u;\n", which * ROOM, apart(p, which));
        free(name);
    }
    char *multiply = mnemonic(p, 4), *store = mnemonic(p, 3);
    fprintf(out, "%s ", multiply);
    for (unsigned i = 0; i < 4; i++) {
        print_part(out, p, (i + 3) % 4);
        fprintf(out, i < 3 ? ", " : ";\n%s [x+%u], ", store, 3 * ROOM);
    }
    print_part(out, p, 3);
    fprintf(out, ", %u;\nbar.warp.sync -1;\n", apart(p, 3));
    if (is_shared)
        print_copy(out, "leave", "shared", "global");
    fprintf(out, "ret;\n}\n");
    fclose(out);
    free(multiply);
    free(store);
    return text;
}

static void check_product(const struct wmma *p, void *context)
{
    struct fixture *fixture = context;
    uint8_t in[4 * ROOM], right[4 * ROOM], got[4 * ROOM];
    char *text = kernel_text(p), *name = mnemonic(p, 4);
    make_matrices(p, in, right);
    fixture_load(fixture, text);
    emu_addr at = fixture_upload(fixture, in, sizeof in);
    fixture_run(fixture, (struct fixture_launch){.params = {at}});
    fixture_download(fixture, got, at, sizeof got);
    cr_expect(memcmp(got, right, sizeof got) == 0, "%s, in '%s', c by %s, d by %s: wrong result",
              name, p->space, layout(p, 2), layout(p, 3));
    emu_free(fixture->device, at);
    emu_unload(fixture->device, fixture->module);
    free(text);
    free(name);
}

Test(opcodes, matrices)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    each_product(check_product, &fixture);
    fixture_close(&fixture);
}
