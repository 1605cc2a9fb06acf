/* Tests that the explanations of wasted accesses are true. A kernel accesses memory in patterns of
 * addresses from a table. For each explanation, the test computes every number in it again, lane by
 * lane, from the addresses in the record. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

TestSuite(causes, .timeout = 600);

#define LANES    32
#define BLOCKS   16 /* all warps do the same, so that there is enough waste for a finding */
#define NONE     UINT64_MAX
#define PATTERNS 1200

/* --- patterns ------------------------------------------------------------------------------------------ */

struct pattern {
    bool shared;
    const char *verb;
    unsigned bytes;
    uint64_t offset[LANES]; /* NONE if the lane takes no part */
    unsigned stride,
        width; /* for generated rows: the step in elements, and the lanes per row; otherwise 0 */
    char made[120];
};

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % limit;
}

static void make_stride(struct pattern *p, uint64_t *seed)
{
    unsigned first = below(seed, 33);
    p->stride = 1 + below(seed, 33);
    bool back = below(seed, 4) == 0;
    for (unsigned l = 0; l < LANES; l++)
        p->offset[l] = (uint64_t)(first + (back ? LANES - 1 - l : l) * p->stride) * p->bytes;
    snprintf(p->made, sizeof p->made, "stride %u from %u", p->stride, first);
}

static void make_rows(struct pattern *p, uint64_t *seed)
{
    unsigned width = 2 + below(seed, 30), phase = below(seed, width), first = below(seed, 16);
    unsigned step = below(seed, 4), jump = below(seed, 3) ? below(seed, 40) : 0;
    for (unsigned l = 0; l < LANES; l++)
        p->offset[l] =
            (uint64_t)(first + (l + phase) % width * step + (l + phase) / width * jump) * p->bytes;
    p->width = width;
    snprintf(p->made, sizeof p->made, "rows of %u from %u, step %u, jump %u, first %u", width,
             phase, step, jump, first);
}

static void make_scattered(struct pattern *p, uint64_t *seed)
{
    unsigned room = 2 + below(seed, 60);
    for (unsigned l = 0; l < LANES; l++)
        p->offset[l] = (uint64_t)below(seed, room) * p->bytes;
    snprintf(p->made, sizeof p->made, "scattered in %u", room);
}

static void make_wrap(struct pattern *p, uint64_t *seed)
{
    unsigned round = 20 + below(seed, 100), step = 1 + below(seed, round - 1);
    unsigned first = below(seed, round);
    for (unsigned l = 0; l < LANES; l++)
        p->offset[l] = (uint64_t)((first + l * step) % round) * p->bytes;
    snprintf(p->made, sizeof p->made, "(%u + lane * %u) %% %u", first, step, round);
}

/* Makes a pattern in which neighbours exchange places, or in which every second lane accesses the
 * next word. */
static void make_turned(struct pattern *p, uint64_t *seed)
{
    unsigned first = below(seed, 20), turn = below(seed, LANES), shift = below(seed, 3);
    for (unsigned l = 0; l < LANES; l++)
        p->offset[l] = (uint64_t)(first + ((l ^ turn) >> shift)) * p->bytes;
    snprintf(p->made, sizeof p->made, "(lane ^ %u) >> %u, from %u", turn, shift, first);
}

static void mask(struct pattern *p, uint64_t *seed)
{
    static const uint32_t kinds[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0x55555555, 0x0fffffff,
                                     0xfffffff0, 0x0000ffff, 0x49249249, 0x80000001, 0};
    uint32_t active = kinds[below(seed, 10)];
    if (!active)
        active = below(seed, UINT32_MAX) | 1u << below(seed, LANES);
    for (unsigned l = 0; l < LANES; l++)
        p->offset[l] = active >> l & 1 ? p->offset[l] : NONE;
    size_t used = strlen(p->made);
    snprintf(p->made + used, sizeof p->made - used, ", %u bytes, mask 0x%08x", p->bytes, active);
}

static struct pattern make(uint64_t *seed)
{
    static void (*const makers[])(struct pattern *, uint64_t *) = {
        make_stride, make_rows, make_scattered, make_turned, make_wrap};
    static const char *const verbs[] = {"read", "write", "update"};
    struct pattern p = {.shared = below(seed, 2), .bytes = 1u << below(seed, 5)};
    p.verb = verbs[below(seed, p.shared || (p.bytes != 4 && p.bytes != 8) ? 2 : 3)];
    makers[below(seed, 5)](&p, seed);
    mask(&p, seed);
    return p;
}

/* --- the kernel
 * ------------------------------------------------------------------------------------------ */

/* Returns a kernel whose line 7 accesses, in each lane, the offset that TABLE has for the lane. */
static char *kernel_text(const struct pattern *p)
{
    static const char *const types[] = {"u8", "u16", "u32", "u64", "v4.u32"};
    static const char *const registers[] = {"h", "h", "w", "d", "{w, w1, w2, w3}"};
    unsigned size = (unsigned)__builtin_ctz(p->bytes);
    const char *space = p->shared ? "shared" : "global";
    char access[100], *ptx = NULL;
    if (*p->verb == 'r')
        snprintf(access, sizeof access, "ld.%s.%s %s, [a]", space, types[size], registers[size]);
    else if (*p->verb == 'w')
        snprintf(access, sizeof access, "st.%s.%s [a], %s", space, types[size], registers[size]);
    else
        snprintf(access, sizeof access, "red.%s.add.%s [a], %s", space, types[size],
                 registers[size]);
    cr_assert(
        asprintf(
            &ptx,
            ".visible .entry k(.param .u64 p, .param .u64 table)\n{\n"
            ".shared .align 128 .b8 m[32768];\n.reg .u64 a, b, t, d; .reg .u32 w, w1, w2, w3;\n"
            ".reg .u16 h; .reg .pred q;\nld.param.u64 t, [table]; ld.param.u64 b, [p];\n"
            "mov.u32 w, %%tid.x; mul.wide.u32 a, w, 8; add.u64 t, t, a;\n"
            ".loc 1 5 3\nld.global.u64 a, [t];\nsetp.eq.u64 q, a, -1; @q bra end;\n%s"
            "add.u64 a, a, b;\nmov.u32 w1, 0; mov.u32 w2, 0; mov.u32 w3, 0; mov.u64 d, 0; "
            "mov.u16 h, 0;\n.loc 1 7 3\n%s;\n.loc 1 8 1\nend: ret;\n}\n.file 1 \"a.cu\"\n",
            p->shared ? "mov.u64 b, m;\n" : "", access) > 0);
    return ptx;
}

static void launch(struct fixture *f, const struct pattern *p, emu_addr memory, emu_addr table)
{
    char *ptx = kernel_text(p);
    fixture_load(f, ptx);
    cr_assert(emu_write(f->device, table, p->offset, sizeof p->offset) == EMU_OK);
    fixture_run(f, (struct fixture_launch){.grid = {BLOCKS}, .params = {memory, table}});
    free(ptx);
}

/* --- true claims ----------------------------------------------------------------------------------------- */

/* The active lanes' addresses, as in the record. */
struct truth {
    const struct pattern *made;
    unsigned count, lane[LANES], distinct;
    int64_t addr[LANES], low, high;
    unsigned cost, ideal;
};

/* Returns the number of different values among the first COUNT elements of LIST, after dividing
 * each by UNIT. */
static unsigned different(const int64_t *list, unsigned count, int64_t unit)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned k = 0;
        while (list[k] / unit != list[i] / unit)
            k++;
        found += k == i;
    }
    return found;
}

/* Returns the number of different words that lanes FROM to TO access in one column of banks. */
static unsigned in_column(const struct truth *t, unsigned from, unsigned to, int64_t column,
                          int64_t width)
{
    int64_t words[LANES];
    unsigned count = 0;
    for (unsigned i = 0; i < t->count; i++)
        if (t->lane[i] >= from && t->lane[i] < to && t->addr[i] / width % (128 / width) == column)
            words[count++] = t->addr[i];
    return different(words, count, width);
}

static void measure_shared(struct truth *t)
{
    int64_t width = t->made->bytes > 4 ? t->made->bytes : 4, columns = 128 / width;
    unsigned lanes = t->made->bytes == 16 ? LANES / 2 : LANES;
    for (unsigned from = 0; from < LANES; from += lanes) {
        unsigned most = 0, all = 0;
        for (int64_t column = 0; column < columns; column++) {
            unsigned n = in_column(t, from, from + lanes, column, width);
            most = n > most ? n : most;
            all += n;
        }
        t->cost += most;
        t->ideal += (all + (unsigned)columns - 1) / (unsigned)columns;
    }
}

static struct truth find_truth(const struct pattern *p, const json_t *offsets)
{
    struct truth t = {.made = p};
    for (unsigned l = 0; l < LANES; l++) {
        const json_t *offset = json_array_get(offsets, l);
        cr_assert(json_is_null(offset) == (p->offset[l] == NONE), "%s: lane %u", p->made, l);
        if (json_is_null(offset))
            continue;
        t.lane[t.count] = l;
        t.addr[t.count++] = json_integer_value(offset);
    }
    t.low = t.high = t.addr[0];
    for (unsigned i = 0; i < t.count; i++) {
        t.low = t.addr[i] < t.low ? t.addr[i] : t.low;
        t.high = t.addr[i] > t.high ? t.addr[i] : t.high;
    }
    t.distinct = different(t.addr, t.count, 1);
    if (p->shared) {
        measure_shared(&t);
    } else {
        t.cost = different(t.addr, t.count, 32);
        t.ideal = (t.distinct * p->bytes + 31) / 32;
    }
    return t;
}

/* --- explanations: is each claim true? ----------------------------------------------------------- */

/* Returns whether every lane's address is STEP bytes above the previous lane's or, if PACKED is
 * true, above the previous active lane's. */
static bool is_stride(const struct truth *t, int64_t step, bool packed)
{
    for (unsigned i = 1; i < t->count; i++) {
        unsigned lanes = packed ? 1 : t->lane[i] - t->lane[i - 1];
        if (t->addr[i] - t->addr[i - 1] != step * (int64_t)lanes)
            return false;
    }
    return true;
}

static bool is_stride_of(const struct truth *t, unsigned elements, unsigned step, bool back)
{
    int64_t signed_step = back ? -(int64_t)step : (int64_t)step;
    bool as_made = !t->made->stride || t->count < 2 || elements == t->made->stride;
    return elements * t->made->bytes == step && as_made &&
           (is_stride(t, signed_step, false) || is_stride(t, signed_step, true));
}

/* Returns whether the lanes form rows of WIDTH lanes, with at least one whole row. */
static bool is_rows(const struct truth *t, unsigned width, int64_t step, int64_t jump)
{
    for (unsigned first = 1; first <= width; first++) {
        bool fits = first == width || first + width < t->count;
        for (unsigned i = 0; i < t->count; i++) {
            int64_t l = t->lane[i] + width - first, of = width;
            int64_t want = (l % of - (of - first)) * step + l / of * jump;
            fits &= t->lane[i] == i && t->addr[i] - t->addr[0] == want;
        }
        if (fits)
            return true;
    }
    return false;
}

static bool is_pieces(const struct truth *t, const unsigned *n, int64_t jump)
{
    bool true_so_far = n[1] == n[0] + 1 && n[2] == t->lane[t->count - 1] && n[3] == n[0] &&
                       n[4] == n[1] && t->addr[n[1]] - t->addr[n[0]] == jump;
    for (unsigned i = 1; i < t->count; i++) {
        int64_t step =
            t->addr[n[1] == t->count - 1 ? 1 : n[1] + 1] - t->addr[n[1] == t->count - 1 ? 0 : n[1]];
        true_so_far &= t->lane[i] == i && (i == n[1] || t->addr[i] - t->addr[i - 1] == step);
    }
    return true_so_far;
}

static bool is_start(const struct truth *t, unsigned bytes)
{
    return bytes && t->low % 32 == bytes;
}

/* Returns whether each active lane is at its place in a row without gaps, but missing lanes make
 * the warp need more sectors than its bytes fill. Either SOME of the 32 lanes are active, or every
 * GAPth lane is. */
static bool is_only(const struct truth *t, unsigned some, unsigned gap)
{
    unsigned bytes = t->made->bytes, all = t->lane[t->count - 1] - t->lane[0] + 1;
    bool neighbours = is_stride(t, bytes, false) || is_stride(t, -(int64_t)bytes, false);
    for (unsigned i = 1; gap && i < t->count; i++)
        neighbours &= t->lane[i] - t->lane[i - 1] == gap;
    bool to_the_ends = !gap || (t->lane[0] < gap && t->lane[t->count - 1] + gap >= LANES);
    return (gap || some == t->count) && to_the_ends && neighbours &&
           (all * bytes + 31) / 32 > (t->count * bytes + 31) / 32;
}

/* Returns whether each lane's address is STEP above the previous lane's, but returns to the
 * beginning after ROUND bytes. */
static bool is_wrap(const struct truth *t, int64_t step, int64_t round)
{
    for (unsigned i = 1; i < t->count; i++) {
        int64_t far = t->addr[i] - t->addr[i - 1];
        if (t->lane[i] != i || (far != step && far != step - round))
            return false;
    }
    return t->high - t->low + t->made->bytes <= round;
}

/* Returns whether the lanes form rows of WIDTH lanes, with this STEP and JUMP. STEP or JUMP is NONE
 * if the explanation does not name it. */
static bool is_rows_of(const struct truth *t, unsigned width, int64_t step, int64_t jump)
{
    for (unsigned first = 1; first <= width && first + 1 < t->count; first++) {
        unsigned in_row = first > 1 ? 0 : 1;
        int64_t is = t->addr[in_row + 1] - t->addr[in_row];
        int64_t then = t->addr[first] - t->addr[first - 1] + (width - 1) * is;
        if ((step == (int64_t)NONE || step == is) && (jump == (int64_t)NONE || jump == then) &&
            is_rows(t, width, is, then))
            return true;
    }
    return false;
}

static bool is_dense(const struct truth *t)
{
    return t->high - t->low + t->made->bytes == (int64_t)t->distinct * t->made->bytes;
}

/* Returns whether the lanes access neighbouring words. Gaps that cost nothing are allowed. */
static bool is_neighbours(const struct truth *t, bool back)
{
    int64_t bytes = t->made->bytes;
    return is_stride(t, back ? -bytes : bytes, false) || (!back && is_dense(t));
}

/* Returns whether TEXT, an explanation with "V" in place of the verb, is true of global memory.
 * Also returns false if this test does not know the text. */
static bool is_true_global(const struct truth *t, const char *text)
{
    unsigned n[5], bytes = t->made->bytes;
    int64_t a, b, span = t->high - t->low + bytes;
    bool back = strstr(text, "backwards");
    int end = -1;
    n[0] = n[1] = 0;
    if ((sscanf(text, "only %u of 32 lanes V their words%n", &n[0], &end) == 1 ||
         sscanf(text, "only one lane in %u Vs its word%n", &n[1], &end) == 1) &&
        end > 0)
        return is_only(t, n[0], n[1]) &&
               (sscanf(text + end, ", starting %u byte", &n[2]) != 1 || is_start(t, n[2]));
    if (sscanf(text, "lanes V neighbouring words, starting %u byte", &n[0]) == 1 ||
        sscanf(text, "lanes V neighbouring words, backwards, starting %u byte", &n[0]) == 1)
        return is_start(t, n[0]) && is_neighbours(t, back);
    if (sscanf(text, "each lane Vs %u of every %u bytes (stride %u elements", &n[0], &n[1],
               &n[2]) == 3)
        return n[0] == bytes && is_stride_of(t, n[2], n[1], back);
    if (sscanf(text, "neighbouring lanes V words %u bytes apart (stride %u elements", &n[0],
               &n[1]) == 2 ||
        sscanf(text, "active lanes V words %u bytes apart (stride %u elements", &n[0], &n[1]) == 2)
        return is_stride_of(t, n[1], n[0], back);
    if (sscanf(text,
               "each group of %u lanes Vs the same word; the next group's word is %ld bytes away",
               &n[0], &a) == 2)
        return is_rows(t, n[0], 0, a);
    if (sscanf(text,
               "lanes V words %ld bytes apart; after %u lanes the same words repeat (modulo %u)",
               &a, &n[0], &n[1]) == 3)
        return n[0] == n[1] && is_rows_of(t, n[0], a, 0);
    if (sscanf(
            text,
            "lanes V words %ld bytes apart, beginning again after %ld bytes (modulo %u elements)",
            &a, &b, &n[0]) == 3)
        return n[0] * bytes == b && is_wrap(t, a, b);
    if (sscanf(text,
               "each group of %u lanes Vs neighbouring words; the next group is %ld bytes away",
               &n[0], &a) == 2)
        return is_rows(t, n[0], bytes, a);
    if (sscanf(text,
               "each group of %u lanes Vs words %ld bytes apart; the next group is %ld bytes away",
               &n[0], &a, &b) == 3)
        return is_rows(t, n[0], a, b);
    if (sscanf(
            text,
            "lanes 0 to %u and %u to %u V two pieces, with a jump of %ld bytes from lane %u to %u",
            &n[0], &n[1], &n[2], &a, &n[3], &n[4]) == 6)
        return is_pieces(t, n, a);
    if (sscanf(text, "each lane Vs a different word, spread over %ld bytes", &a) == 1)
        return t->distinct == t->count && a == span;
    return sscanf(text, "the lanes V %u different words, spread over %ld bytes", &n[0], &a) == 2 &&
           t->distinct == n[0] && a == span;
}

#define MORE 8 /* the list continues */

/* Reads a list such as "3, 7, 11, ..." up to SEPARATOR. Returns the number of entries, plus MORE if
 * the list continues. */
static unsigned read_list(const char **text, const char *separator, unsigned *list)
{
    unsigned count = 0;
    int used = 0;
    while (count < 3 && sscanf(*text, "%u%n", &list[count], &used) == 1) {
        *text += used + (strncmp(*text + used, ", ", 2) == 0 ? 2 : 0);
        count++;
    }
    if (strncmp(*text, "...", 3) == 0) {
        count += MORE;
        *text += 3;
    }
    size_t length = strlen(separator);
    if (strncmp(*text, separator, length) != 0)
        return 0;
    *text += length;
    return count;
}

static bool is_true_rule(const struct truth *t, const char *text)
{
    unsigned width;
    int64_t n;
    if (!*text)
        return true;
    if (sscanf(text, " (stride %ld words in groups of %u lanes)", &n, &width) == 2)
        return is_rows_of(t, width, 4 * n, (int64_t)NONE);
    if (sscanf(text, " (%u lanes per word, %ld words apart)", &width, &n) == 2)
        return is_rows_of(t, width, 0, 4 * n);
    if (sscanf(text, " (stride %ld", &n) == 1)
        return is_stride(t, strstr(text, "words") ? 4 * n : n, false);
    return sscanf(text, " (groups of %u lanes, %ld words apart)", &width, &n) == 2 &&
           is_rows_of(t, width, t->made->bytes, 4 * n);
}

static bool is_true_shared(const struct truth *t, const char *text)
{
    unsigned lanes[4], words[4], bank, count, width = t->made->bytes > 4 ? t->made->bytes : 4;
    int used = 0;
    if (strncmp(text, "lanes ", 6) != 0)
        return false;
    text += 6;
    count = read_list(&text, " V words ", lanes);
    if (count < 2 || read_list(&text, ": all in bank ", words) != count ||
        sscanf(text, "%u%n", &bank, &used) != 1)
        return false;
    bool more = count & MORE;
    count &= MORE - 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned k = 0;
        while (k < t->count && t->lane[k] != lanes[i])
            k++;
        if (k == t->count || t->addr[k] / width * width / 4 != words[i] || words[i] % 32 != bank ||
            (i && words[i] == words[i - 1]))
            return false;
    }
    unsigned from = t->made->bytes == 16 && lanes[0] >= LANES / 2 ? LANES / 2 : 0;
    unsigned to = t->made->bytes == 16 ? from + LANES / 2 : LANES;
    unsigned all = in_column(t, from, to, bank * 4 / width, width);
    bool is_fullest = t->made->bytes == 16 ? all * 2 >= t->cost : all == t->cost;
    return (more ? all > count : all == count) && is_fullest && is_true_rule(t, text + used);
}

/* --- findings -------------------------------------------------------------------------------------------------- */

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static char *with_v(const char *cause, const char *verb)
{
    const char *at = strstr(cause, verb);
    char *text = NULL;
    cr_assert(at, "no \"%s\" in: %s", verb, cause);
    cr_assert(asprintf(&text, "%.*sV%s", (int)(at - cause), cause, at + strlen(verb)) > 0);
    return text;
}

static void check_finding(const struct truth *t, const json_t *finding)
{
    const char *cause = json_string_value(json_object_get(finding, "cause"));
    char *text = with_v(cause, t->made->verb);
    cr_expect(t->made->shared ? is_true_shared(t, text) : is_true_global(t, text),
              "%s: not true: %s", t->made->made, cause);
    cr_expect_leq(strlen(cause), (size_t)92, "too long: %s", cause);
    cr_expect(number(finding, "worst_cost") == t->cost &&
                  number(finding, "worst_ideal") == t->ideal &&
                  number(finding, "cost") == BLOCKS * t->cost &&
                  number(finding, "ideal") == BLOCKS * t->ideal,
              "%s: %u of %u are told as %lld of %lld", t->made->made, t->cost, t->ideal,
              (long long)number(finding, "worst_cost"), (long long)number(finding, "worst_ideal"));
    free(text);
}

/* Returns whether line 7 had a finding. */
static bool check(const struct pattern *p, const json_t *line)
{
    size_t i;
    json_t *access, *offsets = NULL, *finding;
    bool found = false;
    json_array_foreach(json_object_get(line, "accesses"), i, access) offsets =
        json_object_get(access, "offsets");
    cr_assert(offsets, "%s: nothing is recorded", p->made);
    struct truth t = find_truth(p, offsets);
    json_array_foreach(json_object_get(line, "findings"), i, finding)
    {
        if (number(finding, "line") != 7)
            continue;
        found = true;
        check_finding(&t, finding);
    }
    cr_expect(!found || t.cost > t.ideal, "%s: nothing is lost", p->made);
    /* scattered atomics are normal in histograms */
    cr_expect(found || 2 * t.cost < 3 * t.ideal || *p->verb == 'u', "%s: %u of %u are not told",
              p->made, t.cost, t.ideal);
    return found;
}

Test(causes, are_what_the_addresses_say)
{
    static const struct emu_trace line_7 = {"a.cu", 7, EMU_ANY, EMU_ANY, EMU_ANY};
    static struct pattern patterns[PATTERNS];
    struct emu_options options = {.deterministic = true, .trace = &line_7};
    struct fixture f;
    uint64_t seed = 20261121;
    unsigned found = 0;
    fixture_open(&f, &options);
    emu_addr memory = fixture_upload(&f, NULL, 65536), table = fixture_upload(&f, NULL, 256);
    for (unsigned i = 0; i < PATTERNS; i++) {
        patterns[i] = make(&seed);
        launch(&f, &patterns[i], memory, table);
    }
    char *text = fixture_record_text(&f), *rest = text;
    for (unsigned i = 0; i < PATTERNS; i++) {
        json_t *line = json_loads(strsep(&rest, "\n"), 0, NULL);
        found += check(&patterns[i], line);
        json_decref(line);
    }
    cr_expect_gt(found, PATTERNS / 3);
    free(text);
    fixture_close(&f);
}
