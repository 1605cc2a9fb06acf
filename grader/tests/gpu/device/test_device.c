/* Tests device.h, the emulator's interface: memory, modules and kernels. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"
#include "gpu/tools.h"
#include "tests/support/emulator_fixture.h"

#define expect_status(fixture, wanted, call)                                                       \
    do {                                                                                           \
        enum emu_status got_ = (call);                                                             \
        cr_expect(got_ == (wanted), "%s is %d, want %d (%s)", #call, (int)got_, (int)(wanted),     \
                  emu_message((fixture)->device));                                                 \
    } while (0)

static struct emu_device *device_of(struct fixture *fixture)
{
    return fixture->device;
}

/* --- memory ------------------------------------------------------------------------------------- */

Test(device, allocation)
{
    struct fixture f;
    fixture_open(&f, &(struct emu_options){.memory_bytes = 1 << 20});
    struct emu_device *d = device_of(&f);
    emu_addr a = 0, b = 0, c = 0, base;
    uint64_t free_bytes, total, size;
    expect_status(&f, EMU_INVALID_VALUE, emu_alloc(d, 0, &a));
    expect_status(&f, EMU_OK, emu_alloc(d, 1, &a));
    expect_status(&f, EMU_OK, emu_alloc(d, 1000, &b));
    cr_expect(a && b && a != b && a % 512 == 0 && b % 512 == 0, "%#lx and %#lx", a, b);
    emu_memory(d, &free_bytes, &total);
    cr_expect(total == 1 << 20 && free_bytes == total - 1001, "%lu of %lu free", free_bytes, total);
    expect_status(&f, EMU_OUT_OF_MEMORY, emu_alloc(d, free_bytes + 1, &c));
    cr_expect(strchr(emu_message(d), '\n') == NULL && strstr(emu_message(d), "1047576"),
              "the message is '%s'", emu_message(d));
    expect_status(&f, EMU_OUT_OF_MEMORY, emu_alloc(d, UINT64_MAX, &c));
    expect_status(&f, EMU_OK, emu_alloc(d, free_bytes, &c));
    expect_status(&f, EMU_OUT_OF_MEMORY, emu_alloc(d, 1, &base));
    expect_status(&f, EMU_OK, emu_find(d, b + 999, &base, &size));
    cr_expect(base == b && size == 1000);
    expect_status(&f, EMU_OK, emu_find(d, b, NULL, NULL));
    expect_status(&f, EMU_NOT_FOUND, emu_find(d, b + 1000, &base, &size));
    expect_status(&f, EMU_NOT_FOUND, emu_find(d, 0, &base, &size));
    expect_status(&f, EMU_INVALID_VALUE, emu_free(d, b + 1));
    expect_status(&f, EMU_OK, emu_free(d, b));
    expect_status(&f, EMU_INVALID_VALUE, emu_free(d, b));
    expect_status(&f, EMU_NOT_FOUND, emu_find(d, b, &base, &size));
    expect_status(&f, EMU_OK, emu_free(d, 0));
    expect_status(&f, EMU_INVALID_VALUE, emu_free(d, 12345));
    emu_memory(d, &free_bytes, &total);
    cr_expect(free_bytes == 1000, "%lu free", free_bytes);
    fixture_close(&f);
}

Test(device, ranges)
{
    struct fixture f;
    fixture_open(&f, NULL);
    struct emu_device *d = device_of(&f);
    char bytes[16] = "abcdefghijklmno", back[16] = {0};
    emu_addr a = fixture_upload(&f, bytes, 16), b = fixture_upload(&f, NULL, 16);
    expect_status(&f, EMU_OK, emu_read(d, back, a, 16));
    cr_expect(memcmp(back, bytes, 16) == 0);
    expect_status(&f, EMU_OK, emu_copy(d, a + 2, a, 10)); /* overlapping, to a higher address */
    fixture_download(&f, back, a, 16);
    cr_expect(memcmp(back, "ababcdefghijmno", 16) == 0, "%.16s", back);
    expect_status(&f, EMU_OK, emu_copy(d, a, a + 2, 10)); /* back to the lower address */
    fixture_download(&f, back, a, 16);
    cr_expect(memcmp(back, "abcdefghijijmno", 16) == 0, "%.16s", back);
    expect_status(&f, EMU_OK, emu_copy(d, b, a, 16));
    expect_status(&f, EMU_OK, emu_set(d, b + 1, 'x' * 0x01010101u, 3));
    fixture_download(&f, back, b, 16);
    cr_expect(memcmp(back, "axxxefghijijmno", 16) == 0, "%.16s", back);
    expect_status(&f, EMU_OK, emu_read(d, NULL, a, 0));
    expect_status(&f, EMU_OK, emu_write(d, a + 16, NULL, 0)); /* 0 bytes at the end */
    fixture_close(&f);
}

/* Ranges that are one byte too long, that start too early, that wrap around or that were freed are
 * refused. They change nothing. */
Test(device, ranges_outside)
{
    struct fixture f;
    fixture_open(&f, NULL);
    struct emu_device *d = device_of(&f);
    char bytes[64] = {0};
    emu_addr a = fixture_upload(&f, NULL, 16), gone = fixture_upload(&f, NULL, 16);
    emu_free(d, gone);
    const struct {
        emu_addr at;
        uint64_t size;
    } bad[] = {{a, 17},         {a + 16, 1}, {a - 1, 2},  {a + 1, UINT64_MAX},
               {a, UINT64_MAX}, {gone, 1},   {0, 1},      {1, 1},
               {UINT64_MAX, 1}, {a + 15, 2}, {a, ~a + 1}, {(emu_addr)(uintptr_t)bytes, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect_status(&f, EMU_INVALID_ADDRESS, emu_read(d, bytes, bad[i].at, bad[i].size));
        expect_status(&f, EMU_INVALID_ADDRESS, emu_write(d, bad[i].at, bytes, bad[i].size));
        expect_status(&f, EMU_INVALID_ADDRESS, emu_set(d, bad[i].at, 1, bad[i].size));
        expect_status(&f, EMU_INVALID_ADDRESS, emu_copy(d, a, bad[i].at, bad[i].size));
        expect_status(&f, EMU_INVALID_ADDRESS, emu_copy(d, bad[i].at, a, bad[i].size));
        cr_expect(*emu_message(d) && !strchr(emu_message(d), '\n'), "'%s'", emu_message(d));
    }
    fixture_download(&f, bytes, a, 16);
    for (int i = 0; i < 16; i++)
        cr_expect(bytes[i] == 0, "byte %d has changed", i);
    fixture_close(&f);
}

/* A large allocation takes host memory only where it is accessed, so allocating 8 GiB costs
 * nothing. */
Test(device, large_allocation)
{
    struct fixture f;
    fixture_open(&f, NULL);
    emu_addr a = 0;
    char byte = 7, back = 0;
    expect_status(&f, EMU_OK, emu_alloc(f.device, (uint64_t)8 << 30, &a));
    expect_status(&f, EMU_OK, emu_write(f.device, a + ((uint64_t)8 << 30) - 1, &byte, 1));
    expect_status(&f, EMU_OK, emu_read(f.device, &back, a + ((uint64_t)8 << 30) - 1, 1));
    cr_expect(back == 7);
    expect_status(&f, EMU_OK, emu_free(f.device, a));
    fixture_close(&f);
}

static uint64_t fresh_word(uint64_t poison, uint64_t size, uint64_t at)
{
    struct fixture f;
    uint64_t word;
    emu_addr a = 0;
    fixture_open(&f, &(struct emu_options){.poison = poison});
    cr_assert(emu_alloc(f.device, size, &a) == EMU_OK);
    fixture_download(&f, &word, a + at, sizeof word);
    fixture_close(&f);
    return word;
}

Test(device, poison)
{
    cr_expect(fresh_word(0, 64, 8) == 0 && fresh_word(0, 4 << 20, 4096) == 0,
              "zeros without a seed");
    cr_expect(fresh_word(1, 64, 8) != 0 && fresh_word(1, 4 << 20, 4096) != 0);
    cr_expect(fresh_word(1, 64, 8) == fresh_word(1, 64, 8), "the same seed gives the same bytes");
    cr_expect(fresh_word(1, 64, 8) != fresh_word(2, 64, 8), "another seed gives other bytes");
    cr_expect(fresh_word(1, 64, 8) != fresh_word(1, 64, 16), "every word differs");
    cr_expect(fresh_word(1, 13, 5) != 0, "sizes that are no multiple of 8");
}

/* The program lends memory to the device. Program and device each see the other's writes. */
Test(device, lending)
{
    struct fixture f;
    uint32_t own[32] = {0};
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k(.param .u64 at)\n{\n.reg .b32 t;\n.reg .b64 a, o;\n"
                     "mov.u32 t, %tid.x;\nld.param.u64 a, [at];\nmul.wide.u32 o, t, 4;\n"
                     "add.s64 a, a, o;\nst.global.u32 [a], t;\nret;\n}\n");
    emu_addr host = (emu_addr)(uintptr_t)own;
    expect_status(&f, EMU_INVALID_VALUE, emu_lend(f.device, host, own, 0));
    /* these ranges are the window of shared memory, and an address of a system with 39-bit
     * addresses */
    expect_status(&f, EMU_INVALID_VALUE, emu_lend(f.device, 0x01fffff0, own, sizeof own));
    expect_status(&f, EMU_OK, emu_lend(f.device, 0x5500000000, own, sizeof own));
    expect_status(&f, EMU_OK, emu_free(f.device, 0x5500000000));
    expect_status(&f, EMU_OK, emu_lend(f.device, host, own, sizeof own));
    fixture_run(&f, (struct fixture_launch){.params = {host}});
    cr_expect(own[0] == 0 && own[31] == 31, "the kernel's stores are there");
    expect_status(&f, EMU_OK, emu_free(f.device, host));
    expect_status(&f, EMU_ILLEGAL_ADDRESS,
                  fixture_launch(&f, (struct fixture_launch){.params = {host}}));
    memset(own, 0, sizeof own);
    emu_addr a = fixture_upload(&f, NULL, sizeof own);
    expect_status(&f, EMU_INVALID_VALUE, emu_lend(f.device, a, own, 64)); /* a wrong size */
    expect_status(&f, EMU_OK, emu_lend(f.device, a, own, sizeof own));
    fixture_run(&f, (struct fixture_launch){.params = {a}});
    cr_expect(own[31] == 31 && fixture_word(&f, a, 31) == 31);
    fixture_close(&f);
}

/* --- modules ------------------------------------------------------------------------------------ */

/* If only kernels write to lent memory, the device knows the bytes that they have written. */
Test(device, lent_memory_that_is_watched)
{
    static uint32_t words[256];
    struct fixture f;
    emu_addr at = 0x7f0000000000, found = at;
    fixture_open(&f, &(struct emu_options){.deterministic = true, .tools = EMU_ORIGINS});
    fixture_load(&f, ".visible .entry k(.param .u64 a)\n{\n.reg .b32 t;\n.reg .b64 a;\n"
                     "ld.param.u64 a, [a];\nmov.u32 t, %tid.x;\nmad.wide.u32 a, t, 4, a;\n"
                     "st.global.u32 [a], t;\nret;\n}\n");
    cr_assert_eq(emu_lend(f.device, at, words, sizeof words), EMU_OK);
    fixture_run(&f, (struct fixture_launch){.params = {at}});
    cr_expect_eq(emu_find_made(f.device, &found), 0, "it may be the program's");
    emu_watch_lent(f.device, at, false);
    cr_expect_eq(emu_find_made(f.device, &found), 0, "nothing yet");
    fixture_run(&f, (struct fixture_launch){.params = {at + 256}});
    cr_expect(emu_find_made(f.device, &found) == 128 && found == at + 256);
    found = at;
    cr_expect_eq(emu_take_written(f.device, &found), 384, "two launches wrote since then");
    cr_expect_eq(emu_take_written(f.device, &found), 0, "taken");
    fixture_run(&f, (struct fixture_launch){.params = {at + 256}});
    cr_expect(emu_take_written(f.device, &found) == 128 && found == at + 256);
    cr_assert_eq(emu_write(f.device, at + 300, words + 1, 8), EMU_OK); /* the host's */
    found = at;
    cr_expect(emu_find_made(f.device, &found) == 44 && found == at + 256);
    found += 44;
    cr_expect(emu_find_made(f.device, &found) == 76 && found == at + 308);
    found += 76;
    cr_expect_eq(emu_find_made(f.device, &found), 0);
    found = at + sizeof words;
    cr_expect_eq(emu_find_made(f.device, &found), 0, "behind it");
    cr_assert_eq(emu_free(f.device, at), EMU_OK);
    cr_assert_eq(emu_lend(f.device, at, words, sizeof words), EMU_OK);
    emu_watch_lent(f.device, at, true);
    found = at + 1;
    cr_expect_eq(emu_find_made(f.device, &found), sizeof words - 1, "cleared");
    fixture_close(&f);
}

Test(device, modules_and_kernels)
{
    struct fixture f;
    uint32_t kernel, same, other, module = 77;
    fixture_open(&f, NULL);
    struct emu_device *d = device_of(&f);
    expect_status(&f, EMU_INVALID_PTX, emu_load(d, "garbage", 7, &module));
    expect_status(&f, EMU_INVALID_PTX, emu_load(d, "", 0, &module));
    fixture_load(&f, ".visible .entry k()\n{\nret;\n}\n.func helper()\n{\nret;\n}\n");
    expect_status(&f, EMU_OK, emu_kernel(d, f.module, "k", &kernel));
    expect_status(&f, EMU_OK, emu_kernel(d, f.module, "k", &same));
    cr_expect(kernel == same && kernel != 0);
    expect_status(&f, EMU_NOT_FOUND, emu_kernel(d, f.module, "j", &other));
    expect_status(&f, EMU_NOT_FOUND, emu_kernel(d, f.module, "helper", &other));
    expect_status(&f, EMU_NOT_FOUND, emu_kernel(d, f.module + 1, "k", &other));
    uint32_t first = f.module;
    fixture_load(&f, ".visible .entry k()\n{\nret;\n}\n");
    cr_expect(f.module != first);
    expect_status(&f, EMU_OK, emu_kernel(d, f.module, "k", &other));
    cr_expect(other != kernel, "each module has its own");
    expect_status(&f, EMU_OK, emu_unload(d, first));
    expect_status(&f, EMU_NOT_FOUND, emu_unload(d, first));
    struct emu_launch launch = {.kernel = kernel, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct emu_kernel_info info;
    expect_status(&f, EMU_NOT_FOUND, emu_launch(d, &launch, NULL));
    expect_status(&f, EMU_NOT_FOUND, emu_kernel_info(d, kernel, &info));
    expect_status(&f, EMU_NOT_FOUND, emu_kernel_info(d, 0, &info));
    expect_status(&f, EMU_NOT_FOUND, emu_kernel_info(d, 999, &info));
    launch.kernel = other;
    expect_status(&f, EMU_OK, emu_launch(d, &launch, NULL));
    fixture_close(&f);
}

/* Texts with NUL padding, as in fat binaries, and a text without a NUL. */
Test(device, padded_text)
{
    struct fixture f;
    static const char text[] = FIXTURE_PTX ".visible .entry k()\n{\nret;\n}\n\0\0\0\0\0";
    fixture_open(&f, NULL);
    expect_status(&f, EMU_OK, emu_load(f.device, text, sizeof text, &f.module));
    char *tight = malloc(strlen(text));
    memcpy(tight, text, strlen(text));
    expect_status(&f, EMU_OK, emu_load(f.device, tight, strlen(text), &f.module));
    free(tight);
    fixture_run(&f, (struct fixture_launch){0});
    fixture_close(&f);
}

Test(device, symbols)
{
    struct fixture f;
    uint64_t size, words[4];
    emu_addr addr, target;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .global .align 4 .u32 zeros[10];\n"
                     ".visible .const .align 8 .f64 pi = 0d400921FB54442D18;\n"
                     ".global .align 1 .b8 text[6] = {104, 101, 0x6c, 108, 111};\n"
                     ".global .align 4 .s32 grid[2][2] = {{1, -2}, {3}};\n"
                     ".global .align 8 .u64 links[3] = {text, generic(text)+2, 7};\n"
                     ".global .align 4 .f32 small[2] = {0f3F800000, -0f40000000};\n");
    expect_status(&f, EMU_OK, emu_symbol(f.device, f.module, "zeros", &addr, &size));
    cr_expect(size == 40 && fixture_word(&f, addr, 9) == 0);
    expect_status(&f, EMU_OK, emu_symbol(f.device, f.module, "pi", &addr, &size));
    fixture_download(&f, words, addr, 8);
    cr_expect(size == 8 && words[0] == 0x400921FB54442D18);
    expect_status(&f, EMU_OK, emu_symbol(f.device, f.module, "grid", &addr, &size));
    cr_expect(size == 16 && fixture_word(&f, addr, 1) == 0xfffffffe &&
              fixture_word(&f, addr, 2) == 3 && fixture_word(&f, addr, 3) == 0);
    expect_status(&f, EMU_OK, emu_symbol(f.device, f.module, "small", &addr, &size));
    cr_expect(fixture_word(&f, addr, 0) == 0x3f800000 && fixture_word(&f, addr, 1) == 0xc0000000);
    expect_status(&f, EMU_OK, emu_symbol(f.device, f.module, "text", &target, &size));
    char text[6];
    fixture_download(&f, text, target, 6);
    cr_expect(size == 6 && strcmp(text, "hello") == 0);
    expect_status(&f, EMU_OK, emu_symbol(f.device, f.module, "links", &addr, &size));
    fixture_download(&f, words, addr, 24);
    cr_expect(words[0] == target && words[1] == target + 2 && words[2] == 7);
    expect_status(&f, EMU_NOT_FOUND, emu_symbol(f.device, f.module, "none", &addr, &size));
    expect_status(&f, EMU_NOT_FOUND, emu_symbol(f.device, f.module + 5, "pi", &addr, &size));
    expect_status(&f, EMU_OK, emu_unload(f.device, f.module));
    expect_status(&f, EMU_INVALID_ADDRESS, emu_read(f.device, words, target, 1));
    fixture_close(&f);
}

/* If a module's variables do not fit into memory, the module allocates nothing. */
Test(device, variables_that_do_not_fit)
{
    struct fixture f;
    uint64_t before, after, total;
    static const char text[] = FIXTURE_PTX ".global .align 4 .b8 small[1000];\n"
                                           ".global .align 4 .b8 large[2000000];\n";
    fixture_open(&f, &(struct emu_options){.memory_bytes = 1 << 20});
    emu_memory(f.device, &before, &total);
    expect_status(&f, EMU_OUT_OF_MEMORY, emu_load(f.device, text, sizeof text, &f.module));
    emu_memory(f.device, &after, &total);
    cr_expect(before == after, "%lu bytes are lost", (unsigned long)(before - after));
    fixture_close(&f);
}

Test(device, kernel_info)
{
    struct fixture f;
    struct emu_kernel_info info;
    uint32_t kernel;
    fixture_open(&f, NULL);
    fixture_load(&f,
                 ".const .align 4 .b8 fixed[24];\n.visible .entry k(.param .u8 a, .param .u64 b, "
                 ".param .align 16 .b8 c[20], .param .u32 d)\n.maxntid 128, 2, 1\n.minnctapersm 2\n"
                 "{\n.shared .align 16 .b8 s[100];\n.shared .align 4 .u32 u;\n"
                 ".local .align 8 .b8 l[12];\nret;\n}\n"
                 ".visible .entry plain()\n{\nret;\n}\n");
    cr_assert(emu_kernel(f.device, f.module, "k", &kernel) == EMU_OK);
    cr_assert(emu_kernel_info(f.device, kernel, &info) == EMU_OK);
    cr_expect(info.param_count == 4 && info.param_bytes == 40, "%u parameters, %u bytes",
              info.param_count, info.param_bytes);
    static const struct emu_param want[] = {{0, 1}, {8, 8}, {16, 20}, {36, 4}};
    for (unsigned i = 0; i < 4 && i < info.param_count; i++)
        cr_expect(info.params[i].offset == want[i].offset && info.params[i].size == want[i].size,
                  "parameter %u: %u bytes at %u", i, info.params[i].size, info.params[i].offset);
    cr_expect(info.shared_bytes == 104, "%u bytes shared", info.shared_bytes);
    cr_expect(info.local_bytes >= 12 && info.local_bytes <= 16, "%u bytes local", info.local_bytes);
    cr_expect(info.const_bytes == 24 && info.max_threads == 256);
    cr_expect(info.ptx_version == 85 && info.sm_version == 90);
    cr_assert(emu_kernel(f.device, f.module, "plain", &kernel) == EMU_OK);
    cr_assert(emu_kernel_info(f.device, kernel, &info) == EMU_OK);
    cr_expect(info.param_count == 0 && info.param_bytes == 0 && info.shared_bytes == 0 &&
              info.local_bytes == 0 && info.max_threads == 1024);
    fixture_close(&f);
}
