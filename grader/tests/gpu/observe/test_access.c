/* Tests loads and stores of 32 lanes with many patterns of addresses. Each fast path must give the
 * same result as separate accesses by each lane. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gpu/tools.h"
#include "tests/support/emulator_fixture.h"

#define ITEMS 64u /* items of 16 bytes, the width of the widest load */
#define LANES 32u

/* A way to load from address a into the 64-bit register d. Also computes the value that d must get
 * from the bytes at a. */
struct width {
    const char *name, *load; /* %s: the space */
    unsigned bytes;
    uint64_t (*want)(const uint8_t *bytes);
};

#define WANT(name, type)                                                                           \
    static uint64_t name(const uint8_t *bytes)                                                     \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, bytes, sizeof value);                                                       \
        return (uint64_t)value;                                                                    \
    }
WANT(want_u8, uint8_t)
WANT(want_s8, int8_t)
WANT(want_u16, uint16_t)
WANT(want_s16, int16_t)
WANT(want_u32, uint32_t)
WANT(want_s32, int32_t)
WANT(want_u64, uint64_t)

static uint64_t want_second_u32(const uint8_t *bytes)
{
    return want_u32(bytes + 4);
}

static uint64_t want_second_u64(const uint8_t *bytes)
{
    return want_u64(bytes + 8);
}

static uint64_t want_outer_u32(const uint8_t *bytes)
{
    return want_u32(bytes) << 32 | want_u32(bytes + 12);
}

static uint64_t want_second_u8(const uint8_t *bytes)
{
    return want_u8(bytes + 1);
}

static uint64_t want_third_u8(const uint8_t *bytes)
{
    return want_u8(bytes + 2);
}

static uint64_t want_last_s8(const uint8_t *bytes)
{
    return want_s8(bytes + 3);
}

static uint64_t want_second_u16(const uint8_t *bytes)
{
    return want_u16(bytes + 2);
}

static const struct width widths[] = {
    {"u8", "ld.%s.u8 w, [a]; cvt.u64.u32 d, w;", 1, want_u8},
    {"u8 into 64 bits", "ld.%s.u8 d, [a];", 1, want_u8},
    {"u8 into 16 bits", "ld.%s.u8 h, [a]; cvt.u64.u16 d, h;", 1, want_u8},
    {"s8", "ld.%s.s8 w, [a]; cvt.s64.s32 d, w;", 1, want_s8},
    {"u16", "ld.%s.u16 h, [a]; cvt.u64.u16 d, h;", 2, want_u16},
    {"s16 into 64 bits", "ld.%s.s16 d, [a];", 2, want_s16},
    {"u32", "ld.%s.u32 w, [a]; cvt.u64.u32 d, w;", 4, want_u32},
    {"s32 into 64 bits", "ld.%s.s32 d, [a];", 4, want_s32},
    {"u64", "ld.%s.u64 d, [a];", 8, want_u64},
    {"v2.u32", "ld.%s.v2.u32 {w, x}, [a]; cvt.u64.u32 d, x;", 8, want_second_u32},
    {"v2.u64", "ld.%s.v2.u64 {e, d}, [a];", 16, want_second_u64},
    {"v4.u8", "ld.%s.v4.u8 {w, x, y, z}, [a]; cvt.u64.u32 d, y;", 4, want_third_u8},
    {"v4.s8", "ld.%s.v4.s8 {w, x, _, z}, [a]; cvt.s64.s32 d, z;", 4, want_last_s8},
    {"v2.u16", "ld.%s.v2.u16 {w, x}, [a]; cvt.u64.u32 d, x;", 4, want_second_u16},
    {"v2.u8", "ld.%s.v2.u8 {w, x}, [a]; cvt.u64.u32 d, x;", 2, want_second_u8},
    {"v4.u32", "ld.%s.v4.u32 {w, x, y, z}, [a]; mov.b64 d, {z, w};", 16, want_outer_u32},
};

/* The item that lane l accesses in each turn. In some patterns it stays the same, in some it moves,
 * in some it changes each time. */
struct choice {
    const char *name;
    unsigned (*item)(unsigned lane, unsigned turn);
};

#define ITEM(name, value)                                                                          \
    static unsigned name(unsigned lane, unsigned turn)                                             \
    {                                                                                              \
        return (value) % ITEMS;                                                                    \
    }
ITEM(neighbours, lane + turn)
ITEM(all_the_same, 5 * turn)
ITEM(backwards, 40 - lane + turn)
ITEM(two_rows, lane / 16 * 16 + turn)
ITEM(pairs, lane / 2 + 32 * turn)
ITEM(every_other, 2 * lane + turn)
ITEM(at_the_end, ITEMS - 1 - lane % (3 + turn))
ITEM(scattered, (lane * 37 + turn * turn * 11) ^ turn)

static const struct choice choices[] = {
    {"neighbours", neighbours}, {"all the same", all_the_same},
    {"backwards", backwards},   {"two rows", two_rows},
    {"pairs", pairs},           {"every other", every_other},
    {"at the end", at_the_end}, {"scattered", scattered},
};

/* Makes a kernel that copies the block to shared memory, and to each lane's local memory with each
 * byte XORed with the lane's number. Then, TURNS times, each lane loads an item of the block (or of
 * the copy in SPACE), and stores it in out[turn][lane]. `index` has the items' byte offsets. */
#define TURNS 4u
static void make_kernel(char *ptx, size_t size, const struct width *width, const char *space,
                        const char *guard)
{
    unsigned block_bytes = ITEMS * width->bytes;
    char load[160];
    snprintf(load, sizeof load, width->load, strcmp(space, "generic") == 0 ? "volatile" : space);
    const char *begin = strcmp(space, "global") == 0    ? "mov.u64 f, g;"
                        : strcmp(space, "shared") == 0  ? "mov.u64 f, s;"
                        : strcmp(space, "generic") == 0 ? "mov.u64 f, own; cvta.local.u64 f, f;"
                                                        : "mov.u64 f, own;";
    snprintf(ptx, size,
             ".visible .entry k(.param .u64 block, .param .u64 index, .param .u64 out)\n{\n"
             ".shared .align 16 .b8 s[%u];\n.local .align 16 .b8 own[%u];\n.reg .pred p, q;\n.reg "
             ".b16 h;\n"
             ".reg .b32 t, i, n, w, x, y, z;\n.reg .b64 g, o, r, a, b, d, e, f, m;\n"
             "ld.param.u64 g, [block];\nld.param.u64 r, [index];\nld.param.u64 o, [out];\n"
             "mov.u32 t, %%tid.x;\nmov.u32 i, 0;\ncvt.u64.u32 m, t;\n"
             "mul.lo.u64 m, m, 0x0101010101010101;\n"
             "COPY:\ncvt.u64.u32 b, i;\nadd.s64 a, g, b;\nld.global.u64 e, [a];\nmov.u64 a, s;\n"
             "add.s64 a, a, b;\nst.shared.u64 [a], e;\nxor.b64 e, e, m;\n"
             "mov.u64 a, own;\nadd.s64 a, a, b;\nst.local.u64 [a], e;\nadd.u32 i, i, 8;\n"
             "setp.lt.u32 p, i, %u;\n@p bra COPY;\n"
             "mad.wide.u32 r, t, 4, r;\nmad.wide.u32 o, t, 8, o;\nmov.u32 n, 0;\n"
             "setp.eq.u32 q, t, t;\n%s\n"
             "AGAIN:\nld.global.u32 i, [r];\ncvt.u64.u32 a, i;\n%s\nadd.s64 a, a, f;\n"
             "mov.u64 d, 77;\n@!q bra STORE;\n%s\nSTORE:\nst.global.u64 [o], d;\n"
             "add.s64 r, r, %u;\nadd.s64 o, o, %u;\nadd.u32 n, n, 1;\nsetp.lt.u32 p, n, %u;\n"
             "@p bra AGAIN;\nret;\n}\n",
             block_bytes, block_bytes, block_bytes, guard, begin, load, 4 * LANES, 8 * LANES,
             TURNS);
}

static void check_loads(const struct width *width, const struct choice *choice, const char *space,
                        bool only_some, bool watched)
{
    struct emu_options unwatched = {.tools = EMU_ONLY};
    uint8_t block[ITEMS * 16];
    uint32_t index[TURNS][LANES];
    uint64_t out[TURNS][LANES];
    char ptx[3000];
    struct fixture f;
    bool is_own = strcmp(space, "local") == 0 || strcmp(space, "generic") == 0;
    for (unsigned i = 0; i < sizeof block; i++)
        block[i] = (uint8_t)(i * 151 + i / 256 + 7);
    for (unsigned turn = 0; turn < TURNS; turn++)
        for (unsigned lane = 0; lane < LANES; lane++)
            index[turn][lane] = choice->item(lane, turn) * width->bytes;
    make_kernel(ptx, sizeof ptx, width, space,
                only_some ? "and.b32 w, t, 5;\nsetp.ne.u32 q, w, 4;" : "");
    fixture_open(&f, watched ? NULL : &unwatched);
    fixture_load(&f, ptx);
    /* items are as wide as the load, so the block ends exactly after the last item */
    emu_addr on_device = fixture_upload(&f, block, ITEMS * width->bytes);
    emu_addr indices = fixture_upload(&f, index, sizeof index);
    emu_addr results = fixture_upload(&f, NULL, sizeof out);
    fixture_run(&f, (struct fixture_launch){.params = {on_device, indices, results}});
    fixture_download(&f, out, results, sizeof out);
    for (unsigned turn = 0; turn < TURNS; turn++)
        for (unsigned lane = 0; lane < LANES; lane++) {
            bool active = !only_some || (lane & 5) != 4;
            uint8_t bytes[16];
            for (unsigned i = 0; i < width->bytes; i++)
                bytes[i] = (uint8_t)(block[index[turn][lane] + i] ^ (is_own ? lane : 0));
            uint64_t want = active ? width->want(bytes) : 77;
            cr_expect(out[turn][lane] == want, "%s, %s, %s%s: lane %u has 0x%llx, want 0x%llx",
                      width->name, choice->name, space, only_some ? ", some lanes" : "", lane,
                      (unsigned long long)out[turn][lane], (unsigned long long)want);
        }
    fixture_close(&f);
}

/* Loads of one stretch that begin with the same addresses. In each turn, the lanes load their item,
 * the item after it, the item that is 0 or `lane` items further (in turns), and the first one again
 * after its address register has gone there and back. Writes the four to out[turn][lane]. */
static const char kin_kernel[] =
    ".visible .entry k(.param .u64 block, .param .u64 index, .param .u64 out)\n{\n"
    ".reg .pred p;\n.reg .b32 t, i, n, w, x, y, z;\n.reg .b64 g, o, r, a, b, m;\n"
    "ld.param.u64 g, [block];\nld.param.u64 r, [index];\nld.param.u64 o, [out];\n"
    "mov.u32 t, %tid.x;\nmov.u32 n, 0;\n"
    "mad.wide.u32 r, t, 4, r;\nmad.wide.u32 o, t, 16, o;\n"
    "AGAIN:\nld.global.u32 i, [r];\ncvt.u64.u32 a, i;\nadd.s64 a, a, g;\nand.b32 w, n, 1;\n"
    "mul.lo.u32 w, w, t;\nmul.wide.u32 m, w, 4;\n"
    "ld.global.u32 w, [a];\nadd.s64 b, a, 4;\nld.global.u32 x, [b];\n"
    "add.s64 b, a, m;\nld.global.u32 y, [b];\n"
    "add.s64 a, a, m;\nsub.s64 a, a, m;\nld.global.u32 z, [a];\n"
    "st.global.v4.u32 [o], {w, x, y, z};\n"
    "add.s64 r, r, 128;\nadd.s64 o, o, 512;\nadd.u32 n, n, 1;\nsetp.lt.u32 p, n, 8;\n"
    "@p bra AGAIN;\nret;\n}\n";

static void check_kin(const struct choice *choice, bool watched)
{
    enum { ROUNDS = 8 };
    struct emu_options unwatched = {.tools = EMU_ONLY};
    uint32_t block[ITEMS + LANES], index[ROUNDS][LANES], out[ROUNDS][LANES][4];
    struct fixture f;
    for (unsigned i = 0; i < ITEMS + LANES; i++)
        block[i] = 1000 + i;
    for (unsigned n = 0; n < ROUNDS; n++)
        for (unsigned l = 0; l < LANES; l++)
            index[n][l] = 4 * choice->item(l, n / 3);
    fixture_open(&f, watched ? NULL : &unwatched);
    fixture_load(&f, kin_kernel);
    emu_addr on_device = fixture_upload(&f, block, sizeof block);
    emu_addr indices = fixture_upload(&f, index, sizeof index);
    emu_addr results = fixture_upload(&f, NULL, sizeof out);
    fixture_run(&f, (struct fixture_launch){.params = {on_device, indices, results}});
    fixture_download(&f, out, results, sizeof out);
    for (unsigned n = 0; n < ROUNDS; n++)
        for (unsigned l = 0; l < LANES; l++) {
            uint32_t at = 1000 + index[n][l] / 4, want[4] = {at, at + 1, at + l * (n & 1), at};
            cr_expect(memcmp(out[n][l], want, sizeof want) == 0, "%s: round %u, lane %u",
                      choice->name, n, l);
        }
    fixture_close(&f);
}

Test(access, loads_of_one_stretch_are_compared_again_if_a_register_has_changed)
{
    for (unsigned c = 0; c < sizeof choices / sizeof *choices; c++)
        for (unsigned watched = 0; watched < 2; watched++)
            check_kin(&choices[c], watched);
}

/* Ways to load four adjacent words into w, x, y and z, and the values that the lanes must get, as
 * distances from word a. In round n, STORED in place of a distance means the number n. */
#define STORED 99u
static const struct {
    const char *name, *code;
    uint32_t want[4];
} quads[] = {
    {"four words",
     "ld.global.u32 w, [a];\nmul.lo.u32 x, w, w;\nld.global.u32 x, [a+4];\n"
     "ld.global.u32 z, [a+12];\nld.global.u32 y, [a+8];\n",
     {0, 1, 2, 3}},
    {"a store between them",
     "ld.global.u32 w, [a];\nld.global.u32 x, [a+4];\nst.global.u32 [a+8], n;\n"
     "ld.global.u32 y, [a+8];\nld.global.u32 z, [a+12];\n",
     {0, 1, STORED, 3}},
    {"an atomic between them",
     "ld.global.u32 w, [a];\natom.global.exch.b32 x, [a+8], n;\nld.global.u32 x, [a+4];\n"
     "ld.global.u32 y, [a+8];\nld.global.u32 z, [a+12];\n",
     {0, 1, STORED, 3}},
    {"another address",
     "ld.global.u32 w, [a];\nld.global.u32 x, [a+4];\nsub.s64 a, a, 8;\n"
     "ld.global.u32 y, [a+8];\nld.global.u32 z, [a+12];\n",
     {0, 1, 0, 1}},
    {"words at the end of memory",
     "ld.global.u32 w, [a+8];\nld.global.u32 x, [a+12];\nmov.u32 y, x;\nmov.u32 z, x;\n",
     {2, 3, 3, 3}},
    {"words in descending order",
     "ld.global.u32 z, [a+12];\nld.global.u32 y, [a+8];\nld.global.u32 x, [a+4];\n"
     "ld.global.u32 w, [a];\n",
     {0, 1, 2, 3}},
};

/* Each lane reads its own 64 bytes, 16 in each of four rounds. WATCHED: with counters and memcheck.
 * ODD: only the odd lanes do. */
static void check_quad(unsigned which, bool watched, bool odd)
{
    enum { ROUNDS = 4, WORDS = 4 * ROUNDS };
    struct emu_options unwatched = {.tools = EMU_ONLY};
    uint32_t block[LANES * WORDS], out[ROUNDS][LANES][4];
    struct fixture f;
    char ptx[2000];
    for (unsigned i = 0; i < LANES * WORDS; i++)
        block[i] = 1000 + i;
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 block, .param .u64 out)\n{\n"
             ".reg .pred p;\n.reg .b32 t, i, n, w, x, y, z;\n.reg .b64 g, o, a;\n"
             "ld.param.u64 g, [block];\nld.param.u64 o, [out];\nmov.u32 t, %%tid.x;\n"
             "mad.wide.u32 o, t, 16, o;\nand.b32 i, t, 1;\nsetp.eq.u32 p, i, 0;\n%s"
             "mov.u32 n, 0;\nAGAIN:\nshl.b32 i, t, 6;\nmad.lo.u32 i, n, 16, i;\n"
             "cvt.u64.u32 a, i;\nadd.s64 a, a, g;\n%s"
             "st.global.v4.u32 [o], {w, x, y, z};\nadd.s64 o, o, 512;\nadd.u32 n, n, 1;\n"
             "setp.lt.u32 p, n, 4;\n@p bra AGAIN;\nEND:\nret;\n}\n",
             odd ? "@p bra END;\n" : "", quads[which].code);
    fixture_open(&f, watched ? NULL : &unwatched);
    fixture_load(&f, ptx);
    emu_addr on_device = fixture_upload(&f, block, sizeof block);
    emu_addr results = fixture_upload(&f, NULL, sizeof out);
    fixture_run(&f, (struct fixture_launch){.params = {on_device, results}});
    fixture_download(&f, out, results, sizeof out);
    for (unsigned n = 0; n < ROUNDS; n++)
        for (unsigned l = odd; l < LANES; l += 1 + odd)
            for (unsigned k = 0; k < 4; k++) {
                uint32_t want = quads[which].want[k], at = 1000 + l * WORDS + 4 * n;
                cr_expect_eq(out[n][l][k], want == STORED ? n : at + want,
                             "%s: round %u, lane %u, word %u", quads[which].name, n, l, k);
            }
    fixture_close(&f);
}

Test(access, loads_of_adjacent_words_give_what_lies_there)
{
    for (unsigned i = 0; i < sizeof quads / sizeof *quads; i++)
        for (unsigned way = 0; way < 4; way++)
            check_quad(i, way & 1, way & 2);
}

Test(access, loads_give_what_lies_there)
{
    static const char *const spaces[] = {"global", "shared", "local", "generic"};
    for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++)
        for (unsigned c = 0; c < sizeof choices / sizeof *choices; c++)
            for (unsigned way = 0; way < 16; way++)
                check_loads(&widths[w], &choices[c], spaces[way / 4], way & 1, way & 2);
}
