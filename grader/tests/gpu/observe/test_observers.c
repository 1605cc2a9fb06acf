/* Tests the fast path on which observers handle most accesses. Random accesses, both common and
 * unusual ones, must give the same results as counting by hand, lane by lane. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device/device_parts.h"
#include "gpu/observe/race.h"
#include "gpu/observe/race_log.h"
#include "gpu/tools.h"
#include "tests/support/emulator_fixture.h"

#define LANES 32u
#define TURNS 60u   /* number of executions of the same instruction */
#define WORDS 4096u /* number of words of the accessed memory */
#define IDLE  UINT32_MAX
#define SEEDS 60u

static uint32_t next_random(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

/* Returns the word that LANE accesses, relative to BASE, in pattern WAY. */
#define WAYS 8u
static uint32_t place_of(unsigned way, uint32_t base, unsigned lane, uint64_t *random)
{
    const uint32_t places[WAYS] = {
        base + lane,                       /* neighbours */
        base,                              /* all lanes access the same word */
        base + lane % 16 + lane / 16 * 40, /* two rows */
        base + lane / 16 * 16,             /* lanes access a word of each of two rows */
        base + 2 * lane,                   /* every second word */
        base + 33 * lane,                  /* a column */
        base + 31 - lane,                  /* backwards */
        next_random(random, WORDS),
    };
    return places[way];
}

/* Chooses the words that the lanes access, in TURNS rows of LANES. Some lanes take no part. The
 * pattern sometimes changes. */
static void choose_places(uint32_t places[TURNS][LANES], uint64_t *random)
{
    unsigned way = 0;
    uint32_t absent = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        uint32_t base = next_random(random, WORDS - 33 * LANES) & ~next_random(random, 32);
        if (next_random(random, 4) == 0) {
            way = next_random(random, WAYS);
            absent = next_random(random, 3) ? 0 : next_random(random, INT32_MAX);
        }
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t place = place_of(way, base, lane, random);
            places[turn][lane] = absent >> lane & 1 ? IDLE : place;
        }
    }
}

/* Prints a loop in which each lane takes a word from the table, and executes ACCESS at its address
 * a. */
static void print_loop(char *text, size_t size, const char *table, const char *access,
                       const char *memory)
{
    snprintf(text, size,
             "ld.param.u64 r, [%s];\nmad.wide.u32 r, t, 4, r;\nmov.u32 n, 0;\nL%s:\n"
             "ld.global.u32 i, [r];\nsetp.ne.u32 q, i, 0xffffffff;\nmul.wide.u32 a, i, 4;\n"
             "add.s64 a, a, %s;\n@q %s\nadd.s64 r, r, %u;\nadd.u32 n, n, 1;\n"
             "setp.lt.u32 p, n, %u;\n@p bra L%s;\n",
             table, table, memory, access, 4 * LANES, TURNS, table);
}

/* --- initcheck --------------------------------------------------------------------------------------- */

/* Prints a kernel in which one warp stores words and then loads words. The host has written parts
 * of the memory. */
static void print_kernel(char *ptx, size_t size, bool shared)
{
    char store[600], load[600];
    print_loop(store, sizeof store, "stores",
               shared ? "st.shared.u32 [a], n;" : "st.global.u32 [a], n;", shared ? "s" : "g");
    print_loop(load, sizeof load, "loads",
               shared ? "ld.shared.u32 v, [a]; xor.b32 x, x, v;"
                      : "ld.global.u32 v, [a]; xor.b32 x, x, v;",
               shared ? "s" : "g");
    snprintf(ptx, size,
             ".visible .entry k(.param .u64 block, .param .u64 stores, .param .u64 loads, .param "
             ".u64 out)"
             "\n{\n.shared .align 16 .b8 memory[%u];\n.reg .pred p, q;\n.reg .b32 t, i, n, v, x;\n"
             ".reg .b64 g, s, r, a;\nmov.u32 t, %%tid.x;\nmov.u32 x, 0;\nmov.u64 s, memory;\n"
             "ld.param.u64 g, [block];\n%s%sld.param.u64 a, [out];\nmad.wide.u32 a, t, 4, a;\n"
             "st.global.u32 [a], x;\nret;\n}\n",
             4 * WORDS, store, load);
}

/* Returns new memory. The host has written a part in the middle, or everything. */
static emu_addr make_block(struct fixture *f, bool *written, uint64_t *random)
{
    static const uint32_t zeros[WORDS];
    emu_addr block;
    uint32_t from = next_random(random, WORDS / 2), count = WORDS / 4;
    if (next_random(random, 8) == 0)
        from = 0, count = WORDS;
    cr_assert(emu_alloc(f->device, sizeof zeros, &block) == EMU_OK);
    cr_assert(emu_write(f->device, block + 4 * from, zeros, 4 * (size_t)count) == EMU_OK);
    memset(written + from, true, count);
    return block;
}

static unsigned long count_unwritten(bool *written, uint32_t stores[TURNS][LANES],
                                     uint32_t loads[TURNS][LANES])
{
    unsigned long count = 0;
    for (unsigned i = 0; i < TURNS * LANES; i++)
        if (stores[i / LANES][i % LANES] != IDLE)
            written[stores[i / LANES][i % LANES]] = true;
    for (unsigned i = 0; i < TURNS * LANES; i++)
        count += loads[i / LANES][i % LANES] != IDLE && !written[loads[i / LANES][i % LANES]];
    return count;
}

static void check_unwritten(uint64_t seed, bool shared)
{
    static uint32_t stores[TURNS][LANES], loads[TURNS][LANES];
    bool written[WORDS] = {false}, none[WORDS] = {false};
    char ptx[2500];
    struct fixture f;
    uint64_t random = seed;
    choose_places(stores, &random);
    choose_places(loads, &random);
    print_kernel(ptx, sizeof ptx, shared);
    fixture_open(&f, &(struct emu_options){.deterministic = true, .tools = EMU_INITCHECK});
    fixture_load(&f, ptx);
    emu_addr block = make_block(&f, written, &random);
    fixture_run(&f,
                (struct fixture_launch){.params = {block, fixture_upload(&f, stores, sizeof stores),
                                                   fixture_upload(&f, loads, sizeof loads),
                                                   fixture_upload(&f, NULL, 4 * LANES)}});
    unsigned long want = count_unwritten(shared ? none : written, stores, loads);
    json_t *line = fixture_record(&f, -1), *found = NULL;
    if (want)
        found = json_object_get(fixture_finding(line, "uninitialised-read"), "count");
    cr_expect(want ? json_integer_value(found) == (json_int_t)want : !fixture_finding_count(line),
              "seed %lu, %s: %lld reads of what nobody has written, want %lu", (unsigned long)seed,
              shared ? "shared" : "global", (long long)json_integer_value(found), want);
    json_decref(line);
    fixture_close(&f);
}

Test(observers, initcheck_finds_each_read_of_what_nobody_has_written)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        check_unwritten(seed, false);
        check_unwritten(seed, true);
    }
}

/* --- racecheck ---------------------------------------------------------------------------------------- */

#define STEPS   12u /* instructions in a round */
#define THREADS 96u /* number of threads in a block */

/* A kernel with several rounds of STEPS loads and stores. */
struct racing {
    unsigned rounds, blocks;
    bool is_late; /* only the last block writes, in its last round */
    bool shared;
    unsigned loads; /* a bit for each step that is a load */
};
#define KERNELS    200u
#define MOST_TURNS 180u /* rounds of all blocks */

/* Prints each access on a separate line, at words from a table. There are barriers between some
 * accesses, and sometimes atomics and fences. */
static void print_racing_kernel(char *ptx, size_t size, struct racing *racing, uint64_t *random)
{
    static const char *const accesses[] = {
        "ld.%s.u32 v, [a];",  "ld.%s.u32 v, [a];", "ld.%s.v2.u32 {v, w}, [a];",
        "st.%s.u32 [a], 7;",  "st.%s.u32 [a], t;", "st.%s.v2.u32 [a], {t, t};",
        "ld.%s.u8 v, [a+1];", "st.%s.u8 [a], t;",  "red.%s.add.u32 [a], t;"};
    static const char *const between[] = {"bar.sync 0;", "", "", "", "bar.warp.sync 0xffffffff;",
                                          "membar.cta;"};
    enum { ANYTHING, PLAIN, STEP_BY_STEP, UNORDERED, KINDS };
    /* If all kernels had all of these, almost all would have races. So some kernels have only plain
     * accesses, and some of these have a barrier after each access, or none. */
    unsigned kind = next_random(random, KINDS);
    int length = snprintf(
        ptx, size,
        ".file 1 \"k.cu\"\n.visible .entry k(.param .u64 block, .param .u64 table)\n{\n"
        ".shared .align 16 .b8 memory[%u];\n.reg .pred p, q;\n.reg .b32 t, i, n, c, v, w;\n"
        ".reg .b64 g, s, r, a;\nmov.u32 t, %%tid.x;\nmov.u64 s, memory;\nmov.u32 n, 0;\n"
        "ld.param.u64 g, [block];\nld.param.u64 r, [table];\nmov.u32 c, %%ctaid.x;\n"
        "mad.lo.u32 c, c, %u, t;\nmad.wide.u32 r, c, 4, r;\nAGAIN:\n",
        4 * WORDS + 16, THREADS);
    for (unsigned step = 0; step < STEPS; step++) {
        char access[80];
        const char *space = racing->shared ? "shared" : "global",
                   *form = accesses[next_random(random, kind == ANYTHING ? 9 : 4)];
        snprintf(access, sizeof access, form, space);
        racing->loads |= (unsigned)(form[0] == 'l') << step;
        length += snprintf(
            ptx + length, size - (size_t)length,
            ".loc 1 100 1\nld.global.u32 i, [r];\nsetp.ne.u32 q, i, 0xffffffff;\n"
            "mul.wide.u32 a, i, 4;\nadd.s64 a, a, %s;\nadd.s64 r, r, %u;\n.loc 1 %u 1\n@q %s\n%s\n",
            racing->shared ? "s" : "g", 4 * THREADS * racing->blocks, step + 1, access,
            between[kind == STEP_BY_STEP ? 0
                    : kind == UNORDERED  ? 1
                                         : next_random(random, kind == PLAIN ? 5 : 6)]);
    }
    snprintf(ptx + length, size - (size_t)length,
             "add.u32 n, n, 1;\nsetp.lt.u32 p, n, %u;\n%s@p bra AGAIN;\nret;\n}\n", racing->rounds,
             kind == UNORDERED ? "" : "bar.sync 0;\n");
}

/* Chooses words for each thread of all blocks, step by step. Usually, each of three blocks has its
 * own part of memory; sometimes, all share one. */
static void choose_racing_places(uint32_t *places, const struct racing *racing, uint64_t *random)
{
    bool is_apart = next_random(random, 3);
    uint32_t spread = 64u << next_random(random, 5); /* the larger, the fewer share words */
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned way = next_random(random, WAYS), far = next_random(random, 2) * spread;
        uint32_t absent = next_random(random, 4) ? 0 : next_random(random, INT32_MAX);
        uint32_t base = next_random(random, spread) & ~7u, pace = 8 * next_random(random, 3);
        bool is_early = !racing->is_late || racing->loads >> step & 1;
        uint32_t sweep = is_early && racing->is_late ? 16 * next_random(random, 3) : 0;
        for (unsigned i = 0; i < racing->rounds * racing->blocks * THREADS; i++) {
            unsigned round = i / (racing->blocks * THREADS), block = i / THREADS % racing->blocks;
            unsigned lane = i % LANES, warp = i % THREADS / LANES;
            uint32_t first = base + pace * round + sweep * block;
            uint32_t place = place_of(way, first, lane, random) + far * warp;
            bool is_last = round == racing->rounds - 1 && block == racing->blocks - 1;
            if (is_apart)
                place = place % (WORDS / 3) + block % 3 * (WORDS / 3);
            place = place % WORDS & ~(uint32_t)(step % 2); /* aligns words for wide accesses */
            places[(round * STEPS + step) * racing->blocks * THREADS + block * THREADS +
                   i % THREADS] = absent >> lane & 1 || (!is_early && !is_last) ? IDLE : place;
        }
    }
}

/* Returns all findings of one run, as text. */
static char *find_races(const char *ptx, const struct racing *racing, const uint32_t *places,
                        bool plainly)
{
    struct fixture f;
    race_checks_every_access = plainly;
    fixture_open(&f, &(struct emu_options){.deterministic = true, .tools = EMU_RACECHECK});
    fixture_load(&f, ptx);
    emu_addr block = fixture_upload(&f, NULL, 4 * WORDS + 16);
    struct fixture_launch launch = {.grid = {racing->blocks}, .block = {THREADS}};
    launch.params[0] = block;
    launch.params[1] =
        fixture_upload(&f, places, racing->rounds * STEPS * racing->blocks * THREADS * 4);
    fixture_launch(&f, launch); /* wide accesses may be misaligned */
    json_t *line = fixture_record(&f, -1);
    char *text = json_dumps(json_object_get(line, "findings"), JSON_INDENT(1));
    json_decref(line);
    fixture_close(&f);
    race_checks_every_access = false;
    return text;
}

/* Compares racecheck's fast paths with its plain ones on a random kernel. Some kernels read so much
 * before they write that racecheck cannot remember all reads. */
static void check_races(uint64_t seed, bool shared, unsigned *racy)
{
    static const struct racing kinds[] = {{.rounds = 10, .blocks = 3},
                                          {.rounds = 10, .blocks = 3},
                                          {.rounds = 60, .blocks = 3, .is_late = true},
                                          {.rounds = 4, .blocks = 45, .is_late = true}};
    static uint32_t places[MOST_TURNS * STEPS * THREADS];
    char ptx[6000];
    uint64_t random = seed;
    struct racing racing = kinds[seed % 4];
    racing.shared = shared;
    log_max_notes = seed % 5 < 3 ? LOG_NOTES : 64;
    race_max_instants = seed % 7 < 5 ? 1u << 18 : 256;
    print_racing_kernel(ptx, sizeof ptx, &racing, &random);
    choose_racing_places(places, &racing, &random);
    char *quick = find_races(ptx, &racing, places, false);
    char *plain = find_races(ptx, &racing, places, true);
    cr_expect(strcmp(quick, plain) == 0, "seed %lu, %s: %s\ninstead of %s\n%s", (unsigned long)seed,
              shared ? "shared" : "global", quick, plain, ptx);
    *racy += strstr(plain, "race-") != NULL;
    free(quick);
    free(plain);
}

Test(observers, racecheck_finds_the_same_on_its_quick_ways)
{
    for (unsigned shared = 0; shared < 2; shared++) {
        unsigned racy = 0;
        for (uint64_t seed = 1; seed <= KERNELS; seed++)
            check_races(seed, shared, &racy);
        cr_expect(racy > KERNELS / 10 && racy < KERNELS * 9 / 10, "%u of %u kernels have races",
                  racy, KERNELS);
    }
}

/* The first block reads words 0 to 31, and then so many others that racecheck must process its log
 * of accesses. The second block writes the first words, which are no longer in the log. */
Test(observers, racecheck_remembers_what_it_has_no_notes_of)
{
    static const uint32_t unused[2 * STEPS * THREADS];
    static const char ptx[] =
        ".file 1 \"k.cu\"\n.visible .entry k(.param .u64 block)\n{\n.reg .pred p;\n"
        ".reg .b32 t, c, n, i, v;\n.reg .b64 g, a;\nmov.u32 t, %tid.x;\nmov.u32 c, %ctaid.x;\n"
        "ld.param.u64 g, [block];\nmul.wide.u32 a, t, 4;\nadd.s64 g, g, a;\n.loc 1 1 1\n"
        "setp.ne.u32 p, c, 0;\n@p bra SECOND;\nld.global.u32 v, [g];\nmov.u32 n, 1;\n"
        "AGAIN:\nmul.lo.u32 i, n, n;\nrem.u32 i, i, 57;\nmul.wide.u32 a, i, 64;\n"
        "add.s64 a, a, g;\nld.global.u32 v, [a+512];\nadd.u32 n, n, 1;\n"
        "setp.lt.u32 p, n, 200;\n@p bra AGAIN;\nret;\n"
        "SECOND:\n.loc 1 2 1\nst.global.u32 [g], t;\nret;\n}\n";
    log_max_notes = 64;
    char *quick = find_races(ptx, &(struct racing){.rounds = 1, .blocks = 2}, unused, false);
    char *plain = find_races(ptx, &(struct racing){.rounds = 1, .blocks = 2}, unused, true);
    cr_expect(strstr(plain, "race-global"), "%s", plain);
    cr_expect_str_eq(quick, plain);
    log_max_notes = LOG_NOTES;
    free(quick);
    free(plain);
}

/* Each thread reads its own 512 bytes, so a warp's lanes stay in their pages for 128 steps. In step
 * 50, a thread of the second block writes a word that another lane reads in step 101. The write ends
 * the log of one of these pages. */
Test(observers, racecheck_goes_on_in_pages_whose_log_has_ended)
{
    static const struct racing racing = {.rounds = 6, .blocks = 2}; /* so the table is large */
    static const uint32_t words[6 * STEPS * 2 * THREADS];
    static const char ptx[] =
        ".file 1 \"k.cu\"\n.visible .entry k(.param .u64 block, .param .u64 table)\n{\n"
        ".reg .pred p, q;\n.reg .b32 t, c, n, v;\n.reg .b64 g, r, a;\nmov.u32 t, %tid.x;\n"
        "mov.u32 c, %ctaid.x;\nld.param.u64 g, [table];\nmul.wide.u32 a, t, 512;\n"
        "add.s64 a, a, g;\nmov.u32 n, 0;\nmul.lo.u32 c, c, 50;\nadd.u32 c, c, t;\n"
        "AGAIN:\n.loc 1 1 1\nld.global.u32 v, [a];\nadd.s64 a, a, 4;\nadd.u32 n, n, 1;\n"
        "setp.eq.u32 q, n, c;\nsetp.eq.and.u32 q, t, 0, q;\n"
        ".loc 1 2 1\n@q st.global.u32 [g+5520], n;\n"
        "setp.lt.u32 p, n, 128;\n@p bra AGAIN;\nret;\n}\n";
    char *quick = find_races(ptx, &racing, words, false);
    char *plain = find_races(ptx, &racing, words, true);
    cr_expect(strstr(plain, "race-global"), "%s", plain);
    cr_expect_str_eq(quick, plain);
    free(quick);
    free(plain);
}

/* --- the choice of observers ---------------------------------------------------------------------- */

static bool watches(const struct observer *observer, unsigned tools, enum emu_rules rules,
                    bool counted)
{
    const struct observer *list[OBS_MAX];
    struct emu_options options = {.tools = tools, .rules = rules};
    unsigned count = observers_choose(&options, counted, list);
    for (unsigned i = 0; i < count; i++)
        if (list[i] == observer)
            return true;
    return false;
}

Test(observers, counters_are_kept_for_readers)
{
    static const struct {
        const char *name;
        unsigned tools;
        bool counted, keeps, finds_faults;
    } rows[] = {
        {"counted", 0, true, true, true},
        {"nobody reads them", 0, false, false, true},
        {"named", EMU_COUNTERS, false, true, false},
        {"nothing", EMU_ONLY, true, false, false},
        {"races, nobody reads counters", EMU_RACECHECK, false, false, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned tools = rows[i].tools;
        bool keeps = watches(&obs_counters, tools, EMU_SECTOR, rows[i].counted);
        bool old = watches(&obs_counters_by_old_rules, tools, EMU_G80, rows[i].counted);
        cr_expect(keeps == rows[i].keeps && old == keeps, "%s: %d, by old rules %d", rows[i].name,
                  keeps, old);
        cr_expect(watches(&obs_memcheck, tools, EMU_SECTOR, rows[i].counted) ==
                      rows[i].finds_faults,
                  "%s", rows[i].name);
        cr_expect(watches(&obs_racecheck, tools, EMU_SECTOR, false) == (tools == EMU_RACECHECK),
                  "%s", rows[i].name);
    }
}
