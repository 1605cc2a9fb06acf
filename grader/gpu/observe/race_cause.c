#include "gpu/observe/race_cause.h"

/* A load and a store can belong to one statement if the store follows within this many
 * instructions. */
#define STATEMENT_CODE 256u

void race_causes_open(struct race_causes *causes, const struct race *race)
{
    *causes = (struct race_causes){.race = race};
}

void race_causes_close(struct race_causes *causes)
{
    if (causes->is_open)
        gaps_close(&causes->gaps);
    causes->is_open = false;
}

/* Prepares the search for paths in FUNCTION, unless it is prepared already. Returns false when out
 * of memory. */
static bool open_paths(struct race_causes *causes, const struct ptx_function *function)
{
    if (causes->is_open && causes->gaps.function == function)
        return true;
    race_causes_close(causes);
    causes->is_open = gaps_open(&causes->gaps, function);
    if (!causes->is_open)
        gaps_close(&causes->gaps);
    return causes->is_open;
}

static bool is_one_line(const struct race *race, uint32_t one, uint32_t other)
{
    struct source_line a = view_line(race->launch, one), b = view_line(race->launch, other);
    return a.line && a.file == b.file && a.line == b.line;
}

uint32_t race_store_after(struct race *race, uint32_t site)
{
    struct race_site *load = &race->sites[site];
    if (load->store_known || load->kind != RACE_READ)
        return load->store;
    load->store_known = true;
    for (uint32_t i = site + 1; i < race->site_count; i++) {
        const struct race_site *store = &race->sites[i];
        if (store->pc - load->pc > STATEMENT_CODE)
            break;
        if (store->kind != RACE_WRITE || !is_one_line(race, load->pc, store->pc))
            continue;
        load->store = (uint16_t)i;
        break;
    }
    return load->store;
}

static bool is_one_place(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == b->kind && a->index == b->index && a->variable == b->variable &&
           a->value == b->value;
}

/* The two instructions of a pair. */
struct two {
    const struct race_site *one, *other;
    uint32_t from, to; /* their indices in the function's code */
};

/* Returns whether the first instruction loads a word, and the second stores a value computed from
 * it to the same address. */
static bool is_update(const struct gaps *gaps, const struct two *two)
{
    const struct ptx_instruction *load = &gaps->function->code[two->from];
    const struct ptx_instruction *store = &gaps->function->code[two->to];
    return two->one->kind == RACE_READ && two->other->kind == RACE_WRITE &&
           load->opcode == PTX_OP_ld && store->opcode == PTX_OP_st &&
           is_one_place(&load->operands[1], &store->operands[0]) &&
           gaps_find(gaps, two->from, two->to, true) & GAP_STRAIGHT &&
           (two->other->is_contended || gaps_is_made_from(gaps->function, two->from, two->to));
}

/* Returns whether the second access belongs to the next iteration of a loop that the compiler has
 * unrolled. This is assumed if its line comes before the line of the first access, and the code has
 * a copy of the second access before the first access. */
static bool is_unrolled(const struct race *race, const struct two *two)
{
    struct source_line one = view_line(race->launch, two->one->pc);
    struct source_line other = view_line(race->launch, two->other->pc);
    if (one.file != other.file || one.line <= other.line)
        return false;
    for (uint32_t i = 1; i < race->site_count && race->sites[i].pc < two->one->pc; i++)
        if (race->sites[i].kind == two->other->kind &&
            is_one_line(race, race->sites[i].pc, two->other->pc))
            return true;
    return false;
}

/* Returns the causes of a race between two accesses on one line. STRAIGHT says that there is a path
 * from the first access to the second without a backward jump. BACK describes the paths that return
 * to the first access. */
static unsigned causes_on_line(const struct race *race, const struct race_pair *pair,
                               unsigned straight, unsigned back)
{
    bool is_statement = race->sites[pair->one.site].kind == RACE_READ && straight &&
                        race->sites[pair->one.site].store == pair->other.site;
    if (is_statement && (!back || pair->is_same_round))
        return CAUSE_STATEMENT | (back ? CAUSE_ROUND : 0);
    return CAUSE_ROUND;
}

unsigned race_causes_find(struct race_causes *causes, const struct race_pair *pair)
{
    const struct race *race = causes->race;
    struct two two = {.one = &race->sites[pair->one.site], .other = &race->sites[pair->other.site]};
    const struct ptx_function *function = view_function(race->launch, two.one->pc, &two.from);
    /* after unrolling, one statement of the source has several stores */
    if (two.one->kind == RACE_WRITE && two.other->kind == RACE_WRITE &&
        (pair->one.site == pair->other.site ||
         (pair->distance != RACE_COPY && is_one_line(race, two.one->pc, two.other->pc))))
        return CAUSE_WRITES;
    if (view_function(race->launch, two.other->pc, &two.to) != function || two.from == two.to ||
        pair->distance == RACE_COPY || !open_paths(causes, function))
        return 0;
    if (is_update(&causes->gaps, &two))
        return CAUSE_UPDATE;
    bool of_warp = pair->distance < RACE_ONE_CTA;
    unsigned ahead = gaps_find(&causes->gaps, two.from, two.to, of_warp);
    unsigned back = gaps_find(&causes->gaps, two.to, two.from, of_warp);
    if (!ahead && !back)
        return 0;
    if (is_one_line(race, two.one->pc, two.other->pc))
        return causes_on_line(race, pair, ahead & GAP_STRAIGHT, back);
    if (is_unrolled(race, &two))
        return CAUSE_ROUND;
    return ((ahead | back) & GAP_STRAIGHT ? CAUSE_STRAIGHT : 0) |
           (back & GAP_ROUND || !((ahead | back) & GAP_STRAIGHT) ? CAUSE_ROUND : 0);
}
