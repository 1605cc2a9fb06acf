/* Makes multiplications in the computation of addresses faster. Nearly every address is the sum of
 * an array's address and of an index times the size of an element:
 *
 *         mul.wide.s32    %rd5, %r13, 8;       not executed by itself
 *         add.s64         %rd6, %rd3, %rd5;    %rd6 = %rd3 + %r13 * 8
 *
 * If only the sum reads the product, and directly follows it in the same stretch, the sum computes
 * both. A stretch then steps over the product. A warp that enters the stretch at the product
 * executes it in vain. A warp that leaves the stretch before the sum has not executed the product,
 * but no other instruction needs it. An observer of all registers follows each instruction, so it
 * sees the product, too.
 *
 * If the size is a constant power of two, the product becomes a shift, which is faster on a CPU. */
#include <stdlib.h>

#include "gpu/analyse/operands.h"
#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"

/* The functions for a product, and for the sum of a product and a third source. The last two do the
 * same if the second factor is a power of two. */
struct forms {
    lane_fn *product, *sum, *scaled, *scaled_sum;
};

struct finder {
    struct kernel *kernel;
    struct forms forms[2]; /* for signed and unsigned factors */
    lane_fn *long_sums[2]; /* for signed and unsigned terms of 64 bits */
    const struct image *image;
    uint8_t *uses;   /* for each register, the number of its reads and writes, at most MANY */
    bool *is_target; /* for each pc of the kernel, a branch leads there */
};

#define MANY 3u

static void count_use(void *context, uint32_t reg)
{
    uint8_t *uses = context;
    uses[reg] += uses[reg] < MANY;
}

static bool is_same(struct slot a, struct slot b)
{
    return a.bank == b.bank && a.offset == b.offset && a.bytes == b.bytes;
}

/* Returns whether the product's second factor is a constant power of two. */
static bool is_scaled(const struct kernel *kernel, const struct inst *product)
{
    struct slot factor = product->src[1];
    if (factor.bank != BANK_CONSTANTS)
        return false;
    uint32_t value = *(const uint32_t *)(const void *)(kernel->constants + factor.offset);
    return value && !(value & (value - 1)) && value <= (uint32_t)INT32_MAX;
}

/* Returns whether the instruction after the product at PC is a sum that is the only one to read the
 * product. */
static bool is_part_of_sum(const struct finder *f, uint32_t pc)
{
    const struct inst *product = &f->kernel->code[pc], *sum = product + 1;
    const struct ptx_instruction *in = &f->image->function->code[pc - f->image->start];
    return pc + 1 < f->image->end && product->stretch && sum->follows && !f->is_target[pc + 1] &&
           (sum->run == f->long_sums[0] || sum->run == f->long_sums[1]) &&
           f->uses[in->operands[0].index] == 2 &&
           (is_same(sum->src[0], product->dst) || is_same(sum->src[1], product->dst));
}

/* Makes the instructions before the one at PC step over it. */
static void step_over(struct kernel *kernel, uint32_t pc)
{
    for (uint32_t i = pc; kernel->code[i].follows && i - 1 + kernel->code[i - 1].step == pc; i--)
        kernel->code[i - 1].step = (uint16_t)(kernel->code[i - 1].step + kernel->code[pc].step);
}

static void visit(struct finder *f, uint32_t pc)
{
    struct inst *product = &f->kernel->code[pc], *sum = product + 1;
    const struct forms *forms = &f->forms[product->run == f->forms[1].product];
    if (product->run != forms->product)
        return;
    bool scaled = is_scaled(f->kernel, product);
    if (is_part_of_sum(f, pc)) {
        struct slot other = sum->src[is_same(sum->src[0], product->dst)];
        sum->run = scaled ? forms->scaled_sum : forms->sum;
        sum->src[0] = product->src[0];
        sum->src[1] = product->src[1];
        sum->src[2] = other;
        sum->source_count = 3;
        step_over(f->kernel, pc);
    }
    product->run = scaled ? forms->scaled : product->run;
}

static void visit_image(struct finder *f)
{
    const struct ptx_function *function = f->image->function;
    for (uint32_t i = 0; i < function->code_count; i++) {
        operands_read(&function->code[i], count_use, f->uses);
        operands_written(&function->code[i], count_use, f->uses);
    }
    for (uint32_t pc = f->image->start; pc < f->image->end; pc++)
        visit(f, pc);
}

/* Takes the functions from the table of alu.c. Their names cannot be used here: the name of a
 * function with LANES_CLONES need not give the address that the table has. */
static void find_functions(struct finder *f)
{
    f->forms[0] = (struct forms){alu_find("mul_wide_s32")->run, alu_find("mad_wide_s32")->run,
                                 alu_find("scaled_s32")->run, alu_find("scaled_sum_s32")->run};
    f->forms[1] = (struct forms){alu_find("mul_wide_u32")->run, alu_find("mad_wide_u32")->run,
                                 alu_find("scaled_u32")->run, alu_find("scaled_sum_u32")->run};
    f->long_sums[0] = alu_find("add_s64")->run;
    f->long_sums[1] = alu_find("add_u64")->run;
}

bool products_fuse(struct kernel *kernel)
{
    bool *is_target = calloc((size_t)kernel->code_count + 1, sizeof *is_target), ok = is_target;
    for (uint32_t pc = 0; ok && pc < kernel->code_count; pc++)
        if (kernel->code[pc].kind == KIND_BRANCH)
            is_target[kernel->code[pc].branch.target] = true;
    for (uint32_t i = 0; ok && i < kernel->image_count; i++) {
        struct finder f = {.kernel = kernel, .image = &kernel->images[i], .is_target = is_target};
        find_functions(&f);
        f.uses = calloc((size_t)f.image->function->register_count + 1, sizeof *f.uses);
        ok = f.uses;
        if (ok)
            visit_image(&f);
        free(f.uses);
    }
    free(is_target);
    return ok;
}
