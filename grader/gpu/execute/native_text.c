/* A kernel as C text: what its warps did most, in the words of native_code.h.
 *
 *     ld.global.f32 %f1, [%rd1];       L12: if (left < 3) goto X12;
 *     add.f32       %f2, %f2, %f1;          ENTER(12, 3, 3)
 *     st.global.f32 [%rd2], %f2;            if (!load_again_u32_u32(warp, lanes, &patterns[12], r64, …)) { … call … }
 *     bra           …                       row_add_f32(lanes, r128, r128, r64);
 *                                           …
 *                                      X12: keep_u32(lanes, frame + 128, r128); pc = 12; goto out;
 *
 * Each function of the kernel becomes a C function that begins and ends at many of its places: at its end, registers that
 * still matter go back to the frame. It is compiled for whole warps, whose lanes are a constant, and, if that is
 * frequent, for parts of warps. What it has no words for is called as the interpreter would; what may split the warp,
 * or wait, is left to the interpreter. So do both the same, and count the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/operands.h"
#include "gpu/execute/access_values.h"
#include "gpu/execute/crossing.h"
#include "gpu/execute/native.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/schedule.h"

struct writer {
    FILE *out;
    const struct worker *worker;
    const struct kernel *kernel;
    const struct image *image;
    const bool *hot; /* the instructions to translate */
    bool parts;      /* also for warps of which a part is here */
    bool *enters;    /* those where the text may begin */
    bool *leads;     /* those that something jumps to or begins at */
    bool *exits;     /* those where it may end */
    bool *meets;     /* those where lanes come together again */
    char end[32];
    uint8_t
        *known; /* by place in the frame: what the text has there, and whether it changes that */
    bool *translated;         /* the instructions that the text does, */
    struct crossing crossing; /* and what goes between it and the frame */
};

/* --- registers -------------------------------------------------------------------------------------- */

/* Frames keep them in steps of a predicate's size; those of one place are of one size. */
static uint32_t place_of(const struct writer *w, uint32_t reg)
{
    return w->image->slots[reg] / (uint32_t)sizeof(uint32_t);
}

static unsigned bytes_of(const struct writer *w, uint32_t reg)
{
    return ptx_type_bytes(w->image->function->registers[reg].type);
}

/* Has it a place in the frame, and is it of a kind that the text can have? */
static bool is_own(const struct writer *w, uint32_t reg)
{
    return w->image->fixed[reg].offset == NO_SLOT && bytes_of(w, reg) < 16 && bytes_of(w, reg) != 1;
}

#define KNOWN   1u /* a predicate, or with the bytes of a lane in the lower bits */
#define WRITTEN 16u

static void note_known(void *context, uint32_t reg)
{
    struct writer *w = context;
    if (is_own(w, reg))
        w->known[place_of(w, reg)] |= (uint8_t)(KNOWN | bytes_of(w, reg));
}

static void note_written(void *context, uint32_t reg)
{
    struct writer *w = context;
    note_known(w, reg);
    if (is_own(w, reg))
        w->known[place_of(w, reg)] |= WRITTEN;
}

/* From the frame to the text. */
static void fetch(void *context, uint32_t reg)
{
    struct writer *w = context;
    uint32_t place = is_own(w, reg) ? place_of(w, reg) : 0, at = place * (uint32_t)sizeof(uint32_t);
    unsigned known = is_own(w, reg) ? w->known[place] : 0, bytes = known & 14;
    if (bytes)
        fprintf(w->out, "copy_u%u(r%u, frame + %u); ", 8 * bytes, at, at);
    else if (known)
        fprintf(w->out, "p%u = *(u32 *)(frame + %u); ", at, at);
}

/* And back: other lanes may be on another way. */
static void show(void *context, uint32_t reg)
{
    struct writer *w = context;
    uint32_t place = is_own(w, reg) ? place_of(w, reg) : 0, at = place * (uint32_t)sizeof(uint32_t);
    unsigned known = is_own(w, reg) ? w->known[place] : 0, bytes = known & 14;
    if (known & WRITTEN && bytes)
        fprintf(w->out, "keep_u%u(lanes, frame + %u, r%u); ", 8 * bytes, at, at);
    else if (known & WRITTEN)
        fprintf(w->out, "set_bits(lanes, (u32 *)(frame + %u), p%u); ", at, at);
}

static void write_declarations(const struct writer *w)
{
    uint32_t places = w->image->register_bytes / (uint32_t)sizeof(uint32_t);
    for (uint32_t place = 0; place < places; place++) {
        unsigned known = w->known[place], at = place * (unsigned)sizeof(uint32_t);
        if (known & 14)
            fprintf(w->out, "    _Alignas(64) u%u r%u[32];\n", 8 * (known & 14), at);
        else if (known)
            fprintf(w->out, "    u32 p%u;\n", at);
    }
}

/* --- kinds of instructions ------------------------------------------------------------------------------- */

static const struct ptx_instruction *source_of(const struct writer *w, uint32_t pc)
{
    return &w->image->function->code[pc - w->image->start];
}

/* Lanes that meet are all there if all name each other. */
static bool names_all(const struct writer *w, const struct inst *inst)
{
    struct slot members = inst->warp.members;
    return inst->guard == NO_SLOT && members.bank == BANK_CONSTANTS &&
           lanes_all_set((const uint32_t *)(const void *)(w->kernel->constants + members.offset));
}

/* Can it be done without the interpreter's loop? */
static bool is_plain(const struct writer *w, const struct inst *inst)
{
    if (inst->kind == KIND_MEET)
        return names_all(w, inst);
    return inst->kind == KIND_LANES && inst->run != read_special_run && inst->run != sleep_run;
}

static void find_translated(struct writer *w)
{
    for (uint32_t pc = w->image->start; pc < w->image->end; pc++)
        w->translated[pc] = w->hot[pc] && (is_plain(w, &w->kernel->code[pc]) ||
                                           w->kernel->code[pc].kind == KIND_BRANCH);
}

static bool is_translated(const struct writer *w, uint32_t pc)
{
    return w->translated[pc];
}

/* --- operands ---------------------------------------------------------------------------------------------- */

#define OPERAND_SIZE 48

static const char *operand(struct slot slot, char text[OPERAND_SIZE])
{
    if (slot.bank == BANK_REGISTERS)
        snprintf(text, OPERAND_SIZE, "r%u", slot.offset);
    else if (slot.bank == BANK_CONSTANTS)
        snprintf(text, OPERAND_SIZE, "k%u", slot.offset);
    else
        snprintf(text, OPERAND_SIZE, "warp->bank[%u] + %u", slot.bank, slot.offset);
    return text;
}

static const char *predicate(const struct writer *w, struct slot slot, char text[OPERAND_SIZE])
{
    const char *sign = slot.negated ? "~" : "";
    if (slot.bank == BANK_REGISTERS)
        snprintf(text, OPERAND_SIZE, "%sp%u", sign, slot.offset);
    else if (slot.bank == BANK_CONSTANTS)
        snprintf(text, OPERAND_SIZE, "%s%uu", sign,
                 *(const uint32_t *)(const void *)(w->kernel->constants + slot.offset));
    else
        snprintf(text, OPERAND_SIZE, "%s*(u32 *)(warp->bank[%u] + %u)", sign, slot.bank,
                 slot.offset);
    return text;
}

struct constants {
    struct writer *w;
    bool *seen; /* by place */
};

static void write_constant(const struct constants *c, struct slot slot)
{
    const uint8_t *at = c->w->kernel->constants + slot.offset;
    if (slot.offset == NO_SLOT || slot.bank != BANK_CONSTANTS || !slot.bytes ||
        c->seen[slot.offset / sizeof(uint32_t)])
        return;
    c->seen[slot.offset / sizeof(uint32_t)] = true;
    fprintf(c->w->out, "static const _Alignas(64) u%u k%u[32] = {", 8u * slot.bytes, slot.offset);
    for (unsigned l = 0; l < WARP; l++) {
        uint64_t value = 0;
        memcpy(&value, at + (size_t)l * slot.bytes, slot.bytes);
        fprintf(c->w->out, "%lluu%s,", (unsigned long long)value, slot.bytes == 8 ? "ll" : "");
    }
    fprintf(c->w->out, "};\n");
}

/* --- instructions in words of their own -------------------------------------------------------------------- */

#define MASK(inst) ((inst)->guard == NO_SLOT ? "lanes" : "mask")

static bool can_hold(struct slot slot)
{
    return slot.bytes == 2 || slot.bytes == 4 || slot.bytes == 8;
}

static bool write_row(struct writer *w, const struct inst *inst)
{
    char text[OPERAND_SIZE];
    const struct alu_row *row = alu_row_of(inst->run);
    if (!row || !row->is_plain)
        return false;
    fprintf(w->out, "row_%s(%s, %s", row->name, MASK(inst), operand(inst->dst, text));
    for (unsigned i = 0; i < row->sources; i++)
        fprintf(w->out, ", %s", operand(inst->src[i], text));
    fprintf(w->out, ");\n");
    return true;
}

/* p gets BITS in the lanes of the mask. */
static void write_bits(struct writer *w, const struct inst *inst, struct slot p, const char *bits)
{
    if (p.offset != NO_SLOT)
        fprintf(w->out, "set_bits(%s, &p%u, %s); ", MASK(inst), p.offset, bits);
}

static bool write_setp(struct writer *w, const struct inst *inst)
{
    char a[OPERAND_SIZE], b[OPERAND_SIZE], p[OPERAND_SIZE];
    const char *name = inst->run == setp_run ? compare_name(inst->set.compare) : NULL;
    if (!name || inst->set.half || inst->mode != MODE_DEFAULT)
        return false;
    fprintf(w->out, "{ u32 bits = compare_%s(%s, %s), other = ~bits; ", name,
            operand(inst->src[0], a), operand(inst->src[1], b));
    if (inst->set.combine)
        fprintf(w->out, "u32 third = %s; bits %c= third; other %c= third; ",
                predicate(w, inst->src[2], p), inst->set.combine, inst->set.combine);
    write_bits(w, inst, inst->dst, "bits");
    write_bits(w, inst, inst->set.second, "other");
    fprintf(w->out, "(void)other; }\n");
    return true;
}

static bool write_select(struct writer *w, const struct inst *inst)
{
    char d[OPERAND_SIZE], a[OPERAND_SIZE], b[OPERAND_SIZE], p[OPERAND_SIZE];
    if (!can_hold(inst->dst) || inst->run != select_find(inst->dst.bytes))
        return false;
    fprintf(w->out, "select_u%u(%s, %s, %s, %s, %s);\n", 8u * inst->dst.bytes, MASK(inst),
            operand(inst->dst, d), operand(inst->src[0], a), operand(inst->src[1], b),
            predicate(w, inst->src[2], p));
    return true;
}

static bool write_logic(struct writer *w, const struct inst *inst, uint16_t opcode)
{
    char a[OPERAND_SIZE], b[OPERAND_SIZE] = "", bits[2 * OPERAND_SIZE + 8];
    if (inst->dst.bytes || inst->run != predicate_find((enum ptx_opcode)opcode))
        return false;
    predicate(w, inst->src[0], a);
    if (opcode == PTX_OP_and || opcode == PTX_OP_or || opcode == PTX_OP_xor)
        snprintf(bits, sizeof bits, "(%s %c %s)", a,
                 opcode == PTX_OP_and  ? '&'
                 : opcode == PTX_OP_or ? '|'
                                       : '^',
                 predicate(w, inst->src[1], b));
    else
        snprintf(bits, sizeof bits, "%s%s", opcode == PTX_OP_not ? "~" : "", a);
    write_bits(w, inst, inst->dst, bits);
    fprintf(w->out, "\n");
    return true;
}

static bool write_conversion(struct writer *w, const struct inst *inst)
{
    char d[OPERAND_SIZE], a[OPERAND_SIZE];
    const char *name = inst->run == cvt_run ? cvt_plain_name(inst) : NULL;
    if (!name)
        return false;
    fprintf(w->out, "convert_%s(%s, %s, %s);\n", name, MASK(inst), operand(inst->dst, d),
            operand(inst->src[0], a));
    return true;
}

/* What of the loads and stores the text knows: all but what others may look at meanwhile. */
static bool is_access(const struct inst *inst)
{
    const bool is_load = inst->run == load_run;
    if ((!is_load && inst->run != store_run) || inst->observes || inst->mem.moves == MOVES_WHOLE)
        return false;
    for (unsigned k = 0; k < inst->mem.count; k++)
        if (inst->mem.vector[k].offset != NO_SLOT && !can_hold(inst->mem.vector[k]))
            return false;
    switch (inst->mem.space) {
    case PTX_GLOBAL:
    case PTX_SHARED:
    case PTX_GENERIC:
    case PTX_LOCAL:
        return true;
    default:
        return is_load && inst->mem.space == PTX_CONST;
    }
}

/* The types of element K in memory and in its register. */
static const char *types(const struct inst *inst, unsigned k, char text[OPERAND_SIZE])
{
    unsigned bytes = inst->mem.bytes, width = inst->mem.vector[k].bytes;
    bool is_signed = inst->run == load_run && bytes < width && is_signed_load(inst);
    snprintf(text, OPERAND_SIZE, "%c%u_u%u", is_signed ? 's' : 'u', 8 * bytes, 8 * width);
    return text;
}

/* A load or store that is as it was the time before; behind it, an instruction that is called otherwise. In ROWS, or not. */
static void begin_again(struct writer *w, const struct inst *inst, uint32_t pc, bool rows)
{
    char base[OPERAND_SIZE], value[OPERAND_SIZE], type[OPERAND_SIZE];
    fprintf(w->out, "if (!%s_%s_%s(warp, %s, &patterns[%u], %s, %s, %u, %lldull, %d",
            inst->run == load_run ? "load" : "store", rows ? "rows" : "again", types(inst, 0, type),
            MASK(inst), pc, operand(inst->mem.vector[0], value), operand(inst->mem.base, base),
            inst->mem.base.bytes, (long long)inst->mem.offset, inst->mem.space == PTX_GENERIC);
    if (rows)
        fprintf(w->out, ", %u",
                w->worker->patterns[pc].shape == PATTERN_DENSE_ROWS ? inst->mem.bytes : 0);
    fprintf(w->out, ")) ");
}

/* The same for one that may lie anywhere. */
static void begin_apart(struct writer *w, const struct inst *inst, uint32_t pc)
{
    char base[OPERAND_SIZE], value[OPERAND_SIZE], type[OPERAND_SIZE];
    bool is_load = inst->run == load_run;
    fprintf(w->out,
            "if ((start = find_apart(warp, %d, &patterns[%u], %s, %u, %lldull, %d, %s, at))) { ",
            is_load, pc, operand(inst->mem.base, base), inst->mem.base.bytes,
            (long long)inst->mem.offset, inst->mem.space == PTX_GENERIC, MASK(inst));
    for (unsigned k = 0; k < inst->mem.count; k++) {
        if (inst->mem.vector[k].offset == NO_SLOT) /* _ */
            continue;
        fprintf(w->out, "%s_apart_%s(%s, %s, start + %u, at", is_load ? "load" : "store",
                types(inst, k, type), MASK(inst), operand(inst->mem.vector[k], value),
                k * inst->mem.bytes);
        if (!is_load)
            fprintf(w->out, ", turn_of(%u)", inst->mem.bytes * inst->mem.count);
        fprintf(w->out, "); ");
    }
    fprintf(w->out, "} else ");
}

/* Which of them are worth a try is told by how it went so far; how it goes for part of a warp tells nothing of whole ones. */
static void begin_access(struct writer *w, const struct inst *inst, uint32_t pc)
{
    if (!is_access(inst))
        return;
    const struct pattern *pattern = &w->worker->patterns[pc];
    bool is_watched = w->worker->listeners[inst->run != load_run];
    bool is_plain =
        inst->mem.count == 1 && inst->mem.vector[0].offset != NO_SLOT && !pattern->stride;
    bool is_apart = pattern->ready && (pattern->shape > PATTERN_SAME || pattern->stride);
    bool is_partial = pattern->mask != UINT32_MAX;
    bool in_rows = is_apart && (pattern->shape == PATTERN_DENSE_ROWS ||
                                (pattern->shape == PATTERN_SAME_ROWS && inst->run == load_run));
    if (is_plain && (in_rows || !is_apart || is_watched || is_partial))
        begin_again(w, inst, pc, in_rows);
    if (is_apart && !is_watched)
        begin_apart(w, inst, pc);
}

/* --- the rest -------------------------------------------------------------------------------------------- */

/* What the interpreter would do. */
static void write_call(struct writer *w, uint32_t pc)
{
    const struct ptx_instruction *in = source_of(w, pc);
    const struct inst *inst = &w->kernel->code[pc];
    fprintf(w->out, "{ ");
    operands_read(in, show, w);
    if (inst->guard == NO_SLOT)
        fprintf(w->out, "if (lanes != ALL_LANES) { ");
    operands_written(in, show, w); /* lanes that do not take part keep theirs */
    if (inst->guard == NO_SLOT)
        fprintf(w->out, "} ");
    fprintf(w->out, "warp->pc = %u; code[%u].run(warp, &code[%u], %s); ", pc, pc, pc, MASK(inst));
    operands_written(in, fetch, w);
    fprintf(w->out, "}\n");
}

static void write_plain(struct writer *w, uint32_t pc)
{
    const struct inst *inst = &w->kernel->code[pc];
    if (inst->run == idle_run)
        return;
    fprintf(w->out, "    ");
    if (inst->guard != NO_SLOT)
        fprintf(w->out, "{ u32 mask = %sp%u & lanes; if (mask) ", inst->guard_negated ? "~" : "",
                inst->guard);
    fprintf(w->out, "{ ");
    begin_access(w, inst, pc);
    if (!(write_row(w, inst) || write_setp(w, inst) || write_select(w, inst) ||
          write_logic(w, inst, source_of(w, pc)->opcode) || write_conversion(w, inst)))
        write_call(w, pc);
    fprintf(w->out, "%s}\n", inst->guard != NO_SLOT ? "    }" : "");
}

static void write_jump(struct writer *w, uint32_t pc)
{
    bool goes_on = is_translated(w, pc);
    w->exits[pc - w->image->start] |= !goes_on;
    fprintf(w->out, "goto %c%u;", goes_on ? 'L' : 'X', pc);
}

/* Where lanes that went another way are waited for. */
static const char *may_end(struct writer *w, uint32_t pc)
{
    snprintf(w->end, sizeof w->end, " || meet == %u", pc);
    return w->meets[pc] ? w->end : "";
}

static void write_branch(struct writer *w, uint32_t pc)
{
    const struct inst *inst = &w->kernel->code[pc];
    w->exits[pc - w->image->start] = true;
    fprintf(w->out, "L%u: if (UNLIKELY(left <= 0 || is_stopping(stopping)%s)) goto X%u;\n", pc,
            may_end(w, pc), pc);
    if (inst->guard != NO_SLOT)
        fprintf(
            w->out,
            "    { u32 taken = %sp%u & lanes; if (UNLIKELY(taken && taken != lanes)) goto X%u;\n",
            inst->guard_negated ? "~" : "", inst->guard, pc); /* they part */
    fprintf(w->out, "    ENTER(%u, 1, 1)\n    ", pc);
    if (inst->guard != NO_SLOT) {
        fprintf(w->out, "if (taken) ");
        write_jump(w, inst->branch.target);
        fprintf(w->out, "\n    ");
        write_jump(w, pc + 1);
        fprintf(w->out, " }");
    } else {
        write_jump(w, inst->branch.target);
    }
    fprintf(w->out, "\n");
}

/* From PC on as far as instructions go that lanes come through together, or to the next place that something jumps to:
 * a loop has one beginning then, for which compilers know more. Returns where that ends. */
static uint32_t write_unit(struct writer *w, uint32_t pc)
{
    const struct inst *inst = &w->kernel->code[pc];
    uint32_t stretch = inst->stretch ? inst->stretch : 1, end = pc + 1;
    while (end < pc + stretch && !w->leads[end])
        end++;
    unsigned cost = inst->observes ? OBSERVE_COST : end - pc;
    w->exits[pc - w->image->start] = true;
    fprintf(w->out, "L%u: if (UNLIKELY(left < %u%s%s)) goto X%u;\n    ENTER(%u, %u, %u)\n", pc,
            end - pc, inst->kind == KIND_MEET ? " || lanes != ALL_LANES" : "", may_end(w, pc), pc,
            pc, end - pc, cost);
    for (uint32_t at = pc; at < end; at++)
        write_plain(w, at);
    if (end < pc + stretch) /* the rest of the stretch is counted there */
        fprintf(w->out, "    LEAVE(%u)\n", end);
    fprintf(w->out, "    ");
    write_jump(w, end);
    fprintf(w->out, "\n");
    return end;
}

/* The beginning of stretches and all that can be come to by a jump. */
static void find_leads(struct writer *w)
{
    const struct inst *code = w->kernel->code;
    for (uint32_t pc = w->image->start; pc < w->image->end; pc++) {
        bool before = pc > w->image->start && is_translated(w, pc - 1);
        bool is_back = code[pc].kind == KIND_BRANCH && code[pc].branch.target <= pc;
        if (!code[pc].stretch || !code[pc].follows || !before)
            w->leads[pc] = true;
        if (code[pc].kind == KIND_BRANCH && code[pc].branch.target <= w->image->end)
            w->leads[code[pc].branch.target] = true;
        w->enters[pc] |= is_translated(w, pc) && !before;
        if (is_back && is_translated(w, code[pc].branch.target))
            w->enters[code[pc].branch.target] = true;
        bool is_fork = (code[pc].kind == KIND_BRANCH || code[pc].kind == KIND_RETURN) &&
                       code[pc].branch.meet < w->image->end;
        if (is_fork)
            w->meets[code[pc].branch.meet] = w->leads[code[pc].branch.meet] = true;
        if (is_fork && code[pc].guard != NO_SLOT && is_translated(w, code[pc].branch.meet))
            w->enters[code[pc].branch.meet] = true;
    }
}

static void write_entries(struct writer *w)
{
    fprintf(w->out, "    switch (pc) {\n");
    for (uint32_t pc = w->image->start; pc < w->image->end; pc++) {
        if (!w->enters[pc])
            continue;
        fprintf(w->out, "    case %u: ", pc);
        crossing_in(&w->crossing, pc, fetch, w);
        fprintf(w->out, "goto L%u;\n", pc);
    }
    fprintf(w->out, "    default: return pc;\n    }\n");
}

static void write_exits(struct writer *w)
{
    for (uint32_t pc = w->image->start; pc <= w->image->end; pc++) {
        if (!w->exits[pc - w->image->start])
            continue;
        fprintf(w->out, "X%u: ", pc);
        crossing_out(&w->crossing, pc, show, w);
        fprintf(w->out, "pc = %u; goto out;\n", pc);
    }
}

/* --- the text ---------------------------------------------------------------------------------------------- */

/* Compilers think that what stands behind many branches is seldom come to, and make short code of it: no vectors. */
static const char preamble[] =
    "#define ALL_LANES 0xffffffffu\n"
    "#define UNLIKELY(condition) __builtin_expect(condition, 0)\n"
    "#define HOT __attribute__((hot)) static uint32_t\n"
    "#define LANES_FUNCTION static inline __attribute__((always_inline)) uint32_t\n"
    "#define ENTER(pc, count, cost) profile[pc].warps++; profile[pc].threads += threads; done += count; left -= cost;\n"
    "#define LEAVE(pc) profile[pc].warps--; profile[pc].threads -= threads;\n";

static const char beginning[] =
    "(struct warp *warp, uint32_t pc, int64_t *slice, u32 lanes, u32 meet)\n{\n"
    "    const unsigned threads = (unsigned)__builtin_popcount(lanes);\n"
    "    uint8_t *const frame = warp->bank[BANK_REGISTERS];\n"
    "    struct profile *const profile = warp->cta->worker->profile;\n"
    "    struct pattern *const patterns = warp->cta->worker->patterns;\n"
    "    const struct inst *const code = warp->cta->launch->kernel->code;\n"
    "    const atomic_bool *const stopping = &warp->cta->launch->stopping;\n"
    "    _Alignas(64) u64 at[32];\n"
    "    uint8_t *start;\n"
    "    int64_t left = *slice;\n"
    "    uint64_t done = 0;\n"
    "    (void)patterns, (void)code, (void)at, (void)start;\n";

static const char end[] =
    "out:\n    *slice = left;\n    warp->executed += done;\n    return pc;\n}\n\n";

static void note_registers(struct writer *w)
{
    for (uint32_t pc = w->image->start; pc < w->image->end; pc++) {
        if (!is_translated(w, pc))
            continue;
        operands_read(source_of(w, pc), note_known, w);
        operands_written(source_of(w, pc), note_written, w);
    }
}

static void write_constants(struct writer *w)
{
    struct constants c = {w,
                          calloc(w->kernel->constant_room / sizeof(uint32_t) + 1, sizeof *c.seen)};
    for (uint32_t pc = 0; pc < w->kernel->code_count && c.seen; pc++) {
        const struct inst *inst = &w->kernel->code[pc];
        if (!w->hot[pc] || inst->kind != KIND_LANES)
            continue;
        for (unsigned i = 0; i < 4; i++)
            write_constant(&c, inst->src[i]);
        if (inst->run == load_run || inst->run == store_run) {
            write_constant(&c, inst->mem.base);
            for (unsigned k = 0; k < inst->mem.count; k++)
                write_constant(&c, inst->mem.vector[k]);
        }
    }
    free(c.seen);
}

static void write_function(struct writer *w, uint32_t number)
{
    const struct image *image = w->image;
    fprintf(w->out, "LANES_FUNCTION image_%u%s", number, beginning);
    write_declarations(w);
    write_entries(w);
    for (uint32_t pc = image->start; pc < image->end;) {
        if (!is_translated(w, pc))
            pc++;
        else if (w->kernel->code[pc].kind == KIND_BRANCH)
            write_branch(w, pc++);
        else
            pc = write_unit(w, pc);
    }
    write_exits(w);
    fputs(end, w->out);
    fprintf(w->out,
            "HOT whole_%u(struct warp *warp, uint32_t pc, int64_t *slice)\n{\n"
            "    return image_%u(warp, pc, slice, ALL_LANES, ~0u);\n}\n",
            number, number);
    if (w->parts)
        fprintf(
            w->out,
            "HOT part_%u(struct warp *warp, uint32_t pc, int64_t *slice, u32 lanes, u32 meet)\n{\n"
            "    return image_%u(warp, pc, slice, lanes, meet);\n}\n",
            number, number);
}

static bool write_image(struct writer *w, uint32_t number)
{
    const struct image *image = w->image;
    size_t places = image->register_bytes / sizeof(uint32_t) + 1;
    size_t count = image->end - image->start + 1;
    w->known = calloc(places, sizeof *w->known);
    w->exits = calloc(count, sizeof *w->exits);
    find_translated(w);
    bool ok = crossing_find(&w->crossing, w->kernel, image, w->translated) && w->known && w->exits;
    if (ok) {
        find_leads(w);
        note_registers(w);
        write_function(w, number);
    }
    free(w->known);
    free(w->exits);
    crossing_free(&w->crossing);
    return ok;
}

static bool is_hot(const struct image *image, const bool *hot)
{
    for (uint32_t pc = image->start; pc < image->end; pc++)
        if (hot[pc])
            return true;
    return false;
}

bool native_write(const struct worker *worker, const bool *hot, bool parts, bool *enters, FILE *out)
{
    const struct kernel *kernel = worker->launch->kernel;
    struct writer w = {.out = out,
                       .worker = worker,
                       .kernel = kernel,
                       .hot = hot,
                       .enters = enters,
                       .parts = parts};
    w.leads = calloc((size_t)kernel->code_count + 1, sizeof *w.leads);
    w.meets = calloc((size_t)kernel->code_count + 1, sizeof *w.meets);
    w.translated = calloc((size_t)kernel->code_count + 1, sizeof *w.translated);
    bool ok = w.leads && w.meets && w.translated;
    fputs(preamble, out);
    write_constants(&w);
    for (uint32_t i = 0; i < kernel->image_count && ok; i++) {
        w.image = &kernel->images[i];
        if (is_hot(w.image, hot))
            ok = write_image(&w, i);
    }
    fputs(
        "uint32_t native_enter(struct warp *warp, uint32_t pc, int64_t *slice, u32 lanes, u32 meet)\n{\n",
        out);
    for (uint32_t i = 0; i < kernel->image_count; i++) {
        const struct image *image = &kernel->images[i];
        if (!is_hot(image, hot))
            continue;
        fprintf(out,
                "    if (pc - %uu < %uu && lanes == ALL_LANES) return whole_%u(warp, pc, slice);\n",
                image->start, image->end - image->start, i);
        if (parts)
            fprintf(out, "    if (pc - %uu < %uu) return part_%u(warp, pc, slice, lanes, meet);\n",
                    image->start, image->end - image->start, i);
    }
    fprintf(out, "    return pc;\n}\n");
    free(w.leads);
    free(w.meets);
    free(w.translated);
    return ok && !ferror(out);
}
