/* Tests invalid memory accesses. The launch must fail with the right status. The record must have
 * the line, thread and address. The accesses of the other lanes must still happen. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

/* An invalid access, in line 7 of f.cu, by the lanes whose bits are set in BAD. ACCESS can use t =
 * tid.x, i = 4 t, and three blocks of 128 bytes (4 per thread): g in global, s in shared, and l in
 * local memory. */
struct fault {
    const char *name, *access;
    uint32_t bad;
    enum emu_status status;
    const char *id, *says; /* the finding's id, and a part of its message */
};

static const struct fault faults[] = {
    {"load one past the end", "ld.global.u32 a, [gi+4];", 0x80000000, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "read of 4 bytes, right after a 128-byte allocation; thread 31"},
    {"store one past the end", "st.global.u32 [gi+4], t;", 0x80000000, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "global write of 4 bytes"},
    {"store before the start", "st.global.u32 [gi+-64], t;", 0x0000ffff, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "64 bytes before a 128-byte allocation"},
    {"half of the word is outside",
     "add.s64 gi, gi, 2; add.s64 gi, gi, 2; ld.global.u64 b, [g+124];", 0xffffffff,
     EMU_MISALIGNED_ADDRESS, "misaligned", "4 bytes after a multiple of 8"},
    {"vector over the end",
     "mul.wide.u32 gi, t, 16; add.s64 gi, gi, g; "
     "ld.global.v4.u32 {a, c, c, c}, [gi];",
     0xffffff00, EMU_ILLEGAL_ADDRESS, "out-of-bounds",
     "read of 16 bytes, right after a 128-byte allocation"},
    {"null pointer", "ld.global.u32 a, [null];", 0xffffffff, EMU_ILLEGAL_ADDRESS, "out-of-bounds",
     "null pointer"},
    {"null pointer and an index", "ld.global.u32 a, [null+400];", 0xffffffff, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "400 bytes after a null pointer"},
    {"generic null pointer", "st.u32 [null], t;", 0xffffffff, EMU_ILLEGAL_ADDRESS, "out-of-bounds",
     "null pointer"},
    {"far away", "ld.global.u32 a, [far];", 0xffffffff, EMU_ILLEGAL_ADDRESS, "host-pointer",
     "not near any allocation"},
    {"the last address of all", "ld.global.u8 a, [null+-1];", 0xffffffff, EMU_ILLEGAL_ADDRESS,
     "host-pointer", "read of 1 byte, not near any allocation"},
    {"freed", "ld.global.u32 a, [freed+8];", 0xffffffff, EMU_ILLEGAL_ADDRESS, "use-after-free",
     "8 bytes into a 256-byte allocation that was freed"},
    {"an odd address", "add.s64 gi, gi, 1; @q ld.global.u16 a, [gi];", 0x00000001,
     EMU_MISALIGNED_ADDRESS, "misaligned",
     "global read of 2 bytes at an address 1 byte after a multiple of 2"},
    {"one lane's odd address", "@q add.s64 gi, gi, 2; st.global.u32 [gi], t;", 0x00000001,
     EMU_MISALIGNED_ADDRESS, "misaligned", "2 bytes after a multiple of 4"},
    {"misaligned vector", "@q add.s64 g, g, 4; ld.global.v2.u32 {a, c}, [g];", 0x00000001,
     EMU_MISALIGNED_ADDRESS, "misaligned",
     "read of 8 bytes at an address 4 bytes after a multiple of 8"},
    {"write to a constant", "mov.u64 gi, fixed; st.global.u32 [gi], t;", 0xffffffff,
     EMU_ILLEGAL_ADDRESS, "read-only", "__constant__"},
    {"atomic on a constant", "mov.u64 gi, fixed; atom.global.add.u32 a, [gi], 1;", 0xffffffff,
     EMU_ILLEGAL_ADDRESS, "read-only", "__constant__"},
    {"read behind a constant", "ld.const.u32 a, [fixed+8];", 0xffffffff, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "right after the 8 bytes of fixed"},
    {"global memory as if it were constant", "ld.const.u32 a, [gi];", 0xffffffff,
     EMU_ILLEGAL_ADDRESS, "out-of-bounds", "constant read of 4 bytes"},
    {"atomic past the end", "atom.global.add.u32 a, [gi+4], 1;", 0x80000000, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "global atomic of 4 bytes"},
    {"reduction past the end", "red.global.add.u32 [gi+4], 1;", 0x80000000, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "global atomic of 4 bytes"},
    {"misaligned atomic", "@q add.s64 gi, gi, 2; red.global.add.u32 [gi], 1;", 0x00000001,
     EMU_MISALIGNED_ADDRESS, "misaligned", "atomic"},
    {"shared memory past the end", "st.shared.u32 [si+4], t;", 0x80000000, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "shared write of 4 bytes, right after the 128 bytes of s"},
    {"shared memory before the start", "ld.shared.u32 a, [si+-4];", 0x00000001, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "shared read of 4 bytes, 4 bytes before the 128 bytes of s"},
    {"misaligned shared memory", "@q add.u32 si, si, 1; st.shared.u16 [si], h;", 0x00000001,
     EMU_MISALIGNED_ADDRESS, "misaligned", "shared write of 2 bytes"},
    {"shared atomic past the end", "atom.shared.add.u32 a, [si+4], 1;", 0x80000000,
     EMU_ILLEGAL_ADDRESS, "out-of-bounds", "shared atomic"},
    {"shared memory by a generic address",
     "cvt.u64.u32 gi, si; cvta.shared.u64 gi, gi; st.u32 [gi+4], t;", 0x80000000,
     EMU_ILLEGAL_ADDRESS, "out-of-bounds", "shared write"},
    {"local memory past the end", "st.local.u32 [own+16], t;", 0xffffffff, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "right after the thread's 16 bytes"},
    {"one lane's local memory", "mov.u64 l, own; @q add.s64 l, l, 16; ld.local.u32 a, [l];",
     0x00000001, EMU_ILLEGAL_ADDRESS, "out-of-bounds", "local read"},
    {"local memory, step by step",
     "mov.u64 l, own; mov.u32 c, 0; ON: st.local.u32 [l], t; add.s64 l, l, 4; add.u32 c, c, 1; "
     "setp.lt.u32 q, c, 5; @q bra ON;",
     0xffffffff, EMU_ILLEGAL_ADDRESS, "out-of-bounds", "local write"},
    {"misaligned local memory", "st.local.u32 [own+2], t;", 0xffffffff, EMU_MISALIGNED_ADDRESS,
     "misaligned", "local write"},
    {"parameters past the end", "ld.param.u32 a, [far_away+8];", 0xffffffff, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", "right after the kernel's 24 bytes"},
    {"trap", "@q trap;", 0x00000001, EMU_TRAP, "trap", "stopped itself"},
};

static const char frame[] =
    ".const .align 4 .u32 fixed[2];\n.file 1 \"f.cu\"\n"
    ".visible .entry k(.param .u64 block, .param .u64 gone, .param .u64 far_away)\n{\n"
    ".shared .align 16 .b8 s[128];\n.local .align 16 .b8 own[16];\n.reg .pred q;\n.reg .b16 h;\n"
    ".reg .b32 t, a, c, i, si;\n.reg .b64 g, gi, b, l, null, far, freed;\n.loc 1 3 1\n"
    "mov.u32 t, %%tid.x;\nshl.b32 i, t, 2;\ncvt.u64.u32 gi, i;\nld.param.u64 g, [block];\n"
    "ld.param.u64 freed, [gone];\nld.param.u64 far, [far_away];\nadd.s64 gi, gi, g;\nmov.u32 si, "
    "s;\n"
    "add.u32 si, si, i;\nmov.u64 null, 0;\nsetp.eq.u32 q, t, 0;\nmov.u32 a, 77;\nmov.b16 h, 1;\n"
    ".loc 1 7 5\n%s\n.loc 1 9 1\nret;\n}\n";

static const char *text_of(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void expect_finding(struct fixture *f, const struct fault *fault)
{
    json_t *line = fixture_record(f, -1);
    json_t *finding = fixture_finding(line, fault->id);
    const char *message = text_of(finding, "message");
    cr_expect(fixture_finding_count(line) == 1, "%s: %zu findings", fault->name,
              fixture_finding_count(line));
    cr_expect(json_integer_value(json_object_get(finding, "line")) == 7 &&
                  json_integer_value(json_object_get(finding, "column")) == 5 &&
                  strcmp(text_of(finding, "file"), "f.cu") == 0,
              "%s: reported at %s:%ld", fault->name, text_of(finding, "file"),
              (long)json_integer_value(json_object_get(finding, "line")));
    cr_expect(strcmp(text_of(finding, "severity"), "error") == 0 &&
              strcmp(text_of(finding, "kernel"), "k") == 0);
    cr_expect(strstr(message, fault->says), "%s: the message is '%s'", fault->name, message);
    long count = (long)json_integer_value(json_object_get(finding, "count"));
    long want = fault->status == EMU_TRAP ? 1 : __builtin_popcount(fault->bad);
    cr_expect(count == want, "%s: found %ld times, want %ld", fault->name, count, want);
    char thread[40];
    snprintf(thread, sizeof thread, "thread %d", __builtin_ctz(fault->bad));
    cr_expect(strlen(message) < 100 && strstr(message, thread), "%s: '%s' is not about %s",
              fault->name, message, thread);
    cr_expect(strcmp(message, emu_message(f->device)) == 0, "%s: emu_message() is '%s'",
              fault->name, emu_message(f->device));
    json_decref(line);
}

Test(faults, statuses_and_findings)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char ptx[2500];
        struct fixture f;
        fixture_open(&f, NULL);
        snprintf(ptx, sizeof ptx, frame, faults[i].access);
        fixture_load(&f, ptx);
        emu_addr block = fixture_upload(&f, NULL, 128), gone = fixture_upload(&f, NULL, 256);
        emu_free(f.device, gone);
        enum emu_status status = fixture_launch(
            &f, (struct fixture_launch){.params = {block, gone, (uint64_t)(uintptr_t)&f}});
        cr_expect(status == faults[i].status, "%s: status %d, want %d", faults[i].name, (int)status,
                  (int)faults[i].status);
        expect_finding(&f, &faults[i]);
        /* A real GPU would lose the context, which the API emulates. Behind the API, the device
         * still works. */
        fixture_load(&f, ".visible .entry k()\n{\nret;\n}\n");
        fixture_run(&f, (struct fixture_launch){0});
        fixture_close(&f);
    }
}

/* Lanes with a valid address still access memory. Invalid loads give 0. */
Test(faults, other_lanes_go_on)
{
    struct fixture f;
    uint32_t words[32];
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k(.param .u64 block, .param .u64 out)\n{\n.reg .b32 t, a;\n"
                     ".reg .b64 g, o, at;\nmov.u32 t, %tid.x;\nmul.wide.u32 at, t, 8;\n"
                     "ld.param.u64 g, [block];\nadd.s64 g, g, at;\nld.param.u64 o, [out];\n"
                     "mul.wide.u32 at, t, 4;\nadd.s64 o, o, at;\nst.global.u32 [g], t;\n"
                     "atom.global.add.u32 a, [g], 100;\nld.global.u32 a, [g];\nadd.u32 a, a, 1;\n"
                     "st.global.u32 [o], a;\nret;\n}\n");
    emu_addr block = fixture_upload(&f, NULL, 128), out = fixture_upload(&f, NULL, 128);
    enum emu_status status = fixture_launch(&f, (struct fixture_launch){.params = {block, out}});
    cr_expect(status == EMU_ILLEGAL_ADDRESS);
    fixture_download(&f, words, block, sizeof words);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(words[i] == (i % 2 ? 0 : i / 2 + 100), "word %u of the block is %u", i, words[i]);
    fixture_download(&f, words, out, sizeof words);
    for (unsigned i = 0; i < 32; i++)
        cr_expect(words[i] == (i < 16 ? i + 101 : 1), "thread %u loaded %u", i, words[i] - 1);
    fixture_close(&f);
}

/* Accesses that read and write a byte, OFFSET bytes after the start of 1,000 bytes of memory. The
 * memory is followed by other allocations, or it has been freed. */
static const struct {
    const char *name;
    bool freed;
    int64_t offset;
    enum emu_status status;
    bool found;
} strays[] = {
    {"the last byte", false, 999, EMU_OK, false},
    {"right after", false, 1000, EMU_OK, true},
    {"as far as memory is mapped", false, 60000, EMU_OK, true},
    {"far away", false, (int64_t)1 << 40, EMU_ILLEGAL_ADDRESS, true},
    {"before all memory", false, -1, EMU_ILLEGAL_ADDRESS, true},
    {"freed", true, 0, EMU_ILLEGAL_ADDRESS, true},
    {"after freed memory", true, 1000, EMU_ILLEGAL_ADDRESS, true},
};

/* With this option, an invalid access that a GPU does not detect is reported, but does not make the
 * launch fail. */
Test(faults, strays_can_be_overlooked)
{
    const struct emu_options options = {.deterministic = true, .ignores_strays = true};
    for (size_t i = 0; i < sizeof strays / sizeof *strays; i++) {
        struct fixture f;
        fixture_open(&f, &options);
        fixture_load(&f, ".visible .entry k(.param .u64 at, .param .u64 out)\n{\n.reg .b64 g;\n"
                         ".reg .b32 a;\nld.param.u64 g, [at];\nst.global.u8 [g], 5;\n"
                         "ld.global.u8 a, [g];\nld.param.u64 g, [out];\nadd.u32 a, a, 1;\n"
                         "st.global.u32 [g], a;\nret;\n}\n");
        emu_addr a = fixture_upload(&f, NULL, 1000), b = fixture_upload(&f, NULL, 1000);
        emu_addr gone = fixture_upload(&f, NULL, 1000), out = fixture_upload(&f, NULL, 4);
        emu_free(f.device, gone);
        uint64_t at = (strays[i].freed ? gone : a) + (uint64_t)strays[i].offset;
        enum emu_status status =
            fixture_launch(&f, (struct fixture_launch){.params = {at, out}, .block = {1}});
        json_t *line = fixture_record(&f, -1);
        cr_expect(status == strays[i].status, "%s: status %d", strays[i].name, (int)status);
        cr_expect(fixture_finding_count(line) == (strays[i].found ? 2 : 0), "%s: %zu findings",
                  strays[i].name, fixture_finding_count(line));
        cr_expect(fixture_word(&f, out, 0) == (strays[i].found ? 1 : 6) &&
                      fixture_word(&f, b, 0) == 0,
                  "%s: %u was read", strays[i].name, fixture_word(&f, out, 0) - 1);
        json_decref(line);
        fixture_close(&f);
    }
}

/* An index outside of one allocation never reaches another allocation. */
Test(faults, neighbours_are_apart)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k(.param .u64 a, .param .u64 offset)\n{\n.reg .b64 g, o;\n"
                     "ld.param.u64 g, [a];\nld.param.u64 o, [offset];\nadd.s64 g, g, o;\n"
                     "st.global.u8 [g], 1;\nret;\n}\n");
    emu_addr a = fixture_upload(&f, NULL, 1000), b = fixture_upload(&f, NULL, 1000);
    for (uint64_t offset = 1000; offset < 1600; offset += 37)
        cr_expect(fixture_launch(&f, (struct fixture_launch){.params = {a, offset}}) ==
                      EMU_ILLEGAL_ADDRESS,
                  "offset %lu", (unsigned long)offset);
    cr_expect(b > a && b - a >= 1600);
    fixture_close(&f);
}

/* Lanes access different allocations in one instruction, or different spaces by generic
 * addresses. */
Test(faults, lanes_in_different_places)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(
        &f,
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out)\n{\n"
        ".shared .align 4 .b8 s[128];\n.local .align 4 .b8 own[4];\n.reg .pred p, q, r;\n"
        ".reg .b32 t, v;\n.reg .b64 x, y, o, at;\nmov.u32 t, %tid.x;\nmul.wide.u32 at, t, 4;\n"
        "ld.param.u64 x, [a];\nld.param.u64 y, [b];\nld.param.u64 o, [out];\n"
        "add.s64 o, o, at;\nsetp.lt.u32 p, t, 8;\nsetp.ge.u32 q, t, 16;\nsetp.ge.u32 r, t, 24;\n"
        "selp.b64 x, x, y, p;\nadd.s64 x, x, at;\nmov.u64 y, s;\ncvta.shared.u64 y, y;\n"
        "@q add.s64 x, y, at;\nmov.u64 y, own;\ncvta.local.u64 y, y;\n@r mov.u64 x, y;\n"
        "st.u32 [x], t;\nld.u32 v, [x];\nadd.u32 v, v, 1;\nst.global.u32 [o], v;\nret;\n}\n");
    emu_addr a = fixture_upload(&f, NULL, 128), b = fixture_upload(&f, NULL, 128);
    emu_addr out = fixture_upload(&f, NULL, 128);
    fixture_run(&f, (struct fixture_launch){.params = {a, b, out}});
    for (unsigned t = 0; t < 32; t++) {
        cr_expect(fixture_word(&f, out, t) == t + 1, "thread %u", t);
        cr_expect(fixture_word(&f, a, t) == (t < 8 ? t : 0), "word %u of a", t);
        cr_expect(fixture_word(&f, b, t) == (t >= 8 && t < 16 ? t : 0), "word %u of b", t);
    }
    fixture_close(&f);
}

/* Many faults in one line are one finding; faults in two lines are two. */
Test(faults, findings_are_counted)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f, ".file 1 \"f.cu\"\n.visible .entry k()\n{\n.reg .b32 a;\n.reg .b64 n;\n"
                     "mov.u64 n, 0;\n.loc 1 4 1\nld.global.u32 a, [n];\n.loc 1 6 1\n"
                     "st.global.u32 [n], a;\nret;\n}\n");
    fixture_launch(&f, (struct fixture_launch){.grid = {10}, .block = {64}});
    json_t *line = fixture_record(&f, -1), *list = json_object_get(line, "findings");
    cr_assert(json_array_size(list) == 2, "%zu findings", json_array_size(list));
    for (size_t i = 0; i < 2; i++)
        cr_expect(json_integer_value(json_object_get(json_array_get(list, i), "count")) == 640);
    json_decref(line);
    fixture_close(&f);
}

/* The finding names the first thread and block with a fault. It has all three indices of both. */
Test(faults, thread_and_block)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(
        &f, ".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 t, a;\n.reg .b64 n;\n"
            "mov.u32 t, %ctaid.z;\nmad.lo.u32 t, t, 10, %ctaid.y;\nmad.lo.u32 t, t, 10, %tid.z;\n"
            "mad.lo.u32 t, t, 10, %tid.y;\nmad.lo.u32 t, t, 10, %tid.x;\n"
            "setp.ne.u32 p, t, 11232;\n@p ret;\nmov.u64 n, 0;\nld.global.u32 a, [n];\nret;\n}\n");
    fixture_launch(&f, (struct fixture_launch){.grid = {1, 2, 2}, .block = {4, 4, 4}});
    json_t *line = fixture_record(&f, -1);
    const char *message = text_of(fixture_finding(line, "out-of-bounds"), "message");
    cr_expect(strstr(message, "thread (2,3,2) of block (0,1,1)"), "'%s'", message);
    json_decref(line);
    fixture_close(&f);
}

/* Many warps, each with little work, together exceed the limit. This must not be reported as an
 * endless loop. */
Test(faults, too_much_work)
{
    struct fixture f;
    fixture_open(&f, &(struct emu_options){.max_warp_instructions = 100000});
    fixture_load(&f, ".visible .entry k()\n{\n.reg .b32 t;\nmov.u32 t, %tid.x;\nret;\n}\n");
    enum emu_status status =
        fixture_launch(&f, (struct fixture_launch){.grid = {100000}, .block = {32}});
    cr_expect(status == EMU_TIMEOUT, "ended with %d", (int)status);
    json_t *line = fixture_record(&f, -1);
    const char *message = text_of(fixture_finding(line, "too-much-work"), "message");
    cr_expect(strstr(message, "stopped after 100,000 warp instructions"), "'%s'", message);
    cr_expect(strstr(message, "most of the work is here"), "'%s'", message);
    json_decref(line);
    fixture_close(&f);
}

/* The message has the name of the program's variable. */
Test(faults, named_variable)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f,
                 ".visible .global .align 4 .u32 table[10];\n.visible .entry k()\n{\n.reg .b32 a;\n"
                 "ld.global.u32 a, [table+40];\nret;\n}\n");
    uint32_t module = f.module;
    fixture_load(&f, ".global .align 4 .u32 other;\n");
    cr_assert(emu_unload(f.device, f.module) ==
              EMU_OK); /* unloading a module must not remove the names of other variables */
    f.module = module;
    fixture_launch(&f, (struct fixture_launch){0});
    json_t *line = fixture_record(&f, -1);
    const char *message = text_of(fixture_finding(line, "out-of-bounds"), "message");
    cr_expect(strstr(message, "right after the 40 bytes of table"), "'%s'", message);
    json_decref(line);
    fixture_close(&f);
}

/* If a program uses only the first word of an array, the compiler replaces the array by a
 * variable with another name. */
Test(faults, part_of_an_array)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k()\n{\n.shared .align 4 .u32 _ZZ1kvE4sums_$_0;\n"
                     ".reg .b32 a;\nld.shared.u32 a, [_ZZ1kvE4sums_$_0+4];\nret;\n}\n");
    fixture_launch(&f, (struct fixture_launch){0});
    json_t *line = fixture_record(&f, -1);
    const char *message = text_of(fixture_finding(line, "out-of-bounds"), "message");
    cr_expect(strstr(message, "right after the 4 bytes of sums;"), "'%s'", message);
    json_decref(line);
    fixture_close(&f);
}
