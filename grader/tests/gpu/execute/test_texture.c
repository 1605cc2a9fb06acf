/* Tests texture and surface instructions through device.h. Every form must work, or be refused with
 * a clear message. Also tests invalid handles and accesses at the edges. test_cudart_more.c
 * compares the read values with a GPU's. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

enum { W = 4, H = 3 };

#define HEAD(name)                                                                                 \
    ".visible .entry " name "(.param .u64 p, .param .u64 t)\n{\n"                                  \
    ".reg .b32 %r<9>;\n.reg .b16 %h<5>;\n.reg .b64 %d<9>;\n.reg .f32 %f<9>;\n"                     \
    "ld.param.u64 %d1, [p];\nld.param.u64 %d2, [t];\nmov.u32 %r1, %tid.x;\n"                       \
    "mov.u32 %r2, 0;\nmov.f32 %f1, 0f3FC00000;\nmov.f32 %f2, 0f3F000000;\n"
#define TAIL               "ret;\n}\n"
#define KERNEL(name, body) HEAD(name) body TAIL

static const struct row {
    const char *instruction, *message; /* MESSAGE is NULL if the form must be accepted */
} rows[] = {
    {"tex.1d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%d2, {%r1}];", NULL},
    {"tex.1d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%d2, {%f1}];", NULL},
    {"tex.2d.v4.s32.f32 {%r3, _, _, _}, [%d2, {%f1, %f2}];", NULL},
    {"tex.2d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%d2, {%r1, %r2}];", NULL},
    {"tex.3d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2, %f2, %f2}];", NULL},
    {"tex.a1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%r1, %f2}];", NULL},
    {"tex.a2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%r1, %f2, %f2, %f2}];", NULL},
    {"tex.level.1d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1}], %f1;", NULL},
    {"tex.level.3d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f1, %f1, %f1}], %f1;", NULL},
    {"tex.grad.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}], {%f1, %f1}, {%f2, %f2};",
     NULL},
    {"tld4.r.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}];", NULL},
    {"tld4.g.2d.v4.u32.f32 {%r3, %r4, %r5, %r6}, [%d2, {%f1, %f2}];", NULL},
    {"tld4.b.2d.v4.s32.f32 {%r3, %r4, %r5, %r6}, [%d2, {%f1, %f2}];", NULL},
    {"tld4.a.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}];", NULL},
    {"tex.cube.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%d2, {%r1, %r2, %r2, %r2}];",
     "does not support this form"},
    {"tex.grad.cube.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f1, %f1, %f1}], "
     "{%f1, %f1}, {%f1, %f1};",
     "does not support this form"},
    {"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}|%f1, [%d2, {%f1, %f2}];", "must be a predicate"},
    {"tex.2d.v4.f32.f32 {%f3, %f4, %f5, nowhere}|%f1, [%d2, {%f1, %f2}];", "unknown name"},
    {"ld.global.v2.u32 {%r1, %r2}|%r3, [%d1];", "must be"},
    {"mov.b64 {%r1, %r2}|%r3, %d1;", "must be"},
    {"tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}];", "where 1 are needed"},
    {"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}], %f1;", "where 0 are needed"},
    {"tex.2d.v2.f16x2.f32 {%r3, %r4}, [%d2, {%f1, %f2}];", "in instruction 'tex'"},
    {"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1}];", "1 coordinates where 2 are needed"},
    {"tex.2d.v4.f32.f32 {%f3, %f4, %f5}, [%d2, {%f1, %f2}];", "does not support this form"},
    {"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%r1, {%f1, %f2}];", "64 bits"},
    {"tex.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}];", "only texture and surface objects"},
    {"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2];", "coordinates"},
    {"ld.global.u32 %r3, [%d1, {%r1, %r2}];", "must be an address"},
};
#define ROWS (sizeof rows / sizeof *rows)

static struct emu_texture describe(emu_addr texels)
{
    return (struct emu_texture){.addr = texels,
                                .width = W,
                                .height = H,
                                .depth = 1,
                                .pitch = W * 4,
                                .slice = W * H * 4,
                                .channels = 1,
                                .bits = 32,
                                .kind = 'f',
                                .address = {EMU_CLAMP, EMU_CLAMP, EMU_CLAMP}};
}

static uint64_t open_texture(struct fixture *fixture, struct emu_texture texture)
{
    uint64_t handle = 0;
    cr_assert_eq(emu_texture_open(fixture->device, &texture, &handle), EMU_OK, "%s",
                 emu_message(fixture->device));
    return handle;
}

Test(texture, forms_are_understood_or_refused)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    emu_addr texels = fixture_upload(&fixture, NULL, W * H * 4);
    struct emu_texture texture = describe(texels), layered = texture;
    layered.layered = true; /* an instruction without a layer may also read a layered texture */
    uint64_t handles[] = {open_texture(&fixture, texture), open_texture(&fixture, layered)};
    for (size_t i = 0; i < ROWS; i++) {
        char ptx[1200];
        snprintf(ptx, sizeof ptx, "%s%s\n%s", HEAD("k"), rows[i].instruction, TAIL);
        fixture_load(&fixture, ptx);
        const char *why = fixture_refusal(&fixture, "k");
        cr_expect(rows[i].message ? strstr(why, rows[i].message) != NULL : !*why, "%s: \"%s\"",
                  rows[i].instruction, why);
        for (int k = 0; k < 2 && !*why; k++)
            fixture_run(&fixture, (struct fixture_launch){.params = {texels, handles[k]}});
    }
    fixture_close(&fixture);
}

/* Tests suld and sust with every type, width and shape, and with accesses outside of the
 * surface. */
Test(texture, surfaces_of_every_form)
{
    static const char *const types[] = {"b8", "b16", "b32", "b64"};
    static const char *const values[4][3] = {{"{%h1}", "{%h1, %h2}", "{%h1, %h2, %h3, %h4}"},
                                             {"{%h1}", "{%h1, %h2}", "{%h1, %h2, %h3, %h4}"},
                                             {"{%r3}", "{%r3, %r4}", "{%r3, %r4, %r5, %r6}"},
                                             {"{%d3}", "{%d3, %d4}", NULL}};
    static const char *const widths[] = {"", ".v2", ".v4"}, *const outside[] = {"trap", "clamp",
                                                                                "zero"};
    static const struct {
        const char *name, *point;
    } shapes[] = {{"1d", "{%r2}"},
                  {"2d", "{%r2, %r2}"},
                  {"3d", "{%r2, %r2, %r2, %r2}"},
                  {"a1d", "{%r2, %r2}"},
                  {"a2d", "{%r2, %r2, %r2, %r2}"}};
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    emu_addr texels = fixture_upload(&fixture, NULL, W * H * 4);
    struct emu_texture surface = describe(texels);
    surface.is_surface = true;
    uint64_t handle = open_texture(&fixture, surface);
    for (int type = 0; type < 4; type++)
        for (int width = 0; width < 3 && values[type][width]; width++)
            for (int shape = 0; shape < 5; shape++)
                for (int o = 0; o < 3; o++) {
                    char body[400], ptx[1600];
                    snprintf(body, sizeof body,
                             "suld.b.%s%s.%s.%s %s, [%%d2, %s];\nsust.b.%s%s.%s.%s [%%d2, %s], %s;",
                             shapes[shape].name, widths[width], types[type], outside[o],
                             values[type][width], shapes[shape].point, shapes[shape].name,
                             widths[width], types[type], outside[o], shapes[shape].point,
                             values[type][width]);
                    snprintf(ptx, sizeof ptx, "%s%s\n%s", HEAD("k"), body, TAIL);
                    fixture_load(&fixture, ptx);
                    cr_expect_str_eq(fixture_refusal(&fixture, "k"), "", "%s: %s", body,
                                     fixture_refusal(&fixture, "k"));
                    fixture_run(&fixture, (struct fixture_launch){.params = {texels, handle}});
                }
    fixture_close(&fixture);
}

/* An invalid or destroyed handle ends the kernel with a finding, and memory outside the
 * surface stays unchanged. */
Test(texture, bad_handles_and_edges_are_reported)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(
        &fixture,
        KERNEL("fetch", "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}];\n"
                        "st.global.f32 [%d1], %f3;\n")
            KERNEL("store", "mov.u32 %r3, 16;\nsust.b.2d.b32.trap [%d2, {%r3, %r2}], {%r3};\n"));
    const float values[W * H] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    emu_addr texels = fixture_upload(&fixture, values, sizeof values);
    emu_addr out = fixture_upload(&fixture, NULL, 4);
    struct emu_texture texture = describe(texels);
    uint64_t handle = open_texture(&fixture, texture);
    fixture_run(&fixture, (struct fixture_launch){.kernel = "fetch", .params = {out, handle}});
    cr_expect_eq(fixture_word(&fixture, out, 0), 0x40000000, "the texel at 1.5, 0.5 is 2.0");
    struct fixture_launch launch = {.kernel = "fetch", .params = {out, handle + 1}};
    cr_expect_eq(fixture_launch(&fixture, launch), EMU_ILLEGAL_ADDRESS, "no such handle");
    json_t *line = fixture_record(&fixture, -1);
    fixture_finding(line, "bad-texture");
    json_decref(line);
    launch = (struct fixture_launch){.kernel = "store", .params = {out, handle}};
    cr_expect_eq(fixture_launch(&fixture, launch), EMU_ILLEGAL_ADDRESS,
                 "a texture is not a surface");
    texture.is_surface = true;
    launch.params[1] = open_texture(&fixture, texture);
    cr_expect_eq(fixture_launch(&fixture, launch), EMU_TRAP, "x = 16 bytes is outside");
    line = fixture_record(&fixture, -1);
    fixture_finding(line, "outside-surface");
    json_decref(line);
    cr_expect_eq(emu_texture_close(fixture.device, handle), EMU_OK);
    cr_expect_eq(emu_texture_close(fixture.device, handle), EMU_NOT_FOUND);
    launch = (struct fixture_launch){.kernel = "fetch", .params = {out, handle}};
    cr_expect_eq(fixture_launch(&fixture, launch), EMU_ILLEGAL_ADDRESS, "a closed texture");
    handle = open_texture(&fixture, describe(texels));
    cr_expect_eq(emu_free(fixture.device, texels), EMU_OK);
    launch.params[1] = handle;
    cr_expect_eq(fixture_launch(&fixture, launch), EMU_ILLEGAL_ADDRESS, "freed memory");
    fixture_close(&fixture);
}

/* The texture is in memory that the program lends. Kernels see its bytes, and use its address. */
Test(texture, lent_memory_is_shared)
{
    static uint32_t words[64];
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    emu_addr addr = (emu_addr)(uintptr_t)words;
    cr_assert_eq(emu_lend(fixture.device, addr, words, sizeof words), EMU_OK);
    cr_expect_neq(emu_lend(fixture.device, addr, words, sizeof words), EMU_OK, "lent twice");
    fixture_load(&fixture, KERNEL("k", "mov.u32 %r3, 7;\nst.global.u32 [%d1+12], %r3;\n"));
    fixture_run(&fixture, (struct fixture_launch){.params = {addr, 0}});
    cr_expect_eq(words[3], 7);
    cr_expect_eq(emu_free(fixture.device, addr), EMU_OK);
    struct fixture_launch launch = {.params = {addr, 0}};
    cr_expect_eq(fixture_launch(&fixture, launch), EMU_ILLEGAL_ADDRESS, "no longer lent");
    emu_addr own = fixture_upload(&fixture, "abcd", 4);
    char moved[4] = "";
    cr_assert_eq(emu_lend(fixture.device, own, moved, 4), EMU_OK, "an allocation moves");
    cr_expect_eq(memcmp(moved, "abcd", 4), 0);
    cr_expect_eq(emu_free(fixture.device, own), EMU_OK);
    fixture_close(&fixture);
}

/* A cube of 4 x 4 texels has two more levels, and each texel has the number of its level as its
 * value. Each row has a step, the change of the direction between neighbouring pixels. Its size
 * selects the level. There are steps sideways and down on each face. A step straight ahead reaches
 * no other texel, so it selects level 0. */
Test(texture, cube_chooses_the_level_of_a_step)
{
    enum { SIZE = 4, LEVELS = 3, FACES = 6, TEXELS = FACES * (16 + 4 + 1) };
    static const char text[] =
        ".visible .entry k(.param .u64 texture, .param .u64 points, .param .u64 results)\n{\n"
        ".reg .b32 t; .reg .f32 x, y, z, a, b, c, v<4>; .reg .b64 h, p, r, at;\n"
        "mov.u32 t, %tid.x; ld.param.u64 h, [texture]; ld.param.u64 p, [points];\n"
        "ld.param.u64 r, [results]; mul.wide.u32 at, t, 32; add.s64 p, p, at;\n"
        "mul.wide.u32 at, t, 4; add.s64 r, r, at; ld.global.f32 x, [p]; ld.global.f32 y, [p+4];\n"
        "ld.global.f32 z, [p+8]; ld.global.f32 a, [p+12]; ld.global.f32 b, [p+16];\n"
        "ld.global.f32 c, [p+20]; tex.grad.cube.v4.f32.f32 {v0, v1, v2, v3}, [h, {x, y, z, z}], "
        "{a, b, c, c}, {0f00000000, 0f00000000, 0f00000000, 0f00000000};\n"
        "st.global.f32 [r], v0; ret;\n}\n";
    static const struct {
        float direction[3], step[3], level;
    } rows[] = {
        {{1, 0, 0}, {0, 0, .5f}, 0}, {{1, 0, 0}, {0, 0, 1}, 1},    {{-1, 0, 0}, {0, 0, -2}, 2},
        {{2, 0, 0}, {0, 2, 0}, 1},   {{0, 1, 0}, {0, 0, 1}, 1},    {{0, -1, 0}, {2, 0, 0}, 2},
        {{0, 0, 3}, {0, 3, 0}, 1},   {{0, 0, -1}, {.5f, 0, 0}, 0}, {{1, 0, 0}, {5, 0, 0}, 0},
        {{1, .5f, 0}, {2, 0, 0}, 1}, {{1, .5f, 0}, {-4, 0, 0}, 2}, {{0, 0, 1}, {50, 0, 0}, 2},
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    float texels[TEXELS], points[COUNT][8] = {{0}}, results[COUNT];
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    for (unsigned i = 0; i < TEXELS; i++)
        texels[i] = i < FACES * 16 ? 0 : i < FACES * 20 ? 1 : 2;
    struct emu_texture texture = describe(fixture_upload(&fixture, texels, sizeof texels));
    texture.width = texture.height = SIZE;
    texture.depth = FACES;
    texture.pitch = SIZE * 4;
    texture.slice = SIZE * SIZE * 4;
    texture.normalized_coords = texture.layered = texture.cube = true;
    texture.levels = LEVELS;
    texture.level_max = LEVELS - 1;
    uint64_t handle = open_texture(&fixture, texture);
    for (unsigned i = 0; i < COUNT; i++) {
        memcpy(points[i], rows[i].direction, sizeof rows[i].direction);
        memcpy(&points[i][3], rows[i].step, sizeof rows[i].step);
    }
    emu_addr in = fixture_upload(&fixture, points, sizeof points);
    emu_addr out = fixture_upload(&fixture, NULL, sizeof results);
    fixture_load(&fixture, text);
    fixture_run(&fixture, (struct fixture_launch){.block = {COUNT}, .params = {handle, in, out}});
    fixture_download(&fixture, results, out, sizeof results);
    for (unsigned i = 0; i < COUNT; i++)
        cr_expect(results[i] == rows[i].level, "row %u: level %g, want %g", i, (double)results[i],
                  (double)rows[i].level);
    fixture_close(&fixture);
}

/* Counts the requests and sectors of one warp. The texture has 64 rows of 64 texels. Each row
 * begins 512 bytes after the previous one, or directly after its end. Texels have 1, 4 or 16 bytes.
 * In each body, %r1 is the lane's number, and %r2 is 0. */
Test(texture, sectors_are_counted)
{
    enum { SIZE = 64, ROOM = 512 * SIZE * 4 };
    static const struct {
        const char *name, *body;
        unsigned channels, bits, pitch; /* 0 stands for 1, 32 and 512 */
        bool linear;
        unsigned requests, sectors;
    } tests[] = {
        {"a row", "tex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];", 0, 0, 0, 0, 1, 4},
        {"a row from its second texel",
         "add.s32 %r1, %r1, 1;\ntex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];", 0, 0, 0, 0, 1, 5},
        {"every second texel",
         "shl.b32 %r1, %r1, 1;\ntex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];", 0, 0, 0, 0, 1, 8},
        {"one texel", "tex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r2}];", 0, 0, 0, 0, 1, 1},
        {"bytes", "tex.1d.v4.u32.s32 {%r3, _, _, _}, [%d2, {%r1}];", 1, 8, 0, 0, 1, 1},
        {"four floats", "tex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];", 4, 32, 0, 0, 1, 16},
        {"a column", "tex.2d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r2, %r1}];", 0, 0, 0, 0, 1, 32},
        {"a column of an array of bytes", "tex.2d.v4.u32.s32 {%r3, _, _, _}, [%d2, {%r2, %r1}];", 1,
         8, 8, 0, 1, 8},
        {"outside, clamped: the last texel",
         "add.s32 %r1, %r1, 64;\ntex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];", 0, 0, 0, 0, 1,
         1},
        {"the same, twice",
         "tex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];\n"
         "tex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];",
         0, 0, 0, 0, 2, 8},
        {"nearest to a float",
         "cvt.rn.f32.s32 %f1, %r1;\n"
         "tex.2d.v4.f32.f32 {%f3, _, _, _}, [%d2, {%f1, %f2}];",
         0, 0, 0, 0, 1, 4},
        {"between two rows: texels 0 to 31 of rows 0 and 1",
         "cvt.rn.f32.s32 %f1, %r1;\nadd.f32 %f1, %f1, 0f3F000000;\nmov.f32 %f2, 0f3F800000;\n"
         "tex.2d.v4.f32.f32 {%f3, _, _, _}, [%d2, {%f1, %f2}];",
         0, 0, 0, true, 1, 8},
        {"gathered between two rows: texels 0 to 32",
         "cvt.rn.f32.s32 %f1, %r1;\nadd.f32 %f1, %f1, 0f3F800000;\nmov.f32 %f2, 0f3F800000;\n"
         "tld4.r.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d2, {%f1, %f2}];",
         0, 0, 0, 0, 1, 10},
        {"two textures, each by half a warp",
         "setp.lt.s32 %p, %r1, 16;\n@%p mov.u64 %d2, %d1;\n"
         "tex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];",
         0, 0, 0, 0, 1, 4},
        {"half a warp",
         "setp.lt.s32 %p, %r1, 16;\n"
         "@%p tex.1d.v4.f32.s32 {%f3, _, _, _}, [%d2, {%r1}];",
         0, 0, 0, 0, 1, 2},
    };
    static const char head[] =
        ".visible .entry k(.param .u64 p, .param .u64 t)\n{\n.reg .pred %p;\n"
        ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .f32 %f<9>;\nld.param.u64 %d1, [p];\n"
        "ld.param.u64 %d2, [t];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nmov.f32 %f2, 0f3F000000;\n";
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        char ptx[1600];
        struct fixture fixture;
        struct emu_counters counters;
        snprintf(ptx, sizeof ptx, "%s%s\n%s", head, tests[i].body, TAIL);
        fixture_open(&fixture, NULL);
        fixture_load(&fixture, ptx);
        struct emu_texture texture = describe(fixture_upload(&fixture, NULL, ROOM));
        texture.width = texture.height = SIZE;
        texture.channels = tests[i].channels ? (uint8_t)tests[i].channels : 1;
        texture.bits = tests[i].bits ? (uint8_t)tests[i].bits : 32;
        texture.kind = texture.bits == 8 ? 'u' : 'f';
        texture.pitch = tests[i].pitch ? tests[i].pitch : 512 * texture.channels;
        texture.width = texture.pitch < SIZE ? (uint32_t)texture.pitch : SIZE;
        texture.slice = texture.pitch * SIZE;
        texture.linear = tests[i].linear;
        uint64_t handle = open_texture(&fixture, texture);
        texture.addr = fixture_upload(&fixture, NULL, ROOM);
        uint64_t other = open_texture(&fixture, texture);
        fixture_run(&fixture,
                    (struct fixture_launch){.params = {other, handle}, .counters = &counters});
        cr_expect(counters.value[EMU_texture_requests] == tests[i].requests &&
                      counters.value[EMU_texture_sectors] == tests[i].sectors,
                  "%s: %lu requests, %lu sectors", tests[i].name,
                  (unsigned long)counters.value[EMU_texture_requests],
                  (unsigned long)counters.value[EMU_texture_sectors]);
        /* a weighted mean may read more texels than the plain loads, but reads each of theirs */
        cr_expect_eq(counters.value[EMU_wide_operations] > 0, tests[i].linear, "%s", tests[i].name);
        cr_expect(counters.value[EMU_texture_load_sectors] >= tests[i].sectors, "%s",
                  tests[i].name);
        fixture_close(&fixture);
    }
}

/* Each lane reads 8 bytes of a surface and writes them to another row. Half of the reads are
 * outside of the surface. */
Test(texture, sectors_of_surfaces_are_counted)
{
    struct fixture fixture;
    struct emu_counters counters;
    fixture_open(&fixture, NULL);
    fixture_load(&fixture,
                 KERNEL("k",
                        "mov.u32 %r3, 1;\nshl.b32 %r1, %r1, 3;\n"
                        "sust.b.2d.b64.trap [%d2, {%r1, %r3}], {%d1};\n"
                        "add.s32 %r1, %r1, 128;\nsuld.b.2d.b64.zero {%d3}, [%d2, {%r1, %r2}];\n"));
    struct emu_texture surface = describe(fixture_upload(&fixture, NULL, 1024));
    surface.is_surface = true;
    surface.width = 64;
    surface.pitch = 256;
    surface.slice = 1024;
    fixture_run(&fixture, (struct fixture_launch){.params = {0, open_texture(&fixture, surface)},
                                                  .counters = &counters});
    cr_expect_eq(counters.value[EMU_texture_requests], 2);
    cr_expect_eq(counters.value[EMU_texture_sectors], 8 + 4, "%lu",
                 (unsigned long)counters.value[EMU_texture_sectors]);
    cr_expect_eq(counters.value[EMU_texture_store_requests], 1);
    cr_expect_eq(counters.value[EMU_texture_store_sectors], 8);
    cr_expect_eq(counters.value[EMU_texture_store_sectors_ideal], 8);
    cr_expect_eq(counters.value[EMU_texture_store_lines], 2);
    cr_expect_eq(counters.value[EMU_texture_load_requests], 1);
    cr_expect_eq(counters.value[EMU_texture_load_sectors], 4);
    cr_expect_eq(counters.value[EMU_longest_warp_load_sectors], 4);
    cr_expect_eq(counters.value[EMU_global_store_requests], 0);
    fixture_close(&fixture);
}
