/* Tests the analysis of a function before it runs: where lanes reconverge, which atomics are
 * reductions, and the source line of each instruction. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/flags.h"
#include "gpu/analyse/flow.h"
#include "gpu/analyse/gaps.h"
#include "gpu/analyse/lifetimes.h"
#include "gpu/analyse/lines.h"
#include "gpu/analyse/unwritten.h"
#include "tests/support/emulator_fixture.h"

/* Parses a text with one kernel and returns the kernel. The caller frees *MODULE. */
static const struct ptx_function *parse_kernel(const char *ptx, struct ptx_module **module)
{
    char error[300] = "";
    char *whole = NULL;
    cr_assert(asprintf(&whole, "%s%s", FIXTURE_PTX, ptx) > 0, "out of memory");
    *module = ptx_parse(whole, strlen(whole), error, sizeof error);
    cr_assert(*module, "%s\n%s", error, whole);
    free(whole);
    const struct ptx_function *f = (*module)->functions;
    cr_assert(f && !f->error, "%s\n%s", f ? f->error : "no function", ptx);
    return f;
}

/* --- reconvergence ------------------------------------------------------------------------------ */

/* Instructions of BODY are numbered from 0. MEETS has an element for each branch, in the order of
 * the text: the instruction where the branch's lanes reconverge, or -1 for the end of the
 * function. */
static const struct shape {
    const char *name, *body;
    int meets[6];
} shapes[] = {
    {"if", "@p bra A; add.u32 a, a, 1; A: ret;", {2}},
    {"if and else", "@p bra A; add.u32 a, a, 1; bra B; A: add.u32 a, a, 2; B: ret;", {4, 4}},
    {"branch to the next instruction", "@p bra A; A: ret;", {1}},
    {"loop", "A: add.u32 a, a, 1; @p bra A; ret;", {2}},
    {"loop of one branch", "A: @p bra A; ret;", {1}},
    {"loop with the test above", "A: @p bra B; add.u32 a, a, 1; bra A; B: ret;", {3, 0}},
    {"nested if",
     "@p bra A; @q bra B; add.u32 a, a, 1; B: add.u32 a, a, 2; A: add.u32 a, a, 3; ret;",
     {4, 3}},
    {"nested loops", "A: add.u32 a, a, 1; B: add.u32 a, a, 1; @p bra B; @q bra A; ret;", {3, 4}},
    {"break", "A: add.u32 a, a, 1; @p bra B; add.u32 a, a, 2; @q bra A; B: ret;", {4, 4}},
    {"continue", "A: add.u32 a, a, 1; @p bra B; add.u32 a, a, 2; B: @q bra A; ret;", {3, 4}},
    {"return on one side", "@p bra A; ret; A: add.u32 a, a, 1; ret;", {-1}},
    {"guarded return on one side", "@p bra A; @q ret; A: add.u32 a, a, 1; ret;", {-1}},
    {"guarded return before a branch", "@q ret; @p bra A; add.u32 a, a, 1; A: ret;", {3}},
    {"exit on both sides", "@p bra A; exit; A: exit;", {-1}},
    {"trap on one side", "@p bra A; trap; A: add.u32 a, a, 1; ret;", {-1}},
    {"endless loop", "A: add.u32 a, a, 1; bra A;", {-1}},
    {"endless loop on one side", "@p bra A; B: bra B; A: ret;", {2, -1}},
    {"falling off the end", "@p bra A; add.u32 a, a, 1; A: add.u32 a, a, 2;", {2}},
    {"branch to the end", "@p bra A; add.u32 a, a, 1; A:", {-1}},
    {"branch into the other side",
     "@p bra A; @q bra B; add.u32 a, a, 1; @p bra C; A: add.u32 a, a, 2; @q bra C; B: add.u32 a, "
     "a, 3; "
     "C: ret;",
     {7, 7, 7, 7}},
    {"chain of a switch",
     "@p bra A; @q bra B; bra C; A: add.u32 a, a, 1; bra D; B: add.u32 a, a, 2; bra D; "
     "C: add.u32 a, a, 3; D: ret;",
     {8, 8, 7, 8, 8}},
    {"unreachable code",
     "@p bra A; add.u32 a, a, 1; A: ret; B: @p bra B; @q bra A; ret;",
     {2, 4, -1}},
};

Test(analyse, meeting_points)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char ptx[1000];
        struct ptx_module *module;
        snprintf(ptx, sizeof ptx, ".entry k() { .reg .pred p, q; .reg .b32 a; %s }",
                 shapes[i].body);
        const struct ptx_function *f = parse_kernel(ptx, &module);
        uint32_t *meet = calloc(f->code_count + 1, sizeof *meet);
        cr_assert(analyse_reconvergence(f, meet));
        unsigned branch = 0;
        for (uint32_t pc = 0; pc < f->code_count; pc++) {
            bool is_branch = f->code[pc].opcode == PTX_OP_bra;
            int want = is_branch ? shapes[i].meets[branch++] : -1;
            cr_expect(meet[pc] == (want < 0 ? f->code_count : (uint32_t)want),
                      "%s: instruction %u meets at %u of %u, want %d", shapes[i].name, pc, meet[pc],
                      f->code_count, want);
        }
        free(meet);
        ptx_free(module);
    }
}

/* --- random control flow, compared with the definition of a post-dominator ---------------------- */

enum { NODES = 24, END = NODES };

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

struct graph {
    int next[NODES][2]; /* the successors of each node, or -1 */
};

/* Makes a program of NODES random instructions: branches, guarded instructions and returns. */
static char *draw_program(struct graph *graph)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, ".entry k() { .reg .pred p; .reg .b32 a;\n");
    for (int i = 0; i < NODES; i++) {
        uint32_t kind = draw(10);
        int target = (int)draw(NODES);
        graph->next[i][0] = i + 1;
        graph->next[i][1] = -1;
        fprintf(out, "L%d: ", i);
        if (kind < 4) {
            fprintf(out, "@p bra L%d;\n", target);
            graph->next[i][1] = target;
        } else if (kind < 5) {
            fprintf(out, "bra L%d;\n", target);
            graph->next[i][0] = target;
        } else if (kind < 6) {
            fprintf(out, "ret;\n");
            graph->next[i][0] = END;
        } else if (kind < 7) {
            fprintf(out, "@p exit;\n");
            graph->next[i][1] = END;
        } else {
            fprintf(out, "add.u32 a, a, 1;\n");
        }
    }
    fprintf(out, "}\n");
    fclose(out);
    return text;
}

/* Returns whether a path leads from FROM to the end without passing BARRED. */
static bool reaches_end(const struct graph *graph, int from, int barred)
{
    bool seen[NODES + 1] = {false};
    int stack[NODES * 2 + 2], depth = 0;
    stack[depth++] = from;
    while (depth) {
        int node = stack[--depth];
        if (node == END)
            return true;
        if (node == barred || seen[node])
            continue;
        seen[node] = true;
        for (int k = 0; k < 2; k++)
            if (graph->next[node][k] >= 0)
                stack[depth++] = graph->next[node][k];
    }
    return false;
}

/* Returns whether B is on every path from A to the end. */
static bool post_dominates(const struct graph *graph, int b, int a)
{
    return b == END || (a != END && reaches_end(graph, a, -1) && !reaches_end(graph, a, b));
}

/* Returns NODE's immediate post-dominator: the post-dominator that post-dominates none of NODE's
 * other post-dominators. */
static int immediate(const struct graph *graph, int node)
{
    if (!reaches_end(graph, node, -1))
        return END;
    for (int b = 0; b < END; b++) {
        bool first = b != node && post_dominates(graph, b, node);
        for (int c = 0; c < END && first; c++)
            first = c == node || c == b || !post_dominates(graph, c, node) ||
                    post_dominates(graph, c, b);
        if (first)
            return b;
    }
    return END;
}

Test(analyse, reconvergence_in_random_graphs)
{
    for (seed = 1; seed < 1000000000; seed += 2500000) {
        uint32_t start = seed, meet[NODES + 1];
        struct graph graph;
        struct ptx_module *module;
        char *ptx = draw_program(&graph);
        const struct ptx_function *f = parse_kernel(ptx, &module);
        cr_assert(f->code_count == NODES && analyse_reconvergence(f, meet));
        for (int i = 0; i < NODES; i++) {
            int want = f->code[i].opcode == PTX_OP_bra ? immediate(&graph, i) : END;
            cr_expect((int)meet[i] == want, "seed %u, instruction %d: meets at %u, want %d\n%s",
                      start, i, meet[i], want, ptx);
        }
        ptx_free(module);
        free(ptx);
        seed = start;
    }
}

/* Analysing a long function must neither take much time nor recurse deeply. Each of three shapes
 * has 20,000 branches. */
Test(analyse, long_functions, .timeout = 600)
{
    enum { COUNT = 20000 };
    for (int shape = 0; shape < 3; shape++) {
        char *text = NULL;
        size_t size;
        struct ptx_module *module;
        FILE *out = open_memstream(&text, &size);
        fprintf(out, ".entry k() { .reg .pred p; .reg .b32 a;\n");
        for (int i = 0; i < COUNT; i++) /* consecutive ifs; branches to one end; loops back to 0 */
            fprintf(out, "L%d: @p bra L%d;\n", i, shape == 0 ? i + 1 : shape == 1 ? COUNT : 0);
        fprintf(out, "L%d: ret; }\n", COUNT);
        fclose(out);
        const struct ptx_function *f = parse_kernel(text, &module);
        uint32_t *meet = calloc(COUNT + 2, sizeof *meet);
        cr_assert(analyse_reconvergence(f, meet));
        for (uint32_t i = 0; i < COUNT; i++)
            cr_expect(meet[i] == (shape == 1 ? COUNT : i + 1), "shape %d, branch %u: %u", shape, i,
                      meet[i]);
        free(meet);
        ptx_free(module);
        free(text);
    }
}

/* --- reductions --------------------------------------------------------------------------------- */

static const struct {
    const char *body;
    bool is_reduction; /* the first instruction is a reduction */
} atomics[] = {
    {"atom.global.add.u32 a, [d], 1; ret;", true},
    {"atom.global.add.u32 _, [d], 1; ret;", true},
    {"atom.global.add.u32 a, [d], 1; add.u32 b, a, 1; ret;", false},
    {"atom.global.add.u32 a, [d], 1; mov.u32 a, 5; ret;", true},
    {"atom.global.add.u32 a, [d], a; ret;", false}, /* the old value is used: no reduction */
    {"atom.global.add.u32 a, [d], b; st.global.u32 [d], a; ret;", false},
    {"atom.global.add.u64 e, [d], 1; ld.global.u32 a, [e]; ret;", false},
    {"atom.global.add.u64 e, [d], 1; ld.global.u32 a, [e+8]; ret;", false},
    {"atom.global.add.u32 a, [d], 1; mov.b64 e, {a, b}; ret;", false},
    {"atom.global.add.u32 a, [d], 1; st.global.v2.u32 [d], {b, a}; ret;", false},
    {"atom.global.add.u64 e, [d], 1; mov.b64 {a, b}, e; ret;", false},
    {"atom.global.add.u32 a, [d], 1; ld.global.v2.u32 {a, b}, [d]; ret;", true},
    {"atom.global.add.u32 a, [d], 1; setp.eq.u32 p|q, a, 0; ret;", false},
    {"atom.global.exch.b32 a, [d], 1; ret;", false},
    {"atom.global.cas.b32 a, [d], 1, 2; ret;", false},
    {"atom.global.min.u32 a, [d], 1; ret;", true},
    {"atom.global.add.v2.f32 {a, b}, [d], {0f3F800000, 0f40000000}; ret;", true},
    {"atom.global.add.v2.f32 {a, b}, [d], {0f3F800000, 0f40000000}; add.u32 a, b, 1; ret;", false},
    {"atom.global.add.v2.f32 {_, _}, [d], {0f00000000, 0f00000000}; ret;", true},
    {"atom.shared.add.u32 a, [d], 1; ret;", true},
};

Test(analyse, reductions)
{
    for (size_t i = 0; i < sizeof atomics / sizeof *atomics; i++) {
        char ptx[500];
        bool is_reduction[16] = {false};
        struct ptx_module *module;
        snprintf(ptx, sizeof ptx,
                 ".entry k() { .reg .pred p, q; .reg .b32 a, b; .reg .b64 d, e; %s }",
                 atomics[i].body);
        const struct ptx_function *f = parse_kernel(ptx, &module);
        cr_assert(analyse_reductions(f, is_reduction));
        cr_expect(is_reduction[0] == atomics[i].is_reduction, "'%s': %d", atomics[i].body,
                  is_reduction[0]);
        for (uint32_t pc = 1; pc < f->code_count; pc++)
            cr_expect(!is_reduction[pc], "'%s': instruction %u", atomics[i].body, pc);
        ptx_free(module);
    }
}

/* --- polls -------------------------------------------------------------------------------------- */

static const struct {
    const char *body;
    bool polls; /* whether the first instruction polls */
} loops[] = {
    {"L: ld.global.u32 a, [d]; membar.gl; setp.eq.u32 p, a, 0; @p bra L; ret;", true},
    {"L: ld.volatile.shared.u32 a, [s]; setp.eq.u32 p, a, 0; @p bra L; ret;", true},
    {"L: ld.u32 a, [d]; setp.eq.u32 p, a, 0; vote.sync.any.pred q, p, -1; @q bra L; ret;", true},
    {"L: ld.global.u32 a, [d]; setp.ne.u32 p, a, 0; @p bra E; membar.gl; bra L; E: ret;", true},
    {"L: ld.global.u32 a, [d]; add.u32 b, b, a; setp.eq.u32 p, b, 9; @p bra L; ret;", true},
    /* the loop adds up, and its count ends it, so it does not poll */
    {"L: ld.global.u32 a, [d]; add.u32 b, b, a; add.u32 c, c, 1; setp.lt.u32 p, c, 9; @p bra L; "
     "ret;",
     false},
    /* the loop searches */
    {"L: ld.global.u32 a, [d]; add.u64 d, d, 4; setp.eq.u32 p, a, 0; @p bra L; ret;", false},
    /* the loop does work: the compiler cannot know that its stores do not change the bound */
    {"L: ld.global.u32 a, [d]; st.global.u32 [e], c; add.u32 c, c, 1; setp.lt.u32 p, c, a; "
     "@p bra L; ret;",
     false},
    {"L: ld.global.nc.u32 a, [d]; setp.eq.u32 p, a, 0; @p bra L; ret;", false},
    {"ld.global.u32 a, [d]; L: setp.eq.u32 p, a, 0; @p bra L; ret;", false},
};

Test(analyse, polls)
{
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        char ptx[500];
        bool polls[16];
        struct ptx_module *module;
        snprintf(ptx, sizeof ptx,
                 ".entry k() { .shared .b32 s; .reg .pred p, q; .reg .b32 a, b, c; .reg .b64 d, e; "
                 "%s }",
                 loops[i].body);
        const struct ptx_function *f = parse_kernel(ptx, &module);
        analyse_polls(f, polls);
        for (uint32_t pc = 0; pc < f->code_count; pc++)
            cr_expect(polls[pc] == (pc == 0 && loops[i].polls), "'%s': instruction %u: %d",
                      loops[i].body, pc, polls[pc]);
        ptx_free(module);
    }
}

/* --- lines -------------------------------------------------------------------------------------- */

/* File 1 is the student's, file 2 is a CUDA header, and file 3 is the student's header. Each row
 * has the .loc directives before the only add instruction, and the line that the add must be
 * assigned to. */
static const struct {
    const char *name, *locs;
    struct source_line want;
} places[] = {
    {"plain", ".loc 1 8 9", {1, 8, 9}},
    {"the last one counts", ".loc 1 8 9\n.loc 1 9 3", {1, 9, 3}},
    {"no .loc at all", "", {0, 0, 0}},
    {"inlined from a CUDA header",
     ".loc 1 5 1\n.loc 2 97 13, function_name $info0, inlined_at 1 20 9",
     {1, 20, 9}},
    {"with an offset after the name",
     ".loc 1 5 1\n.loc 2 97 13, function_name $info0+16, inlined_at 1 20 9",
     {1, 20, 9}},
    {"from a header in a header",
     ".loc 1 5 1\n.loc 2 50 7, function_name $info0, inlined_at 1 20 9\n"
     ".loc 2 97 13, function_name $info0, inlined_at 2 50 7",
     {1, 20, 9}},
    {"the student's own function, inlined",
     ".loc 1 5 1\n.loc 1 3 7, function_name $info0, inlined_at 1 20 9",
     {1, 3, 7}},
    {"a header called by the student's inlined function",
     ".loc 1 5 1\n.loc 1 3 7, function_name $info0, inlined_at 1 20 9\n"
     ".loc 2 97 13, function_name $info0, inlined_at 1 3 7",
     {1, 3, 7}},
    {"a caller that was never named",
     ".loc 1 5 1\n.loc 2 97 13, function_name $info0, inlined_at 2 50 7",
     {2, 50, 7}},
    {"the student's own header",
     ".loc 1 5 1\n.loc 3 4 2, function_name $info0, inlined_at 1 20 9",
     {1, 20, 9}},
    {"line 0 means the line before", ".loc 1 5 1\n.loc 1 0 0", {1, 5, 1}},
    {"calls that form a circle",
     ".loc 1 5 1\n.loc 2 1 1, function_name $info0, inlined_at 2 2 2\n"
     ".loc 2 2 2, function_name $info0, inlined_at 2 1 1",
     {2, 0, 0}},
};

Test(analyse, lines)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char ptx[800];
        struct ptx_module *module;
        snprintf(ptx, sizeof ptx,
                 ".file 1 \"lab.cu\"\n.file 2 \"/cuda/include/sm_20_intrinsics.hpp\"\n"
                 ".file 3 \"mine.cuh\"\n.entry k()\n{\n.reg .b32 a;\n%s\nadd.u32 a, a, 1;\n"
                 ".loc 1 99 1\nret;\n}\n.section .debug_str\n{\n$info0:\n.b8 97,0\n}\n",
                 places[i].locs);
        const struct ptx_function *f = parse_kernel(ptx, &module);
        struct source_line want = places[i].want, got = analyse_line(module, f, 0);
        /* if calls form a circle, any line is right, but the search must end */
        bool anywhere = strstr(places[i].name, "circle");
        cr_expect(got.file == want.file &&
                      (anywhere || (got.line == want.line && got.column == want.column)),
                  "%s: %u:%u:%u, want %u:%u:%u", places[i].name, got.file, got.line, got.column,
                  want.file, want.line, want.column);
        got = analyse_line(module, f, 1);
        cr_expect(got.file == 1 && got.line == 99, "%s: the instruction after the add is at %u:%u",
                  places[i].name, got.file, got.line);
        ptx_free(module);
    }
}

/* --- lifetimes ---------------------------------------------------------------------------------- */

/* The first and the last instruction of BODY between which the registers a, b and p are live, or -1
 * if a register is never live. Also, whether a register may be read before it is written. */
static const struct life {
    const char *name, *body;
    int a[2], b[2], p[2];
    bool unwritten;
} lives[] = {
    {"named once", "mov.u32 a, 1; ret;", {0, 0}, {-1}, {-1}, false},
    {"one register after the other",
     "mov.u32 a, 1; add.u32 a, a, 1; mov.u32 b, 2; add.u32 b, b, 2; ret;",
     {0, 1},
     {2, 3},
     {-1},
     false},
    {"result and operand", "mov.u32 a, 1; add.u32 b, a, 1; ret;", {0, 1}, {1, 1}, {-1}, false},
    {"guards",
     "setp.eq.u32 p, 1, 2; @p mov.u32 a, 1; add.u32 b, a, 1; ret;",
     {0, 2},
     {2, 2},
     {0, 1},
     true},
    {"a loop around",
     "mov.u32 a, 1; L: add.u32 b, a, 1; add.u32 b, b, 1; setp.eq.u32 p, b, 2; @p bra L; ret;",
     {0, 4},
     {1, 3},
     {3, 4},
     false},
    {"carried by a loop",
     "L: add.u32 b, a, 1; mov.u32 a, 7; setp.eq.u32 p, b, 2; @p bra L; ret;",
     {0, 3},
     {0, 2},
     {2, 3},
     true},
    {"one side of a branch",
     "setp.eq.u32 p, 1, 2; mov.u32 a, 1; @p bra E; mov.u32 b, 1; add.u32 b, b, 1; bra M; E: "
     "add.u32 a, a, 1; M: ret;",
     {1, 6},
     {3, 4},
     {0, 2},
     false},
    {"in an address",
     "mov.u64 d, 0; ld.global.v2.u32 {a, b}, [d]; ret;",
     {1, 1},
     {1, 1},
     {-1},
     false},
};

static void check_life(const char *name, char reg, struct lifetime got, const int *want)
{
    if (want[0] < 0)
        cr_expect(got.first > got.last, "%s: %c is live", name, reg);
    else
        cr_expect(got.first == (uint32_t)want[0] && got.last == (uint32_t)want[1],
                  "%s: %c from %u to %u, want %d to %d", name, reg, got.first, got.last, want[0],
                  want[1]);
}

Test(analyse, lifetimes)
{
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        char ptx[400];
        struct ptx_module *module;
        struct lifetime got[4];
        snprintf(ptx, sizeof ptx,
                 ".visible .entry k()\n{\n.reg .b32 a, b;\n.reg .pred p;\n.reg .b64 d;\n%s\n}\n",
                 lives[i].body);
        bool all_written;
        cr_assert(analyse_lifetimes(parse_kernel(ptx, &module), got, &all_written));
        cr_expect(all_written == !lives[i].unwritten, "%s: %s register is read unwritten",
                  lives[i].name, all_written ? "no" : "some");
        check_life(lives[i].name, 'a', got[0], lives[i].a);
        check_life(lives[i].name, 'b', got[1], lives[i].b);
        check_life(lives[i].name, 'p', got[2], lives[i].p);
        ptx_free(module);
    }
}

/* --- gaps ---------------------------------------------------------------------------------------- */

/* The paths between the instructions FROM and TO of BODY, in both directions, as bits of enum
 * gap. */
static const struct gap_row {
    const char *name, *body;
    uint32_t from, to;
    unsigned ahead, back;
    bool of_warp;
} gap_rows[] = {
    {"nothing in between", "add.u32 a, a, 1; add.u32 a, a, 2; ret;", 0, 1, GAP_STRAIGHT, 0, false},
    {"barrier", "add.u32 a, a, 1; bar.sync 0; add.u32 a, a, 2; ret;", 0, 2, 0, 0, false},
    {"barrier of a warp", "add.u32 a, a, 1; bar.warp.sync -1; add.u32 a, a, 2; ret;", 0, 2,
     GAP_STRAIGHT, 0, false},
    {"barrier of a warp between lanes", "add.u32 a, a, 1; bar.warp.sync -1; add.u32 a, a, 2; ret;",
     0, 2, 0, 0, true},
    {"barrier on one side", "add.u32 a, a, 1; @p bra A; bar.sync 0; A: add.u32 a, a, 2; ret;", 0, 3,
     GAP_STRAIGHT, 0, false},
    {"loop, no barrier", "A: add.u32 a, a, 1; add.u32 a, a, 2; @p bra A; ret;", 0, 1,
     GAP_STRAIGHT | GAP_ROUND, GAP_ROUND, false},
    {"loop, barrier in the middle",
     "A: add.u32 a, a, 1; bar.sync 0; add.u32 a, a, 2; @p bra A; ret;", 0, 2, 0, GAP_ROUND, false},
    {"loop, barrier at the end", "A: add.u32 a, a, 1; add.u32 a, a, 2; bar.sync 0; @p bra A; ret;",
     0, 1, GAP_STRAIGHT, 0, false},
    {"loop, both barriers",
     "A: add.u32 a, a, 1; bar.sync 0; add.u32 a, a, 2; bar.sync 0; @p bra A; ret;", 0, 2, 0, 0,
     false},
    {"loop in a loop",
     "A: add.u32 a, a, 1; bar.sync 0; B: add.u32 a, a, 2; @p bra B; @q bra A; ret;", 0, 2, 0,
     GAP_ROUND, false},
    {"before a loop", "add.u32 a, a, 1; A: add.u32 a, a, 2; @p bra A; ret;", 0, 1,
     GAP_STRAIGHT | GAP_ROUND, 0, false},
    {"itself, in a loop", "A: add.u32 a, a, 1; @p bra A; ret;", 0, 0, GAP_ROUND, GAP_ROUND, false},
    {"a round that begins below", "bra B; A: add.u32 a, a, 1; B: add.u32 a, a, 2; @p bra A; ret;",
     1, 2, GAP_ROUND, GAP_STRAIGHT | GAP_ROUND, false},
};

Test(analyse, gaps_between_instructions)
{
    for (size_t i = 0; i < sizeof gap_rows / sizeof *gap_rows; i++) {
        const struct gap_row *row = &gap_rows[i];
        char ptx[1000];
        struct ptx_module *module;
        struct gaps gaps;
        snprintf(ptx, sizeof ptx, ".entry k() { .reg .pred p, q; .reg .b32 a; %s }", row->body);
        cr_assert(gaps_open(&gaps, parse_kernel(ptx, &module)));
        unsigned ahead = gaps_find(&gaps, row->from, row->to, row->of_warp);
        unsigned back = gaps_find(&gaps, row->to, row->from, row->of_warp);
        cr_expect_eq(ahead, row->ahead, "%s: %u ahead", row->name, ahead);
        cr_expect_eq(back, row->back, "%s: %u back", row->name, back);
        gaps_close(&gaps);
        ptx_free(module);
    }
}

/* --- uninitialised registers
 * --------------------------------------------------------------------- */

/* The first instruction that uses an uninitialised register, or -1 if there is none. */
static const struct {
    const char *name, *body;
    int first;
} unset[] = {
    {"sum from 0", "mov.u32 a, 0; A: add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra A; ret;", -1},
    {"sum without a beginning", "A: add.u32 a, a, 1; setp.lt.u32 p, a, 9; @p bra A; ret;", 0},
    {"a value in one branch only",
     "setp.eq.u32 p, 1, 1; @p bra A; mov.u32 a, 1; A: add.u32 b, a, 1; ret;", 3},
    {"a value in both branches",
     "setp.eq.u32 p, 1, 1; @p bra A; mov.u32 a, 1; bra B; A: mov.u32 a, 2; B: add.u32 b, a, 1; "
     "ret;",
     -1},
    {"a copy that nobody uses", "mov.u32 b, a; ret;", -1},
    {"used only where it has a value, before others need it",
     "setp.eq.u32 p, 1, 2; @p bra L; mov.u32 a, 1; add.u32 b, a, 1; L: @p bra M; st.global.u32 [0], a; M: ret;",
     -1},
    {"handed on by the lane that has it",
     "setp.eq.u32 p, 1, 2; @p bra L; mov.u32 a, 1; L: shfl.sync.idx.b32 b, a, 0, 31, -1; "
     "add.u32 b, b, 1; ret;",
     -1},
    {"used again where the paths meet",
     "setp.eq.u32 p, 1, 2; @p bra L; mov.u32 a, 1; add.u32 b, a, 1; L: add.u32 b, a, 2; ret;", 4},
};

Test(analyse, finds_registers_without_a_value)
{
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++) {
        char *text = NULL;
        struct ptx_module *module;
        cr_assert(
            asprintf(&text, ".entry k() { .reg .pred p; .reg .b32 a, b;\n%s }", unset[i].body) > 0);
        const struct ptx_function *f = parse_kernel(text, &module);
        uint32_t want = unset[i].first < 0 ? f->code_count : (uint32_t)unset[i].first;
        cr_expect_eq(analyse_unwritten(f), want, "%s: %u", unset[i].name, analyse_unwritten(f));
        ptx_free(module);
        free(text);
    }
}
