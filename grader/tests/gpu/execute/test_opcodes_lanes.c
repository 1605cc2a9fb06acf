/* Tests shfl, vote, match, redux and the other instructions by which the lanes of a warp exchange
 * values. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "opcode_lanes.h"
#include "tests/support/emulator_fixture.h"

#define LANES 32u

/* The lanes that take part: all lanes, or only the odd lanes because of a guard. */
static const struct {
    const char *guard;
    uint32_t members;
} crowds[] = {{"", 0xffffffff}, {"@odd ", 0xaaaaaaaa}};

#define OLD 0x0ddba11u /* value of the result register before the instruction */

/* --- shfl --------------------------------------------------------------------------------------- */

/* Returns the lane from which LANE reads, according to the CUDA manual's description of
 * __shfl_sync(…, width). Segments have WIDTH lanes. A lane that would read past the end of its
 * segment reads its own value. */
static int shuffle_source(char mode, int lane, int b, int width)
{
    int place = lane % width, start = lane - place, from = lane;
    switch (mode) {
    case 'u': /* up */
        from = place - b;
        break;
    case 'd': /* down */
        from = place + b;
        break;
    case 'b': /* bfly may read an earlier segment, but never a later one */
        return (lane ^ b) < start + width ? lane ^ b : -1;
    default: /* idx */
        return start + b % width;
    }
    return from >= 0 && from < width ? start + from : -1; /* -1 means out of range */
}

static const struct {
    const char *name;
    char mode;
    uint32_t clamp; /* the low bits of c, in the form in which CUDA passes them */
} shuffles[] = {{"up", 'u', 0}, {"down", 'd', 31}, {"bfly", 'b', 31}, {"idx", 'i', 31}};

/* The kernel reads b and c, and stores two words per lane, the value and the predicate. a is 100 +
 * lane. */
static void load_shuffle(struct fixture *fixture, const char *name, const char *guard,
                         uint32_t members)
{
    char ptx[1200];
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred odd, p;\n"
             ".reg .b64 i, o, at;\n.reg .b32 t, a, b, c, d, e;\nmov.u32 t, %%laneid;\n"
             "and.b32 e, t, 1;\nsetp.ne.u32 odd, e, 0;\nld.param.u64 i, [in];\n"
             "ld.param.u64 o, [out];\nmul.wide.u32 at, t, 8;\nadd.s64 o, o, at;\n"
             "ld.global.u32 b, [i];\nld.global.u32 c, [i+4];\nadd.u32 a, t, 100;\n"
             "mov.u32 d, %u;\nsetp.ne.u32 p, t, t;\n"
             "%sshfl.sync.%s.b32 d|p, a, b, c, %#x;\nselp.u32 e, 1, 0, p;\n"
             "st.global.v2.u32 [o], {d, e};\nret;\n}\n",
             OLD, guard, name, members);
    fixture_load(fixture, ptx);
}

static void check_shuffle(struct fixture *fixture, size_t which, size_t crowd, int b, int width)
{
    uint32_t members = crowds[crowd].members, results[LANES][2];
    uint32_t in[2] = {(uint32_t)b, (uint32_t)(32 - width) << 8 | shuffles[which].clamp};
    emu_addr from = fixture_upload(fixture, in, sizeof in);
    emu_addr to = fixture_upload(fixture, NULL, sizeof results);
    fixture_run(fixture, (struct fixture_launch){.params = {from, to}});
    fixture_download(fixture, results, to, sizeof results);
    for (int lane = 0; lane < (int)LANES; lane++) {
        int source = shuffle_source(shuffles[which].mode, lane, b, width);
        bool takes_part = members >> lane & 1, in_range = source >= 0;
        uint32_t want = 100u + (uint32_t)(in_range ? source : lane);
        if (in_range && !(members >> source & 1))
            want = 0; /* the manual does not define this; an H100 gives 0 */
        if (!takes_part)
            want = OLD;
        cr_expect(results[lane][0] == want && results[lane][1] == (takes_part && in_range),
                  "shfl.sync.%s.b32, b=%d, width %d, members %#x, lane %d: got %u|%u, want %u|%d",
                  shuffles[which].name, b, width, members, lane, results[lane][0], results[lane][1],
                  want, takes_part && in_range);
    }
    emu_free(fixture->device, from);
    emu_free(fixture->device, to);
}

Test(opcodes, shuffle)
{
    static const int distances[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 30, 31};
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    for (size_t s = 0; s < sizeof shuffles / sizeof *shuffles; s++) {
        for (size_t crowd = 0; crowd < 2; crowd++) {
            load_shuffle(&fixture, shuffles[s].name, crowds[crowd].guard, crowds[crowd].members);
            for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
                for (int width = 1; width <= 32; width *= 2)
                    check_shuffle(&fixture, s, crowd, distances[i], width);
        }
    }
    fixture_close(&fixture);
}

/* Each lane may name another source lane. The predicate can be omitted. */
Test(opcodes, shuffle_by_lane)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(&fixture,
                 ".visible .entry k(.param .u64 out)\n{\n.reg .b64 o, at;\n.reg .b32 t, a, b, d;\n"
                 "mov.u32 t, %laneid;\nld.param.u64 o, [out];\nmul.wide.u32 at, t, 4;\n"
                 "add.s64 o, o, at;\nmul.lo.u32 a, t, t;\nmul.lo.u32 b, t, 7;\n"
                 "shfl.sync.idx.b32 d, a, b, 31, -1;\nst.global.u32 [o], d;\nret;\n}\n");
    emu_addr out = fixture_upload(&fixture, NULL, 4 * LANES);
    fixture_run(&fixture, (struct fixture_launch){.params = {out}});
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t from = 7 * lane % 32, got = fixture_word(&fixture, out, lane);
        cr_expect(got == from * from, "shfl.sync.idx.b32, lane %u: got %u, want %u", lane, got,
                  from * from);
    }
    fixture_close(&fixture);
}

/* --- vote --------------------------------------------------------------------------------------- */

static const struct {
    const char *mnemonic;
    bool negated;
} votes[] = {{"vote.sync.all.pred", false}, {"vote.sync.any.pred", false},
             {"vote.sync.uni.pred", false}, {"vote.sync.ballot.b32", false},
             {"vote.sync.all.pred", true},  {"vote.sync.any.pred", true},
             {"vote.sync.uni.pred", true},  {"vote.ballot.sync.b32", true}};

static uint32_t vote_result(const char *mnemonic, uint32_t yes, uint32_t members)
{
    yes &= members;
    if (strstr(mnemonic, "ballot"))
        return yes;
    if (strstr(mnemonic, "all"))
        return yes == members;
    if (strstr(mnemonic, "any"))
        return yes != 0;
    return yes == 0 || yes == members;
}

/* The kernel reads 32 bits, one predicate per lane, and stores one word per lane. */
static void load_vote(struct fixture *fixture, size_t which, size_t crowd)
{
    char ptx[1200];
    bool ballot = strstr(votes[which].mnemonic, "ballot");
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred odd, p, q;\n"
             ".reg .b64 i, o, at;\n.reg .b32 t, a, d;\nmov.u32 t, %%laneid;\n"
             "and.b32 a, t, 1;\nsetp.ne.u32 odd, a, 0;\nld.param.u64 i, [in];\n"
             "ld.param.u64 o, [out];\nmul.wide.u32 at, t, 4;\nadd.s64 o, o, at;\n"
             "ld.global.u32 a, [i];\nshr.u32 a, a, t;\nand.b32 a, a, 1;\nsetp.ne.u32 p, a, 0;\n"
             "mov.u32 d, %u;\nsetp.ne.u32 q, t, t;\n%s%s %s, %sp, %#x;\n%sst.global.u32 [o], d;\n"
             "ret;\n}\n",
             OLD, crowds[crowd].guard, votes[which].mnemonic, ballot ? "d" : "q",
             votes[which].negated ? "!" : "", crowds[crowd].members,
             ballot ? "" : "selp.u32 d, 1, 0, q;\n");
    fixture_load(fixture, ptx);
}

static void check_vote(struct fixture *fixture, size_t which, size_t crowd, uint32_t predicates)
{
    const char *name = votes[which].mnemonic;
    uint32_t members = crowds[crowd].members;
    emu_addr in = fixture_upload(fixture, &predicates, 4);
    emu_addr out = fixture_upload(fixture, NULL, 4 * LANES);
    fixture_run(fixture, (struct fixture_launch){.params = {in, out}});
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t yes = votes[which].negated ? ~predicates : predicates;
        uint32_t idle = strstr(name, "ballot") ? OLD : 0, got = fixture_word(fixture, out, lane);
        uint32_t want = members >> lane & 1 ? vote_result(name, yes, members) : idle;
        cr_expect(got == want, "%s %sof %#x, members %#x, lane %u: got %#x, want %#x", name,
                  votes[which].negated ? "not " : "", predicates, members, lane, got, want);
    }
    emu_free(fixture->device, in);
    emu_free(fixture->device, out);
}

Test(opcodes, vote)
{
    static const uint32_t predicates[] = {0,          0xffffffff, 0x00000020, 0xffffffdf,
                                          0xaaaaaaaa, 0x55555555, 0x80000000, 0x00000001};
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    for (size_t v = 0; v < sizeof votes / sizeof *votes; v++) {
        for (size_t crowd = 0; crowd < 2; crowd++) {
            load_vote(&fixture, v, crowd);
            for (size_t i = 0; i < sizeof predicates / sizeof *predicates; i++)
                check_vote(&fixture, v, crowd, predicates[i]);
        }
    }
    fixture_close(&fixture);
}

/* --- activemask --------------------------------------------------------------------------------- */

/* Lanes below 8 read the mask in a branch of their own. Then all 20 lanes of the warp read it
 * again. */
Test(opcodes, activemask)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(
        &fixture,
        ".visible .entry k(.param .u64 out)\n{\n.reg .pred p;\n.reg .b64 o, at;\n"
        ".reg .b32 t, a, b;\nmov.u32 t, %laneid;\nld.param.u64 o, [out];\n"
        "mul.wide.u32 at, t, 8;\nadd.s64 o, o, at;\nsetp.lt.u32 p, t, 8;\n"
        "@p bra FEW;\nactivemask.b32 a;\nbra.uni MEET;\nFEW:\nactivemask.b32 a;\nMEET:\n"
        "bar.warp.sync 0xfffff;\nactivemask.b32 b;\nst.global.v2.u32 [o], {a, b};\nret;\n}\n");
    emu_addr out = fixture_upload(&fixture, NULL, 8 * LANES);
    fixture_run(&fixture, (struct fixture_launch){.block = {20}, .params = {out}});
    for (unsigned lane = 0; lane < 20; lane++) {
        uint32_t a = fixture_word(&fixture, out, 2 * lane), want = lane < 8 ? 0xff : 0xfff00;
        uint32_t b = fixture_word(&fixture, out, 2 * lane + 1);
        cr_expect(a == want, "activemask.b32 in a branch, lane %u: got %#x, want %#x", lane, a,
                  want);
        cr_expect(b == 0xfffff, "activemask.b32 after the branch, lane %u: got %#x", lane, b);
    }
    fixture_close(&fixture);
}

/* --- match, redux, elect -------------------------------------------------------------------------- */

/* The kernel reads 32 values of 8 bytes, one per lane, and stores two words per lane, the value and
 * the predicate. */
static void load_lane_operation(struct fixture *fixture, const char *mnemonic, size_t crowd)
{
    char ptx[1400];
    const char *value = strstr(mnemonic, "b64") ? "w, " : strstr(mnemonic, "elect") ? "" : "a, ";
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred odd, p;\n"
             ".reg .b64 i, o, at, w;\n.reg .b32 t, a, d, e;\nmov.u32 t, %%laneid;\n"
             "and.b32 e, t, 1;\nsetp.ne.u32 odd, e, 0;\nld.param.u64 i, [in];\n"
             "ld.param.u64 o, [out];\nmul.wide.u32 at, t, 8;\nadd.s64 o, o, at;\n"
             "add.s64 i, i, at;\nld.global.u64 w, [i];\nld.global.u32 a, [i];\n"
             "mov.u32 d, %u;\nsetp.ne.u32 p, t, t;\n%s%s d%s, %s%#x;\n"
             "selp.u32 e, 1, 0, p;\nst.global.v2.u32 [o], {d, e};\nret;\n}\n",
             OLD, crowds[crowd].guard, mnemonic,
             strstr(mnemonic, "all") || strstr(mnemonic, "elect") ? "|p" : "", value,
             crowds[crowd].members);
    fixture_load(fixture, ptx);
}

/* Returns the expected result for LANE of MEMBERS: the value in the lower half, and the predicate
 * in the upper half. */
static uint64_t lane_result(const char *mnemonic, const uint64_t *values, uint32_t members,
                            unsigned lane)
{
    uint32_t same = 0, sum = 0, low = UINT32_MAX, high = 0, all = UINT32_MAX, any = 0, odd = 0;
    int32_t least = INT32_MAX, most = INT32_MIN;
    uint64_t kept = strstr(mnemonic, "b64") ? UINT64_MAX : UINT32_MAX;
    for (unsigned k = 0; k < LANES; k++) {
        uint32_t word = (uint32_t)values[k];
        if (!(members >> k & 1))
            continue;
        same |= (uint32_t)((values[k] & kept) == (values[lane] & kept)) << k;
        sum += word;
        low = word < low ? word : low;
        high = word > high ? word : high;
        least = (int32_t)word < least ? (int32_t)word : least;
        most = (int32_t)word > most ? (int32_t)word : most;
        all &= word;
        any |= word;
        odd ^= word;
    }
    uint64_t every = (uint64_t)1 << 32;
    const struct {
        const char *words;
        uint64_t value;
    } results[] = {
        {"match.any", same},
        {"match.all", same == members ? every | members : 0},
        {"elect",
         (uint64_t)__builtin_ctz(members) | (lane == (unsigned)__builtin_ctz(members)) * every},
        {"add", sum},
        {"min.u32", low},
        {"max.u32", high},
        {"min.s32", (uint32_t)least},
        {"max.s32", (uint32_t)most},
        {"and", all},
        {"xor", odd},
        {"or", any},
    };
    size_t i = 0;
    while (!strstr(mnemonic, results[i].words))
        i++;
    return results[i].value;
}

static void check_lane_operation(struct fixture *fixture, const char *mnemonic, size_t crowd,
                                 const uint64_t *values)
{
    uint32_t members = crowds[crowd].members, results[LANES][2];
    emu_addr in = fixture_upload(fixture, values, 8 * LANES);
    emu_addr out = fixture_upload(fixture, NULL, sizeof results);
    fixture_run(fixture, (struct fixture_launch){.params = {in, out}});
    fixture_download(fixture, results, out, sizeof results);
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool takes_part = members >> lane & 1;
        uint64_t got = (uint64_t)results[lane][1] << 32 | results[lane][0];
        uint64_t want = takes_part ? lane_result(mnemonic, values, members, lane) : OLD;
        cr_expect(got == want, "%s, members %#x, lane %u: got %#lx, want %#lx", mnemonic, members,
                  lane, got, want);
    }
    emu_free(fixture->device, in);
    emu_free(fixture->device, out);
}

static const char *const lane_operations[] = {
    "match.any.sync.b32", "match.any.sync.b64", "match.all.sync.b32", "match.all.sync.b64",
    "redux.sync.add.u32", "redux.sync.add.s32", "redux.sync.min.u32", "redux.sync.min.s32",
    "redux.sync.max.u32", "redux.sync.max.s32", "redux.sync.and.b32", "redux.sync.or.b32",
    "redux.sync.xor.b32", "elect.sync"};

Test(opcodes, lanes_together)
{
    struct fixture fixture;
    uint64_t values[4][LANES];
    for (unsigned l = 0; l < LANES; l++) {
        values[0][l] = 0xf00000005;                             /* all the same */
        values[1][l] = (uint64_t)(l / 8) << 32 | (l & 2);       /* pairs differ in the upper half */
        values[2][l] = (l + 1) * 0x9e3779b97f4a7c15u;           /* all different */
        values[3][l] = l == 9 ? 0x800000000 : 0x80000000u >> l; /* one bit each */
    }
    fixture_open(&fixture, NULL);
    for (size_t i = 0; i < sizeof lane_operations / sizeof *lane_operations; i++)
        for (size_t crowd = 0; crowd < 2; crowd++) {
            load_lane_operation(&fixture, lane_operations[i], crowd);
            for (size_t v = 0; v < 4; v++)
                check_lane_operation(&fixture, lane_operations[i], crowd, values[v]);
        }
    fixture_close(&fixture);
}

const char *const lane_mnemonics[] = {
    "shfl.sync.up.b32",   "shfl.sync.down.b32", "shfl.sync.bfly.b32", "shfl.sync.idx.b32",
    "vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.uni.pred", "vote.sync.ballot.b32",
    "activemask.b32",     "match.any.sync.b32", "match.any.sync.b64", "match.all.sync.b32",
    "match.all.sync.b64", "redux.sync.add.u32", "redux.sync.add.s32", "redux.sync.min.u32",
    "redux.sync.min.s32", "redux.sync.max.u32", "redux.sync.max.s32", "redux.sync.and.b32",
    "redux.sync.or.b32",  "redux.sync.xor.b32", "elect.sync",         NULL};
