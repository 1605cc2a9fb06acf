/* Tests launches on device.h, the emulator's interface: invalid launches, the memory and special
 * registers of a launch, its record, and its workers. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gpu/device/device_parts.h"
#include "tests/support/emulator_fixture.h"

/* --- invalid launches --------------------------------------------------------------------------- */

static const struct {
    const char *name, *kernel;
    uint32_t grid[3], block[3], dynamic, params;
    enum emu_status want;
} launches[] = {
    {"the least", "k", {1, 1, 1}, {1, 1, 1}, 0, 8, EMU_OK},
    {"no blocks", "k", {0, 1, 1}, {1, 1, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"no blocks in y", "k", {1, 0, 1}, {1, 1, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"no blocks in z", "k", {1, 1, 0}, {1, 1, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"too many blocks in x", "k", {0x80000000, 1, 1}, {1, 1, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"most blocks in y", "k", {1, 65535, 1}, {1, 1, 1}, 0, 8, EMU_OK},
    {"too many blocks in y", "k", {1, 65536, 1}, {1, 1, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"too many blocks in z", "k", {1, 1, 65536}, {1, 1, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"no threads", "k", {1, 1, 1}, {0, 1, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"no threads in z", "k", {1, 1, 1}, {1, 1, 0}, 0, 8, EMU_INVALID_CONFIG},
    {"most threads", "k", {1, 1, 1}, {1024, 1, 1}, 0, 8, EMU_OK},
    {"most threads in z", "k", {1, 1, 1}, {1, 1, 64}, 0, 8, EMU_OK},
    {"too many threads in z", "k", {1, 1, 1}, {1, 1, 65}, 0, 8, EMU_INVALID_CONFIG},
    {"too many threads", "k", {1, 1, 1}, {1025, 1, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"too many threads together", "k", {1, 1, 1}, {32, 33, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"threads that overflow", "k", {1, 1, 1}, {65536, 65536, 1}, 0, 8, EMU_INVALID_CONFIG},
    {"as many as .maxntid", "few", {1, 1, 1}, {64, 1, 1}, 0, 0, EMU_OK},
    {"more than .maxntid", "few", {1, 1, 1}, {65, 1, 1}, 0, 0, EMU_INVALID_CONFIG},
    {"all shared memory", "big", {1, 1, 1}, {1, 1, 1}, EMU_MAX_SHARED - 1024, 0, EMU_OK},
    {"too much shared memory",
     "big",
     {1, 1, 1},
     {1, 1, 1},
     EMU_MAX_SHARED - 1023,
     0,
     EMU_OUT_OF_RESOURCES},
    {"shared memory that overflows",
     "big",
     {1, 1, 1},
     {1, 1, 1},
     UINT32_MAX,
     0,
     EMU_OUT_OF_RESOURCES},
    {"static shared memory that overflows",
     "huge",
     {1, 1, 1},
     {1, 1, 1},
     0,
     0,
     EMU_OUT_OF_RESOURCES},
    {"most local memory", "deep", {1, 1, 1}, {1, 1, 1}, 0, 0, EMU_OK},
    {"too much local memory", "deeper", {1, 1, 1}, {1, 1, 1}, 0, 0, EMU_OUT_OF_RESOURCES},
    {"too few parameter bytes", "k", {1, 1, 1}, {1, 1, 1}, 0, 7, EMU_INVALID_VALUE},
    {"more parameter bytes than needed", "k", {1, 1, 1}, {1, 1, 1}, 0, 64, EMU_OK},
};

Test(device, launch_limits)
{
    struct fixture f;
    uint64_t params[8] = {0};
    fixture_open(&f, NULL);
    fixture_load(&f, ".visible .entry k(.param .u64 a)\n{\nret;\n}\n"
                     ".visible .entry few()\n.maxntid 64\n{\nret;\n}\n"
                     ".visible .entry big()\n{\n.shared .align 16 .b8 s[1024];\nret;\n}\n"
                     ".visible .entry huge()\n{\n.shared .align 16 .b8 s[4294967290];\n"
                     ".shared .align 16 .b8 t[4294967290];\nret;\n}\n"
                     ".visible .entry deep()\n{\n.local .align 16 .b8 l[524288];\nret;\n}\n"
                     ".visible .entry deeper()\n{\n.local .align 16 .b8 l[524289];\nret;\n}\n");
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        struct emu_launch launch = {.dynamic_shared_bytes = launches[i].dynamic,
                                    .params = params,
                                    .param_bytes = launches[i].params};
        memcpy(launch.grid, launches[i].grid, sizeof launch.grid);
        memcpy(launch.block, launches[i].block, sizeof launch.block);
        cr_assert(emu_kernel(f.device, f.module, launches[i].kernel, &launch.kernel) == EMU_OK);
        off_t before = lseek(f.record, 0, SEEK_END);
        enum emu_status status = emu_launch(f.device, &launch, NULL);
        bool recorded = lseek(f.record, 0, SEEK_END) != before;
        cr_expect(status == launches[i].want, "%s: %d, want %d: %s", launches[i].name, (int)status,
                  (int)launches[i].want, emu_message(f.device));
        cr_expect(recorded == (status == EMU_OK), "%s: in the record: %d", launches[i].name,
                  recorded);
        if (status != EMU_OK)
            cr_expect(*emu_message(f.device) && !strchr(emu_message(f.device), '\n'), "%s: '%s'",
                      launches[i].name, emu_message(f.device));
    }
    fixture_close(&f);
}

/* --- the memory and values of a launch ---------------------------------------------------------- */

/* Dynamic shared memory starts after static shared memory, aligned to 16 bytes. All
 * .extern arrays share it. */
Test(device, dynamic_shared_memory)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f,
                 ".extern .shared .align 16 .b8 more[];\n.extern .shared .align 4 .b8 again[];\n"
                 ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 s[20];\n"
                 ".reg .b32 a, b, c, d;\n.reg .b64 o;\nld.param.u64 o, [out];\nmov.u32 a, s;\n"
                 "mov.u32 b, more;\nmov.u32 c, again;\nst.shared.u32 [more+96], 5;\n"
                 "ld.shared.u32 d, [again+96];\nst.global.v4.u32 [o], {a, b, c, d};\nret;\n}\n");
    emu_addr out = fixture_upload(&f, NULL, 16);
    fixture_run(&f, (struct fixture_launch){.block = {1}, .dynamic_shared = 100, .params = {out}});
    uint32_t first = fixture_word(&f, out, 0), more = fixture_word(&f, out, 1);
    cr_expect(more % 16 == 0 && more >= first + 20, "static at %u, dynamic at %u", first, more);
    cr_expect(fixture_word(&f, out, 2) == more && fixture_word(&f, out, 3) == 5);
    fixture_close(&f);
}

/* Each thread has its own local memory. */
Test(device, local_memory)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(
        &f, ".visible .entry k(.param .u64 out)\n{\n.local .align 4 .b8 own[64];\n"
            ".reg .b32 t, i;\n.reg .b64 o, a, l;\nmov.u32 t, %tid.x;\nld.param.u64 o, [out];\n"
            "mul.wide.u32 a, t, 4;\nadd.s64 o, o, a;\nand.b32 i, t, 15;\nmul.wide.u32 a, i, 4;\n"
            "mov.u64 l, own;\nadd.s64 l, l, a;\nst.local.u32 [l], t;\nbar.sync 0;\n"
            "ld.local.u32 i, [l];\nst.global.u32 [o], i;\nret;\n}\n");
    emu_addr out = fixture_upload(&f, NULL, 4 * 64);
    fixture_run(&f, (struct fixture_launch){.block = {64}, .params = {out}});
    for (unsigned t = 0; t < 64; t++)
        cr_expect(fixture_word(&f, out, t) == t, "thread %u: %u", t, fixture_word(&f, out, t));
    fixture_close(&f);
}

/* Each warp gets a number when it starts to run. There are three blocks of three warps; the third
 * warp is not full. The second execution reuses a block. */
Test(device, order_of_warps)
{
    for (int backwards = 0; backwards < 2; backwards++) {
        struct fixture f;
        struct emu_options options = {.deterministic = true, .backwards = backwards};
        fixture_open(&f, &options);
        fixture_load(&f,
                     ".visible .entry k(.param .u64 out)\n{\n.reg .pred p;\n.reg .b32 t, b, n;\n"
                     ".reg .b64 o, a;\nld.param.u64 o, [out];\nmov.u32 t, %tid.x;\n"
                     "and.b32 n, t, 31;\nsetp.ne.u32 p, n, 0;\n@p ret;\n"
                     "atom.global.add.u32 n, [o], 1;\nshr.u32 t, t, 5;\nmov.u32 b, %ctaid.x;\n"
                     "mad.lo.u32 t, b, 3, t;\nmul.wide.u32 a, t, 4;\nadd.s64 o, o, a;\n"
                     "st.global.u32 [o+4], n;\nret;\n}\n");
        emu_addr out = fixture_upload(&f, NULL, 10 * 4);
        fixture_run(&f, (struct fixture_launch){.grid = {3}, .block = {70}, .params = {out}});
        for (unsigned warp = 0; warp < 9; warp++)
            cr_expect_eq(fixture_word(&f, out, 1 + warp), backwards ? 8 - warp : warp);
        fixture_close(&f);
    }
}

/* A structure passed by value, which the kernel reads in parts and as a whole. */
Test(device, parameters)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(
        &f, ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[24], .param .u64 last)\n{\n"
            ".reg .b32 a, b, t;\n.reg .b16 h;\n.reg .b64 o, c, d;\nld.param.u64 o, [out];\n"
            "ld.param.u32 a, [s+4];\nld.param.s8 b, [s+8];\nld.param.v2.u64 {c, d}, [s+8];\n"
            "st.global.v2.u32 [o], {a, b};\nld.param.u64 c, [last];\n"
            "st.global.v2.u64 [o+16], {c, d};\nret;\n}\n");
    emu_addr out = fixture_upload(&f, NULL, 32);
    fixture_run(&f, (struct fixture_launch){
                        .params = {out, 0x1111111122222222, 0x00000000000000f0, 0x3333, 0x4444}});
    uint64_t words[4];
    fixture_download(&f, words, out, sizeof words);
    cr_expect(words[0] == 0xfffffff011111111, "%#lx", words[0]);
    cr_expect(words[2] == 0x4444 && words[3] == 0x3333, "%#lx %#lx", words[2], words[3]);
    fixture_close(&f);
}

/* A launch has a line in the record. */
Test(device, record)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f, ".const .align 8 .b8 table[40];\n.const .f32 factor;\n"
                     ".visible .entry _Z3addPfS_i(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
                     ".shared .align 4 .b8 tile[20];\nret;\n}\n");
    fixture_run(&f, (struct fixture_launch){.kernel = "_Z3addPfS_i",
                                            .grid = {3, 2, 1},
                                            .block = {8, 4, 2},
                                            .dynamic_shared = 48});
    json_t *line = fixture_record(&f, 0), *launch = json_object_get(line, "launch");
    json_t *counters = json_object_get(launch, "counters");
    cr_expect(strcmp(json_string_value(json_object_get(launch, "kernel")),
                     "add(float*, float*, int)") == 0);
    cr_expect(strcmp(json_string_value(json_object_get(launch, "status")), "ok") == 0);
    char *grid = json_dumps(json_object_get(launch, "grid"), JSON_COMPACT);
    char *block = json_dumps(json_object_get(launch, "block"), JSON_COMPACT);
    cr_expect(strcmp(grid, "[3,2,1]") == 0 && strcmp(block, "[8,4,2]") == 0, "%s %s", grid, block);
    free(grid);
    free(block);
    cr_expect(json_integer_value(json_object_get(launch, "static_shared_bytes")) == 20);
    cr_expect(json_integer_value(json_object_get(launch, "dynamic_shared_bytes")) == 48);
    cr_expect(json_integer_value(json_object_get(launch, "constant_bytes")) == 0);
    cr_expect(json_object_size(counters) == EMU_COUNTERS_ALWAYS);
    for (int i = 0; i < EMU_COUNTERS_ALWAYS; i++)
        cr_expect(json_object_get(counters, emu_counter_name((enum emu_counter)i)), "no %s",
                  emu_counter_name((enum emu_counter)i));
    cr_expect(json_integer_value(json_object_get(counters, "warp_instructions")) == 12);
    cr_expect(json_is_array(json_object_get(line, "findings")) && fixture_finding_count(line) == 0);
    json_decref(line);
    fixture_close(&f);
}

/* A launch's record has the number of bytes that the program has copied to constant memory, not the
 * size of the variables. If more bytes have been copied since an earlier launch, the launch does
 * not count as its repetition. */
Test(device, record_of_constants)
{
    static const char bytes[40];
    static const struct {
        unsigned at, size;
        int constants;
    } rows[] = {{0, 0, 0}, {8, 4, 12}, {0, 8, 12}, {20, 20, 40}};
    struct fixture f;
    emu_addr table;
    uint64_t size;
    fixture_open(&f, NULL);
    fixture_load(&f, ".const .align 8 .b8 table[40];\n.const .f32 factor = 0f3F800000;\n"
                     ".visible .entry k()\n{\nret;\n}\n");
    cr_assert_eq(emu_symbol(f.device, f.module, "table", &table, &size), EMU_OK);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(emu_write(f.device, table + rows[i].at, bytes, rows[i].size), EMU_OK);
        fixture_run(&f, (struct fixture_launch){0});
    }
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i > 0 && rows[i].constants == rows[i - 1].constants)
            continue; /* a line {"repeats"} */
        json_t *record = fixture_record(&f, i), *launch = json_object_get(record, "launch");
        cr_expect_eq(json_integer_value(json_object_get(launch, "constant_bytes")),
                     rows[i].constants, "launch %u", i);
        json_decref(record);
    }
    fixture_close(&f);
}

/* Uses the device in one of several threads. The threads run at the same time, and the device
 * serialises their calls. */
static void *use_device(void *argument)
{
    struct fixture f = *(struct fixture *)argument;
    for (unsigned i = 0; i < 50; i++) {
        uint32_t words[32] = {i};
        emu_addr a = fixture_upload(&f, words, sizeof words);
        fixture_run(&f, (struct fixture_launch){.params = {a}});
        cr_expect(fixture_word(&f, a, 0) == i + 32, "%u", fixture_word(&f, a, 0));
        emu_free(f.device, a);
    }
    return NULL;
}

/* At its size limit, a record grows by at most one line. So its reader can see that it is too
 * long. */
Test(device, record_that_ends)
{
    struct fixture f;
    struct emu_options options = {.deterministic = true, .record_bytes = 3000};
    fixture_open(&f, &options);
    fixture_load(&f, ".visible .entry k()\n{\nret;\n}\n");
    size_t length = 0, launches = 0;
    for (size_t before = SIZE_MAX; before != length; launches++) {
        before = length;
        fixture_run(&f, (struct fixture_launch){0});
        char *text = fixture_record_text(&f);
        length = strlen(text);
        free(text);
    }
    cr_expect(launches > 2 && length > 3000 && length < 5000, "%zu launches, %zu bytes", launches,
              length);
    cr_expect_eq(emu_note(f.device, "{}", 2), EMU_OK);
    fixture_close(&f);
}

Test(device, threads)
{
    struct fixture f;
    pthread_t threads[4];
    fixture_open(&f, &(struct emu_options){.workers = 2});
    fixture_load(&f,
                 ".visible .entry k(.param .u64 word)\n{\n.reg .b64 w;\nld.param.u64 w, [word];\n"
                 "red.global.add.u32 [w], 1;\nret;\n}\n");
    for (int i = 0; i < 4; i++)
        cr_assert(pthread_create(&threads[i], NULL, use_device, &f) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    fixture_close(&f);
}

#ifndef __SANITIZE_ADDRESS__ /* its malloc() has no such setting */
static long page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* A launch reuses the memory that an earlier launch has freed. It needs about a page for every six
 * instructions of the kernel. */
Test(device, launches_reuse_memory)
{
    enum { ADDS = 2000 };
    struct fixture f;
    char *ptx = malloc(100 + ADDS * 20), *end = ptx;
    end += sprintf(end, ".visible .entry k()\n{\n.reg .b32 a;\nmov.u32 a, %%tid.x;\n");
    for (int i = 0; i < ADDS; i++)
        end += sprintf(end, "add.u32 a, a, a;\n");
    strcpy(end, "ret;\n}\n");
    fixture_open(&f, NULL);
    fixture_load(&f, ptx);
    for (int i = 0; i < 3; i++)
        fixture_run(&f, (struct fixture_launch){0});
    long before = page_faults();
    for (int i = 0; i < 10; i++)
        fixture_run(&f, (struct fixture_launch){0});
    cr_expect(page_faults() - before < 100, "%ld page faults", page_faults() - before);
    fixture_close(&f);
    free(ptx);
}
#endif

struct shared_sum {
    uint32_t word, added;
    atomic_bool over;
};

static void *add_beside(void *argument)
{
    struct shared_sum *sum = argument;
    while (!atomic_load(&sum->over)) {
        __atomic_fetch_add(&sum->word, 1, __ATOMIC_RELAXED);
        sum->added++;
    }
    return NULL;
}

/* Atomics must be correct even with one worker, because the program accesses the memory at the same
 * time. */
Test(device, atomics_lose_nothing_that_the_program_writes)
{
    struct fixture f;
    static struct shared_sum sum;
    pthread_t thread;
    fixture_open(&f, &(struct emu_options){.workers = 1});
    cr_assert_eq(emu_lend(f.device, (emu_addr)&sum.word, &sum.word, sizeof sum.word), EMU_OK);
    fixture_load(&f, ".visible .entry k(.param .u64 word)\n{\n.reg .pred p;\n.reg .b32 n, old;\n"
                     ".reg .b64 w;\nld.param.u64 w, [word];\nmov.u32 n, 2000;\n"
                     "AGAIN:\natom.sys.global.add.u32 old, [w], 1;\n"
                     "red.sys.global.max.u32 [w], 1;\n"
                     "sub.u32 n, n, 1;\nsetp.ne.u32 p, n, 0;\n@p bra AGAIN;\nret;\n}\n");
    cr_assert(pthread_create(&thread, NULL, add_beside, &sum) == 0);
    fixture_run(&f, (struct fixture_launch){.params = {(emu_addr)&sum.word}});
    atomic_store(&sum.over, true);
    pthread_join(thread, NULL);
    cr_expect_eq(sum.word, 2000 * 32 + sum.added, "%u of %u and %u", sum.word, 2000 * 32,
                 sum.added);
    fixture_close(&f);
}

/* --- workers ------------------------------------------------------------------------------------ */

/* If a kernel is known to end before another thread could start, its launches get no additional
 * workers. */
Test(device, short_launches_are_for_few_workers)
{
    struct fixture f;
    fixture_open(&f, &(struct emu_options){.workers = 8});
    fixture_load(&f, ".visible .entry k(.param .u64 rounds)\n{\n.reg .pred p;\n.reg .b64 n;\n"
                     "ld.param.u64 n, [rounds];\nAGAIN:\nadd.s64 n, n, -1;\nsetp.gt.s64 p, n, 0;\n"
                     "@p bra AGAIN;\nret;\n}\n");
    fixture_run(&f, (struct fixture_launch){.grid = {64}, .params = {1}});
    cr_expect_eq(device_share(f.device, 1, 64), 1);
    cr_expect_eq(device_share(f.device, 1, UINT64_MAX), 8, "many blocks use all workers");
    fixture_run(&f, (struct fixture_launch){.grid = {64}, .params = {1000}});
    cr_expect_eq(device_share(f.device, 1, 1), 1, "a single block uses one worker");
    cr_expect_eq(device_share(f.device, 1, 10), 2);
    cr_expect_eq(device_share(f.device, 1, 64), 8);
    fixture_run(&f, (struct fixture_launch){.grid = {64}, .params = {1}});
    cr_expect_eq(device_share(f.device, 1, 64), 8, "the longest launch counts");
    fixture_close(&f);
}
