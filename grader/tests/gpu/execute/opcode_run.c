/* Runs the opcode tables with one kernel per mnemonic and one thread per operand set.
 *
 * The kernel loads a, b, c, e and an old value of d from 40 bytes per thread, executes the
 * instruction and stores d. There are three versions. "plain" is as described. In "guarded" only
 * odd threads execute the instruction, and even threads must keep the old d. In "aliased" the
 * result goes to the register of a, as in optimised code. */
#include "opcode_run.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS   64u /* two warps; operand sets repeat to fill them */
#define OLD_VALUE 0x5ca1ab1e0ddba11full
#define SLOTS     5 /* words per thread: a, b, c, e, old d */

enum variant { PLAIN, GUARDED, ALIASED, VARIANTS };
static const char *const variant_names[VARIANTS] = {"plain", "guarded", "aliased"};
static const char *const operand_names[4] = {"a", "b", "c", "e"};

static unsigned bits_of(char letter)
{
    switch (letter) {
    case 'h':
        return 16;
    case 'w':
    case 'F':
        return 32;
    case 'd':
    case 'D':
        return 64;
    default:
        return 0; /* a predicate has no width */
    }
}

static size_t source_count(const struct opcode_row *row)
{
    return strlen(row->form) - 2;
}

static bool has_variant(const struct opcode_row *row, enum variant variant)
{
    return variant != ALIASED || (!row->text && row->form[0] != 'P' && source_count(row) > 0 &&
                                  bits_of(row->form[0]) == bits_of(row->form[2]));
}

/* --- the kernel --------------------------------------------------------------------------------- */

static void load(FILE *out, char letter, const char *name, size_t slot)
{
    unsigned bits = bits_of(letter);
    if (bits)
        fprintf(out, ".reg .b%u %s;\nld.global.b%u %s, [in+%zu];\n", bits, name, bits, name,
                8 * slot);
    else
        fprintf(out, ".reg .pred %s;\nld.global.b32 x, [in+%zu];\nsetp.ne.b32 %s, x, 0;\n", name,
                8 * slot, name);
}

static void print_instruction(FILE *out, const struct opcode_row *row, enum variant variant)
{
    const char *guard = variant == GUARDED ? "@odd " : "";
    for (const char *at = row->text; at && *at; at++) {
        if (*at == '@')
            fputs(guard, out);
        else
            fputc(*at, out);
    }
    if (!row->text) {
        const char *result = variant == ALIASED ? "a" : row->form[0] == 'P' ? "d|q" : "d";
        fprintf(out, "%s%s %s", guard, row->name, result);
        for (size_t i = 0; i < source_count(row); i++)
            fprintf(out, ", %s", operand_names[i]);
        fputc(';', out);
    }
    fputc('\n', out);
}

static void store(FILE *out, char letter, const char *name)
{
    unsigned bits = bits_of(letter);
    if (bits)
        fprintf(out, "st.global.b%u [out], %s;\n", bits, name);
    else
        fprintf(out, "selp.b32 x, 1, 0, %s;\n%sst.global.b32 [out], x;\n", name,
                letter == 'P' ? "@q add.u32 x, x, 2;\n" : "");
}

static void print_kernel(FILE *out, const struct opcode_row *row, enum variant variant)
{
    fprintf(out,
            ".visible .entry %s(.param .u64 inputs, .param .u64 outputs)\n{\n"
            ".reg .b64 in, out, at;\n.reg .b32 t, x;\n.reg .pred odd;\n"
            "mov.u32 t, %%tid.x;\nand.b32 x, t, 1;\nsetp.ne.b32 odd, x, 0;\n"
            "ld.param.u64 in, [inputs];\nmul.wide.u32 at, t, %u;\nadd.s64 in, in, at;\n"
            "ld.param.u64 out, [outputs];\nmul.wide.u32 at, t, 8;\nadd.s64 out, out, at;\n",
            variant_names[variant], 8 * SLOTS);
    for (size_t i = 0; i < source_count(row); i++)
        load(out, row->form[2 + i], operand_names[i], i);
    load(out, row->form[0], "d", SLOTS - 1);
    if (row->form[0] == 'P')
        load(out, 'p', "q", SLOTS - 1);
    print_instruction(out, row, variant);
    store(out, row->form[0], variant == ALIASED ? "a" : "d");
    fprintf(out, "ret;\n}\n");
}

char *opcode_ptx(const struct opcode_row *row)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert(out, "out of memory");
    for (int v = 0; v < VARIANTS; v++)
        if (has_variant(row, (enum variant)v))
            print_kernel(out, row, (enum variant)v);
    fclose(out);
    return text;
}

/* --- judging ------------------------------------------------------------------------------------ */

static double as_float(uint64_t bits, bool is_double)
{
    double wide;
    float narrow;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &bits, sizeof narrow);
    return is_double ? wide : narrow;
}

/* Returns whether two floats differ by at most ULPS units of the last place. For floats of the same
 * sign, this is the difference of their bits. */
static bool is_close(uint64_t got, uint64_t want, uint64_t ulps, unsigned bits)
{
    bool is_double = bits == 64;
    if (bits > 16 && (isnan(as_float(want, is_double)) || isnan(as_float(got, is_double))))
        return got == want;
    uint64_t top = (uint64_t)1 << (bits - 1);
    uint64_t distance = got > want ? got - want : want - got;
    return (got & top) == (want & top) && distance <= ulps;
}

bool opcode_is_right(const struct opcode_row *head, uint64_t got, uint64_t want)
{
    bool is_double = bits_of(head->form[0]) == 64;
    if (got == want)
        return true;
    if ((head->form[0] == 'F' || head->form[0] == 'D') && isnan(as_float(want, is_double)))
        return isnan(as_float(got, is_double));
    return head->ulps && is_close(got, want, head->ulps, bits_of(head->form[0]));
}

/* Returns the old value of the result, which an even thread of the guarded kernel must keep. */
static uint64_t old_value(char letter)
{
    unsigned bits = bits_of(letter);
    if (!bits)
        return letter == 'P' ? 3 : 1;
    return bits == 64 ? OLD_VALUE : OLD_VALUE & (((uint64_t)1 << bits) - 1);
}

static void judge(const struct opcode_row *head, size_t count, enum variant variant,
                  const uint64_t *outputs)
{
    unsigned wrong = 0;
    for (unsigned t = 0; t < THREADS && wrong < 4; t++) {
        const struct opcode_row *set = head + 1 + t % count;
        bool idle = variant == GUARDED && !(t & 1);
        uint64_t want = idle ? old_value(head->form[0]) : set->want;
        if (idle ? outputs[t] == want : opcode_is_right(head, outputs[t], want))
            continue;
        wrong++;
        cr_expect(false,
                  "%s (%s)%s: a=%#" PRIx64 " b=%#" PRIx64 " c=%#" PRIx64 " e=%#" PRIx64
                  ": got %#" PRIx64 ", want %#" PRIx64,
                  head->name, variant_names[variant], idle ? ", lane not active" : "", set->in[0],
                  set->in[1], set->in[2], set->in[3], outputs[t], want);
    }
}

/* --- running ------------------------------------------------------------------------------------ */

static void run_mnemonic(struct fixture *fixture, const struct opcode_row *head, size_t count)
{
    uint64_t inputs[THREADS][SLOTS], outputs[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        memcpy(inputs[t], head[1 + t % count].in, sizeof head->in);
        inputs[t][SLOTS - 1] = OLD_VALUE;
    }
    char *ptx = opcode_ptx(head);
    fixture_load(fixture, ptx);
    emu_addr in = fixture_upload(fixture, inputs, sizeof inputs);
    emu_addr out = fixture_upload(fixture, NULL, sizeof outputs);
    for (int v = 0; v < VARIANTS; v++) {
        if (!has_variant(head, (enum variant)v))
            continue;
        const char *refusal = fixture_refusal(fixture, variant_names[v]);
        cr_expect(!*refusal, "%s (%s): %s", head->name, variant_names[v], refusal);
        if (*refusal)
            continue;
        fixture_run(fixture, (struct fixture_launch){.kernel = variant_names[v],
                                                     .block = {THREADS},
                                                     .params = {in, out}});
        fixture_download(fixture, outputs, out, sizeof outputs);
        judge(head, count, (enum variant)v, outputs);
    }
    emu_free(fixture->device, in);
    emu_free(fixture->device, out);
    emu_unload(fixture->device, fixture->module);
    free(ptx);
}

void opcode_run_table(struct opcode_table table)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    for (size_t i = 0; i < table.length;) {
        size_t count = 0;
        while (i + 1 + count < table.length && !table.rows[i + 1 + count].name)
            count++;
        cr_assert(table.rows[i].name && count && count <= THREADS, "row %zu is malformed", i);
        run_mnemonic(&fixture, &table.rows[i], count);
        i += 1 + count;
    }
    fixture_close(&fixture);
}
