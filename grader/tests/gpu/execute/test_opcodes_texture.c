/* Tests tex, tld4, suld and sust: every shape, type, coordinate type, vector and mode for
 * coordinates outside of the texture.
 *
 * The texture has 4 x 3 texels of four words, in 2 slices or layers, and all its words differ.
 * Filtering, address modes and formats are properties of the texture, not of the instruction, so
 * this test reads only the nearest texel. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcode_texture.h"
#include "tests/support/emulator_fixture.h"

enum { WIDTH = 4, HEIGHT = 3, DEPTH = 2, TEXEL = 16, ROW = WIDTH * TEXEL, SLICE = HEIGHT * ROW };
enum { BYTES = DEPTH * SLICE, THREADS = 32 };

static const struct shape {
    const char *name;
    unsigned dims;
    bool layered;
} shapes[] = {
    {"1d", 1, false}, {"2d", 2, false}, {"3d", 3, false}, {"a1d", 1, true}, {"a2d", 2, true}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Opens a texture or surface on new memory that holds BYTES. */
static uint64_t open_texture(struct fixture *f, const void *bytes, const struct shape *shape,
                             char kind, bool is_surface, emu_addr *memory)
{
    uint64_t handle = 0;
    *memory = fixture_upload(f, bytes, BYTES);
    struct emu_texture texture = {.addr = *memory,
                                  .width = WIDTH,
                                  .height = shape->dims > 1 ? HEIGHT : 1,
                                  .depth = shape->dims > 2 || shape->layered ? DEPTH : 1,
                                  .pitch = ROW,
                                  .slice = SLICE,
                                  .channels = 4,
                                  .bits = 32,
                                  .kind = (uint8_t)kind,
                                  .address = {EMU_CLAMP, EMU_CLAMP, EMU_CLAMP},
                                  .layered = shape->layered,
                                  .is_surface = is_surface};
    cr_assert(emu_texture_open(f->device, &texture, &handle) == EMU_OK, "%s",
              emu_message(f->device));
    return handle;
}

/* The place that a thread reads: a texel or, in a surface, a byte of the row. */
struct place {
    int x, y, z;
};

static struct place place_of(const struct shape *shape, unsigned thread)
{
    struct place p = {(int)thread % WIDTH, (int)thread / WIDTH % HEIGHT, (int)thread / 12 % DEPTH};
    p.y = shape->dims > 1 ? p.y : 0;
    p.z = shape->dims > 2 || shape->layered ? p.z : 0;
    return p;
}

/* Prints "{c0, c1}". The layer comes first. Three coordinates take four registers. */
static void print_point(FILE *out, const struct shape *shape)
{
    unsigned used = shape->dims + shape->layered;
    fputc('{', out);
    for (unsigned i = 0; i < (used == 3 ? 4 : used); i++)
        fprintf(out, "%sc%u", i ? ", " : "", i < used ? i : used - 1);
    fputc('}', out);
}

/* Writes a thread's coordinates, in the instruction's format, into its four words. */
static void fill_point(uint32_t word[4], const struct shape *shape, struct place p, bool floats,
                       float shift)
{
    int at[3] = {p.x, p.y, p.z};
    unsigned n = 0;
    if (shape->layered)
        word[n++] = (uint32_t)p.z;
    for (unsigned d = 0; d < shape->dims; d++, n++) {
        float value = (float)at[d] + shift;
        memcpy(&word[n], floats ? (void *)&value : (void *)&at[d], 4);
    }
}

/* Runs INSTRUCTION between loads of c0 … c3 and v0 … v3 and a store of v0 … v3, 32 bytes each. */
static void run_kernel(struct fixture *f, const char *instruction, unsigned bits, uint64_t handle,
                       uint32_t points[THREADS][4], uint64_t values[THREADS][4])
{
    char *ptx = NULL;
    cr_assert(
        asprintf(
            &ptx,
            ".visible .entry k(.param .u64 texture, .param .u64 points, .param .u64 values)\n{\n"
            ".reg .b32 t, c<4>;\n.reg .b%u v<4>;\n.reg .b64 h, p, v, at;\n.reg .pred "
            "there;\nmov.u32 t, %%tid.x;\n"
            "ld.param.u64 h, [texture];\nld.param.u64 p, [points];\nld.param.u64 v, [values];\n"
            "mul.wide.u32 at, t, 16;\nadd.s64 p, p, at;\nmul.wide.u32 at, t, 32;\n"
            "add.s64 v, v, at;\nld.global.v4.u32 {c0, c1, c2, c3}, [p];\n"
            "ld.global.b%u v0, [v];\nld.global.b%u v1, [v+8];\nld.global.b%u v2, [v+16];\n"
            "ld.global.b%u v3, [v+24];\n%s\nst.global.b%u [v], v0;\nst.global.b%u [v+8], v1;\n"
            "st.global.b%u [v+16], v2;\nst.global.b%u [v+24], v3;\nret;\n}\n",
            bits, bits, bits, bits, bits, instruction, bits, bits, bits, bits) > 0);
    fixture_load(f, ptx);
    emu_addr in = fixture_upload(f, points, THREADS * 16);
    emu_addr out = fixture_upload(f, values, THREADS * 32);
    fixture_run(f, (struct fixture_launch){.block = {THREADS}, .params = {handle, in, out}});
    fixture_download(f, values, out, THREADS * 32);
    emu_free(f->device, in);
    emu_free(f->device, out);
    emu_unload(f->device, f->module);
    free(ptx);
}

/* --- textures ----------------------------------------------------------------------------------- */

static const char *const result_types[] = {"f32", "u32", "s32"};
static const char *const coordinate_types[] = {"f32", "s32"};
static const char *const levels[] = {"", ".level", ".grad"};

/* Returns a word that is an ordinary value as a float and as a signed and unsigned integer. */
static uint32_t texture_word(struct place p, unsigned channel)
{
    unsigned index = (unsigned)(p.z * SLICE + p.y * ROW + p.x * TEXEL) / 4 + channel;
    return 0x3f800000 + (index << 12) + (channel << 31);
}

static void fill_texture(uint32_t words[BYTES / 4])
{
    for (unsigned i = 0; i < BYTES / 4; i++) {
        unsigned texel = i / 4;
        struct place p = {(int)(texel % WIDTH), (int)(texel / WIDTH % HEIGHT),
                          (int)(texel / WIDTH / HEIGHT)};
        words[i] = texture_word(p, i % 4);
    }
}

static char *fetch_text(const struct shape *shape, size_t level, const char *result,
                        const char *coordinate)
{
    static const char *const slopes[] = {"{c0}", "{c0, c1}", "{c0, c1, c2, c2}"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool asks = *result == 'u'; /* the instruction also returns whether the texels exist */
    fprintf(out, "tex%s.%s.v4.%s.%s {v0, v1, v2, v3}%s, [h, ", levels[level], shape->name, result,
            coordinate, asks ? "|there" : "");
    print_point(out, shape);
    fputc(']', out);
    if (level == 1)
        fprintf(out, ", 0");
    if (level == 2)
        fprintf(out, ", %s, %s", slopes[shape->dims - 1], slopes[shape->dims - 1]);
    fprintf(out, ";%s", asks ? " @!there mov.b32 v0, 0;" : "");
    fclose(out);
    return text;
}

static void fetch(const struct shape *shape, size_t level, const char *result,
                  const char *coordinate)
{
    uint32_t words[BYTES / 4], points[THREADS][4] = {{0}};
    uint64_t values[THREADS][4] = {{0}};
    struct fixture f;
    emu_addr memory;
    fixture_open(&f, NULL);
    fill_texture(words);
    uint64_t handle = open_texture(&f, words, shape, *result, false, &memory);
    for (unsigned t = 0; t < THREADS; t++)
        fill_point(points[t], shape, place_of(shape, t), *coordinate == 'f', 0.5f);
    char *text = fetch_text(shape, level, result, coordinate);
    run_kernel(&f, text, 32, handle, points, values);
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned c = 0; c < 4; c++)
            cr_expect(values[t][c] == texture_word(place_of(shape, t), c),
                      "'%s', thread %u, channel %u: %#" PRIx64 ", want %#x", text, t, c,
                      values[t][c], texture_word(place_of(shape, t), c));
    free(text);
    fixture_close(&f);
}

/* --- cubes ------------------------------------------------------------------------------------------ */

enum { CUBES = 2, FACES = 6 };
static const char *const cube_levels[] = {"", ".level", ".grad"};
static const char *const cube_shapes[] = {"cube", "acube"};

static char *cube_text(size_t level, size_t shape, const char *result)
{
    char *text = NULL;
    cr_assert(asprintf(&text, "tex%s.%s.v4.%s.f32 {v0, v1, v2, v3}, [h, {c0, c1, c2, c3}]%s;",
                       cube_levels[level], cube_shapes[shape], result,
                       level == 2   ? ", {c0, c1, c2, c2}, {c1, c2, c0, c0}"
                       : level == 1 ? ", 0"
                                    : "") > 0);
    return text;
}

/* Reads cubes with one texel per face: thread t reads face t % 6 of cube t / 6 % 2, near its
 * centre. */
static void fetch_cube(size_t level, size_t shape, const char *result)
{
    static const float directions[FACES][3] = {{2, .5f, 1},   {-2, 1, .5f},   {.5f, 3, -1},
                                               {1, -3, 2.5f}, {.5f, -.5f, 1}, {-1, .5f, -1.5f}};
    uint32_t words[CUBES * FACES][4], points[THREADS][4] = {{0}};
    uint64_t values[THREADS][4] = {{0}}, handle = 0;
    struct fixture f;
    fixture_open(&f, NULL);
    for (unsigned i = 0; i < CUBES * FACES * 4; i++)
        words[i / 4][i % 4] = 0x3f800000 + (i << 12);
    struct emu_texture texture = {.addr = fixture_upload(&f, words, sizeof words),
                                  .width = 1,
                                  .height = 1,
                                  .depth = shape ? CUBES * FACES : FACES,
                                  .pitch = TEXEL,
                                  .slice = TEXEL,
                                  .channels = 4,
                                  .bits = 32,
                                  .kind = (uint8_t)*result,
                                  .normalized_coords = true,
                                  .layered = true,
                                  .cube = true};
    cr_assert(emu_texture_open(f.device, &texture, &handle) == EMU_OK);
    for (unsigned t = 0; t < THREADS; t++) {
        points[t][0] = t / FACES % CUBES;
        memcpy(&points[t][shape], directions[t % FACES], sizeof directions[0]);
    }
    char *text = cube_text(level, shape, result);
    run_kernel(&f, text, 32, handle, points, values);
    for (unsigned t = 0; t < THREADS; t++) {
        unsigned face = t % FACES + (shape ? t / FACES % CUBES * FACES : 0);
        for (unsigned c = 0; c < 4; c++)
            cr_expect(values[t][c] == words[face][c], "'%s', thread %u, channel %u: %#" PRIx64,
                      text, t, c, values[t][c]);
    }
    free(text);
    fixture_close(&f);
}

Test(opcodes, cube)
{
    for (size_t level = 0; level < COUNT(cube_levels); level++)
        for (size_t shape = 0; shape < COUNT(cube_shapes); shape++)
            for (size_t r = 0; r < COUNT(result_types); r++)
                fetch_cube(level, shape, result_types[r]);
}

/* Reads the four texels around (x + 1, y + 1): below left, below right, above right, above left. */
static void gather(unsigned component, const char *result)
{
    uint32_t words[BYTES / 4], points[THREADS][4] = {{0}};
    uint64_t values[THREADS][4] = {{0}};
    struct fixture f;
    emu_addr memory;
    char text[120];
    fixture_open(&f, NULL);
    fill_texture(words);
    uint64_t handle = open_texture(&f, words, &shapes[1], *result, false, &memory);
    for (unsigned t = 0; t < THREADS; t++)
        fill_point(points[t], &shapes[1], (struct place){(int)t % 3, (int)t % 2, 0}, true, 1.0f);
    snprintf(text, sizeof text,
             "tld4.%c.2d.v4.%s.f32 {v0, v1, v2, v3}|there, [h, {c0, c1}]; "
             "@!there mov.b32 v1, 0;",
             "rgba"[component], result);
    run_kernel(&f, text, 32, handle, points, values);
    for (unsigned t = 0; t < THREADS; t++) {
        static const int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
        for (unsigned i = 0; i < 4; i++) {
            struct place p = {(int)t % 3 + dx[i], (int)t % 2 + dy[i], 0};
            cr_expect(values[t][i] == texture_word(p, component),
                      "'%s', thread %u, texel %u: %#" PRIx64, text, t, i, values[t][i]);
        }
    }
    fixture_close(&f);
}

Test(opcodes, texture)
{
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t level = 0; level < COUNT(levels); level++)
            for (size_t r = 0; r < COUNT(result_types); r++)
                for (size_t c = 0; c < (level == 2 ? 1 : COUNT(coordinate_types)); c++)
                    fetch(&shapes[s], level, result_types[r], coordinate_types[c]);
    for (unsigned component = 0; component < 4; component++)
        for (size_t r = 0; r < COUNT(result_types); r++)
            gather(component, result_types[r]);
}

/* --- surfaces ----------------------------------------------------------------------------------- */

static const unsigned surface_bits[] = {8, 16, 32, 64};
static const char *const outsides[] = {"trap", "clamp", "zero"};

struct surface_access {
    const struct shape *shape;
    unsigned bits, width; /* bits of an element; number of elements */
    const char *outside;
    bool is_load;
};

static unsigned register_bits(const struct surface_access *a)
{
    return a->bits < 16 ? 16 : a->bits;
}

static char *surface_text(const struct surface_access *a)
{
    static const char *const vectors[] = {"{v0}", "{v0, v1}", "{v0, v1, v2, v3}"};
    const char *vector = vectors[a->width / 2];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%s.b.%s%s.b%u.%s ", a->is_load ? "suld" : "sust", a->shape->name,
            a->width == 1   ? ""
            : a->width == 2 ? ".v2"
                            : ".v4",
            a->bits, a->outside);
    fprintf(out, "%s%s[h, ", a->is_load ? vector : "", a->is_load ? ", " : "");
    print_point(out, a->shape);
    fprintf(out, "]%s%s;", a->is_load ? "" : ", ", a->is_load ? "" : vector);
    fclose(out);
    return text;
}

/* Returns byte AT of the surface, before any store. */
static uint8_t surface_byte(unsigned at)
{
    return (uint8_t)(at * 37 + 11);
}

/* Returns the place that a thread accesses. Every third thread accesses a place outside, after the
 * row or above the first row, unless the mode is a trap. */
static struct place surface_place(const struct surface_access *a, unsigned thread)
{
    struct place p = place_of(a->shape, thread);
    p.x *= TEXEL;
    if (*a->outside != 't' && thread % 3 == 0)
        p.x = 1000;
    else if (*a->outside != 't' && thread % 3 == 1 && a->shape->dims > 1)
        p.y = -5;
    return p;
}

/* Returns the first byte that a thread reads or writes, or -1 if it accesses none. */
static int surface_offset(const struct surface_access *a, unsigned thread)
{
    struct place p = surface_place(a, thread);
    bool outside = p.x >= ROW || p.y < 0;
    if (outside && *a->outside == 'z')
        return -1;
    int last = ROW - (int)(a->bits / 8 * a->width);
    return p.z * SLICE + (p.y < 0 ? 0 : p.y) * ROW + (p.x > last ? last : p.x);
}

static uint64_t stored_value(unsigned place, unsigned element)
{
    return 0x0123456789abcdefu * (place + 1) + element;
}

static void access_surface(const struct surface_access *a)
{
    uint8_t before[BYTES], after[BYTES], want[BYTES];
    uint32_t points[THREADS][4] = {{0}};
    uint64_t values[THREADS][4] = {{0}};
    unsigned bytes = a->bits / 8;
    struct fixture f;
    emu_addr memory;
    fixture_open(&f, NULL);
    for (unsigned i = 0; i < BYTES; i++)
        before[i] = want[i] = surface_byte(i);
    uint64_t handle = open_texture(&f, before, a->shape, 'u', true, &memory);
    for (unsigned t = 0; t < THREADS; t++) {
        int at = surface_offset(a, t);
        fill_point(points[t], a->shape, surface_place(a, t), false, 0);
        for (unsigned k = 0; k < a->width && !a->is_load; k++) {
            values[t][k] =
                stored_value((unsigned)at, k); /* threads at the same place store the same value */
            if (at >= 0)
                memcpy(want + at + k * bytes, &values[t][k], bytes);
        }
    }
    char *text = surface_text(a);
    run_kernel(&f, text, register_bits(a), handle, points, values);
    fixture_download(&f, after, memory, BYTES);
    for (unsigned i = 0; i < BYTES; i++)
        if (after[i] != want[i]) {
            cr_expect(false, "'%s': byte %u is %#x, want %#x", text, i, after[i], want[i]);
            break;
        }
    for (unsigned t = 0; t < THREADS && a->is_load; t++) {
        for (unsigned k = 0; k < a->width; k++) {
            uint64_t element = 0;
            int at = surface_offset(a, t);
            if (at >= 0)
                memcpy(&element, before + at + k * bytes, bytes);
            cr_expect(values[t][k] == element, "'%s', thread %u: %#" PRIx64 ", want %#" PRIx64,
                      text, t, values[t][k], element);
        }
    }
    free(text);
    fixture_close(&f);
}

Test(opcodes, surface)
{
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t b = 0; b < COUNT(surface_bits); b++)
            for (unsigned width = 1; width <= 4 && width * surface_bits[b] <= 128; width *= 2)
                for (size_t o = 0; o < COUNT(outsides); o++)
                    for (int is_load = 0; is_load < 2; is_load++)
                        access_surface(&(struct surface_access){&shapes[s], surface_bits[b], width,
                                                                outsides[o], is_load});
}

/* Runs an access outside with .trap, or with an invalid handle. The launch must fail with a
 * message. */
static void expect_failure(const char *instruction, bool bad_handle, enum emu_status status,
                           const char *id)
{
    char ptx[500];
    uint8_t bytes[BYTES] = {0};
    struct fixture f;
    emu_addr memory;
    fixture_open(&f, NULL);
    uint64_t handle = open_texture(&f, bytes, &shapes[1], 'u', true, &memory);
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 texture)\n{\n.reg .b32 a, b, c, d, x;\n.reg .b64 h;\n"
             "ld.param.u64 h, [texture];\nmov.u32 x, -1;\nmov.u32 a, 0;\n%s\nret;\n}\n",
             instruction);
    fixture_load(&f, ptx);
    enum emu_status got =
        fixture_launch(&f, (struct fixture_launch){.params = {bad_handle ? handle + 5 : handle}});
    cr_expect(got == status, "'%s': %d, want %d", instruction, (int)got, (int)status);
    json_t *line = fixture_record(&f, -1);
    fixture_finding(line, id);
    json_decref(line);
    fixture_close(&f);
}

Test(opcodes, texture_failures)
{
    expect_failure("suld.b.2d.b32.trap {a}, [h, {x, a}];", false, EMU_TRAP, "outside-surface");
    expect_failure("sust.b.2d.b32.trap [h, {a, x}], {a};", false, EMU_TRAP, "outside-surface");
    expect_failure("suld.b.2d.b32.zero {a}, [h, {a, a}];", true, EMU_ILLEGAL_ADDRESS,
                   "bad-texture");
    expect_failure("tex.2d.v4.u32.s32 {a, b, c, d}, [h, {a, a}];", true, EMU_ILLEGAL_ADDRESS,
                   "bad-texture");
}

/* --- names -------------------------------------------------------------------------------------- */

static void visit_text(char *text, name_visitor *visit, void *context)
{
    text[strcspn(text, " ")] = 0;
    visit(text, context);
    free(text);
}

void texture_each(name_visitor *visit, void *context)
{
    for (size_t s = 0; s < COUNT(shapes); s++) {
        for (size_t level = 0; level < COUNT(levels); level++)
            for (size_t r = 0; r < COUNT(result_types); r++)
                for (size_t c = 0; c < (level == 2 ? 1 : COUNT(coordinate_types)); c++)
                    visit_text(fetch_text(&shapes[s], level, result_types[r], coordinate_types[c]),
                               visit, context);
        for (size_t b = 0; b < COUNT(surface_bits); b++)
            for (unsigned width = 1; width <= 4 && width * surface_bits[b] <= 128; width *= 2)
                for (size_t o = 0; o < COUNT(outsides); o++)
                    for (int is_load = 0; is_load < 2; is_load++)
                        visit_text(surface_text(&(struct surface_access){
                                       &shapes[s], surface_bits[b], width, outsides[o], is_load}),
                                   visit, context);
    }
    for (size_t level = 0; level < COUNT(cube_levels); level++)
        for (size_t shape = 0; shape < COUNT(cube_shapes); shape++)
            for (size_t r = 0; r < COUNT(result_types); r++)
                visit_text(cube_text(level, shape, result_types[r]), visit, context);
    for (unsigned component = 0; component < 4; component++)
        for (size_t r = 0; r < COUNT(result_types); r++) {
            char *text = NULL;
            cr_assert(asprintf(&text, "tld4.%c.2d.v4.%s.f32", "rgba"[component], result_types[r]) >
                      0);
            visit_text(text, visit, context);
        }
}
