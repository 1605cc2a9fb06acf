/* Tests ld, ldu, st, atom, red and cvta: every space, type, register width, vector and modifier.
 *
 * Each thread has a cell of 32 bytes in the tested space. For a load, the cell has a pattern, and
 * the test compares the loaded elements. For a store, the test compares the whole cell, to detect
 * extra bytes. The test computes the expected bytes from the parameters of the access. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcode_memory.h"

#define THREADS 64u
#define CELL    32u /* size of a cell in bytes */

static const char *const types[] = {"u8", "u16", "u32", "u64", "s8",  "s16", "s32", "s64",
                                    "b8", "b16", "b32", "b64", "f32", "f64", "b128"};
#define TYPES (sizeof types / sizeof *types)

/* A state space as an instruction names it, and the space that holds the test's cells. */
struct space {
    const char *name, *home;
};
static const struct space spaces[] = {
    {"global", "global"},
    {"shared", "shared"},
    {"local", "local"},
    {"param", "param"},
    {"const", "const"},
    {"", "global"},
    {"", "shared"},
    {"", "local"},
    {"shared::cta", "shared"},
    {"shared::cluster", "shared"},
    {"param", "frame"}, /* a parameter for a call */
};
#define SPACES (sizeof spaces / sizeof *spaces)

/* Words for the kind of access. Some come before the space, some after it. */
static const char *const load_orders[] = {
    "weak",        "volatile",    "relaxed.cta",     "relaxed.cluster",
    "relaxed.gpu", "relaxed.sys", "acquire.cta",     "acquire.cluster",
    "acquire.gpu", "acquire.sys", "mmio.relaxed.sys"};
static const char *const store_orders[] = {
    "weak",        "volatile",    "relaxed.cta",     "relaxed.cluster",
    "relaxed.gpu", "relaxed.sys", "release.cta",     "release.cluster",
    "release.gpu", "release.sys", "mmio.relaxed.sys"};
#define CACHE_WORDS                                                                                \
    "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",                \
        "L1::no_allocate", "L2::cache_hint", "L1::no_allocate.L2::cache_hint"
static const char *const load_caches[] = {
    "ca", "cg",        "cs",      "lu",       "cv",
    "nc", CACHE_WORDS, "L2::64B", "L2::128B", "nc.L1::evict_last.L2::cache_hint.L2::256B"};
static const char *const store_caches[] = {"wb", "cg", "cs", "wt", CACHE_WORDS};

struct access {
    const char *opcode, *order, *cache, *type;
    struct space space;
    unsigned width;         /* number of elements */
    unsigned register_bits; /* size of the register, which is at least the size of the type */
};

static unsigned bits_of(const char *type)
{
    return (unsigned)strtoul(type + 1, NULL, 10);
}

static void print_mnemonic(FILE *out, const struct access *a)
{
    const char *const parts[] = {a->order, a->space.name, a->cache,
                                 a->width == 2   ? "v2"
                                 : a->width == 4 ? "v4"
                                                 : ""};
    fputs(a->opcode, out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && *parts[i])
            fprintf(out, ".%s", parts[i]);
    fprintf(out, ".%s", a->type);
}

char *memory_mnemonic(const struct access *a)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert(out, "out of memory");
    print_mnemonic(out, a);
    fclose(out);
    return text;
}

/* --- kernels ------------------------------------------------------------------------------------ */

static uint8_t pattern(unsigned thread, unsigned at)
{
    return (uint8_t)(thread * 29 + at * 37 + 0x81);
}

/* Returns whether all threads share SPACE. Then every thread uses the cell of thread 0. */
static bool is_common(const struct space *space)
{
    return strcmp(space->home, "param") == 0 || strcmp(space->home, "const") == 0;
}

static void print_variables(FILE *out)
{
    fprintf(out, ".const .align 16 .b8 fixed[%u] = {", CELL);
    for (unsigned i = 0; i < CELL; i++)
        fprintf(out, "%s%u", i ? ", " : "", pattern(0, i));
    fprintf(out,
            "};\n.visible .entry k(.param .u64 cells, .param .u64 results, .param .align 16 .b8 "
            "block[%u])\n{\n.shared .align 16 .b8 near[%u];\n.local .align 16 .b8 own[%u];\n",
            CELL, THREADS * CELL, CELL);
    fprintf(
        out,
        ".param .align 16 .b8 pass[%u];\n.reg .b64 cell, result, address, at, copy;\n.reg .b32 t;\n"
        "mov.u32 t, %%tid.x;\nld.param.u64 cell, [cells];\nld.param.u64 result, [results];\n"
        "mul.wide.u32 at, t, %u;\nadd.s64 cell, cell, at;\nadd.s64 result, result, at;\n",
        CELL, CELL);
}

static const char *address_text(const struct space *space)
{
    return strcmp(space->home, "param") == 0   ? "block"
           : strcmp(space->home, "frame") == 0 ? "pass"
                                               : "address";
}

/* Stores the cell's address in `address`, in the form that the space needs, and copies the cell to
 * this address. */
static void print_address(FILE *out, const struct space *space)
{
    const char *home = space->home;
    if (strcmp(home, "global") == 0)
        fprintf(out, "mov.u64 address, cell;\n");
    else if (strcmp(home, "shared") == 0)
        fprintf(out, "mov.u64 address, near;\nadd.s64 address, address, at;\n");
    else if (strcmp(home, "local") == 0)
        fprintf(out, "mov.u64 address, own;\n");
    else if (strcmp(home, "const") == 0)
        fprintf(out, "mov.u64 address, fixed;\n");
    bool frame = strcmp(home, "frame") == 0;
    if (strcmp(home, "shared") == 0 || strcmp(home, "local") == 0 || frame)
        for (unsigned i = 0; i < CELL; i += 8)
            fprintf(out, "ld.global.b64 copy, [cell+%u];\nst.%s.b64 [%s+%u], copy;\n", i,
                    frame ? "param" : home, address_text(space), i);
    if (!*space->name)
        fprintf(out, "cvta.%s.u64 address, address;\n", home);
}

static void print_elements(FILE *out, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        fprintf(out, "%s%sv%u", i ? ", " : "", !i && width > 1 ? "{" : "", i);
    if (width > 1)
        fputc('}', out);
}

/* Returns the operand for the cache policy, or "". It can be any register, because any 64 bits are
 * a valid policy. */
static const char *policy_text(const struct access *a)
{
    return a->cache && strstr(a->cache, "cache_hint") ? ", result" : "";
}

static void print_load(FILE *out, const struct access *a)
{
    unsigned bits = a->register_bits;
    fprintf(out, ".reg .b%u v<4>;\n", bits);
    print_mnemonic(out, a);
    fputc(' ', out);
    print_elements(out, a->width);
    fprintf(out, ", [%s+0]%s;\n", address_text(&a->space), policy_text(a));
    for (unsigned i = 0; i < a->width; i++)
        fprintf(out, "st.global.b%u [result+%u], v%u;\n", bits, 8 * i, i);
}

static void print_store(FILE *out, const struct access *a)
{
    unsigned bits = a->register_bits;
    fprintf(out, ".reg .b%u v<4>;\n", bits);
    for (unsigned i = 0; i < a->width; i++)
        fprintf(out, "ld.global.b%u v%u, [result+%u];\n", bits, i, 8 * i);
    print_mnemonic(out, a);
    fprintf(out, " [%s], ", address_text(&a->space));
    print_elements(out, a->width);
    fprintf(out, "%s;\n", policy_text(a));
    for (unsigned i = 0; i < CELL; i += 8)
        fprintf(out, "ld%s%s.b64 copy, [%s+%u];\nst.global.b64 [result+%u], copy;\n",
                *a->space.name ? "." : "", a->space.name, address_text(&a->space), i, i);
}

static char *memory_ptx(const struct access *a)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert(out, "out of memory");
    print_variables(out);
    print_address(out, &a->space);
    if (a->opcode[0] == 'l')
        print_load(out, a);
    else
        print_store(out, a);
    fprintf(out, "ret;\n}\n");
    fclose(out);
    return text;
}

/* --- expectations ------------------------------------------------------------------------------- */

/* Returns the register's expected value after a load: the type's bytes, extended to the register's
 * width. */
static uint64_t loaded(const struct access *a, unsigned thread, unsigned element)
{
    unsigned bytes = bits_of(a->type) / 8;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)pattern(thread, element * bytes + i) << (8 * i);
    bool negative = *a->type == 's' && value >> (8 * bytes - 1);
    if (negative && bytes < 8)
        value |= UINT64_MAX << (8 * bytes);
    return a->register_bits == 64 ? value : value & (((uint64_t)1 << a->register_bits) - 1);
}

/* Returns an element to store. Its bits above the type's width must not be stored. */
static uint64_t to_store(unsigned thread, unsigned element)
{
    return 0xf1e2d3c4b5a69788u + 0x0123456701234567u * element + thread;
}

/* Returns access A with each 128-bit element replaced by two 64-bit elements. */
static struct access in_longs(const struct access *a)
{
    struct access longs = *a;
    if (bits_of(a->type) == 128) {
        longs.type = "b64";
        longs.width = 2;
        longs.register_bits = 64;
    }
    return longs;
}

static bool expect_cell(const struct access *a, unsigned thread, const uint8_t *got)
{
    uint8_t want[CELL] = {0};
    bool load = a->opcode[0] == 'l';
    struct access longs = in_longs(a);
    unsigned bytes = bits_of(longs.type) / 8;
    for (unsigned i = 0; i < CELL && !load; i++)
        want[i] = pattern(thread, i);
    for (unsigned k = 0; k < longs.width; k++) {
        uint64_t value =
            load ? loaded(&longs, is_common(&a->space) ? 0 : thread, k) : to_store(thread, k);
        memcpy(want + k * (load ? 8 : bytes), &value, load ? 8 : bytes);
    }
    for (unsigned i = 0; i < CELL; i++) {
        if (got[i] == want[i])
            continue;
        char *name = memory_mnemonic(a);
        cr_expect(false, "%s, %s memory, %u-bit registers: byte %u of thread %u is %#x, want %#x",
                  name, a->space.home, a->register_bits, i, thread, got[i], want[i]);
        free(name);
        return false;
    }
    return true;
}

static void run_access(struct fixture *fixture, const struct access *a)
{
    uint8_t cells[THREADS][CELL], results[THREADS][CELL] = {{0}};
    struct fixture_launch launch = {.block = {THREADS}};
    for (unsigned t = 0; t < THREADS; t++) {
        for (unsigned i = 0; i < CELL; i++)
            cells[t][i] = pattern(t, i);
        for (unsigned k = 0; k < in_longs(a).width && a->opcode[0] == 's'; k++)
            memcpy(&results[t][8 * k], &(uint64_t){to_store(t, k)}, 8);
    }
    char *ptx = memory_ptx(a);
    fixture_load(fixture, ptx);
    launch.params[0] = fixture_upload(fixture, cells, sizeof cells);
    launch.params[1] = fixture_upload(fixture, results, sizeof results);
    memcpy(&launch.params[2], cells[0], CELL);
    fixture_run(fixture, launch);
    fixture_download(fixture, results, launch.params[1], sizeof results);
    for (unsigned t = 0; t < THREADS && expect_cell(a, t, results[t]); t++)
        ;
    emu_free(fixture->device, launch.params[0]);
    emu_free(fixture->device, launch.params[1]);
    emu_unload(fixture->device, fixture->module);
    free(ptx);
}

/* --- every access ------------------------------------------------------------------------------- */

static void each_register(struct access a, memory_visitor *visit, void *context)
{
    unsigned type_bits = bits_of(a.type), least = type_bits < 16 ? 16 : type_bits;
    unsigned most = *a.type == 'f' || type_bits > 64 ? type_bits : 64;
    for (a.register_bits = least; a.register_bits <= most; a.register_bits *= 2)
        visit(&a, context);
}

/* Visits all types and vectors in one space, without other words. */
static void each_plain(const char *opcode, struct space space, memory_visitor *visit, void *context)
{
    size_t count = strcmp(opcode, "ldu") == 0 ? TYPES - 1 : TYPES; /* ldu has no b128 */
    for (size_t t = 0; t < count; t++)
        for (unsigned width = 1; width <= 4 && width * bits_of(types[t]) <= 128; width *= 2)
            each_register(
                (struct access){.opcode = opcode, .type = types[t], .space = space, .width = width},
                visit, context);
}

/* Visits each word with each type. Words for the order come before the space, words for caches
 * after it. */
static void each_word(const char *opcode, const char *const *words, size_t count, bool is_order,
                      memory_visitor *visit, void *context)
{
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < TYPES; t++) {
            struct access a = {.opcode = opcode, .type = types[t], .space = spaces[0], .width = 1};
            *(is_order ? &a.order : &a.cache) = words[i];
            a.register_bits = bits_of(types[t]) < 16 ? 16 : bits_of(types[t]);
            visit(&a, context);
        }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

void memory_each_load(memory_visitor *visit, void *context)
{
    for (size_t s = 0; s < SPACES; s++)
        each_plain("ld", spaces[s], visit, context);
    each_plain("ldu", spaces[0], visit, context);
    each_word("ld", load_orders, COUNT(load_orders), true, visit, context);
    each_word("ld", load_caches, COUNT(load_caches), false, visit, context);
}

void memory_each_store(memory_visitor *visit, void *context)
{
    for (size_t s = 0; s < SPACES; s++)
        if (!is_common(&spaces[s]))
            each_plain("st", spaces[s], visit, context);
    each_word("st", store_orders, COUNT(store_orders), true, visit, context);
    each_word("st", store_caches, COUNT(store_caches), false, visit, context);
}

static void run_visited(const struct access *a, void *fixture)
{
    run_access(fixture, a);
}

Test(opcodes, load)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    memory_each_load(run_visited, &fixture);
    fixture_close(&fixture);
}

Test(opcodes, store)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    memory_each_store(run_visited, &fixture);
    fixture_close(&fixture);
}
