/* Tests descriptions of a warp's addresses as a shape. The described addresses must be the real
 * ones. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gpu/observe/shape.h"

/* The address of lane l is base + l % width * step + l / width * jump, for the lanes in MASK. */
struct row {
    const char *name;
    unsigned bytes, base, width;
    int step, jump;
    uint32_t mask; /* 0 stands for all lanes */
    const char *want;
};

static struct shape_access make(const struct row *row)
{
    struct shape_access access = {.mask = row->mask ? row->mask : UINT32_MAX, .bytes = row->bytes};
    for (int l = 0; l < 32; l++)
        access.addr[l] =
            (uint64_t)(int64_t)((1 << 20) + (int)row->base + l % (int)row->width * row->step +
                                l / (int)row->width * row->jump);
    return access;
}

static void expect_text(const struct row *row, const char *got)
{
    cr_expect_str_eq(got, row->want, "%s: \"%s\"", row->name, got);
    cr_expect_leq(strlen(got), (size_t)92, "%s: too long: %s", row->name, got);
}

Test(shape, global_accesses)
{
    static const struct row rows[] = {
        {"neighbours, shifted", 4, 4, 32, 4, 0, 0,
         "lanes read neighbouring words, starting 4 bytes into a sector"},
        {"backwards, shifted", 4, 12, 32, -4, 0, 0,
         "lanes read neighbouring words, backwards, starting 16 bytes into a sector"},
        {"structure of 8", 4, 0, 32, 8, 0, 0,
         "each lane reads 4 of every 8 bytes (stride 2 elements)"},
        {"structure of 12", 4, 4, 32, 12, 0, 0,
         "each lane reads 4 of every 12 bytes (stride 3 elements)"},
        {"structure of 16", 4, 0, 32, 16, 0, 0,
         "each lane reads 4 of every 16 bytes (stride 4 elements)"},
        {"structure of 20", 4, 8, 32, 20, 0, 0,
         "each lane reads 4 of every 20 bytes (stride 5 elements)"},
        {"structure of 24, a double", 8, 0, 32, 24, 0, 0,
         "each lane reads 8 of every 24 bytes (stride 3 elements)"},
        {"structure of 32, a byte", 1, 0, 32, 32, 0, 0,
         "each lane reads 1 of every 32 bytes (stride 32 elements)"},
        {"a chunk a thread", 4, 0, 32, 256, 0, 0,
         "neighbouring lanes read words 256 bytes apart (stride 64 elements)"},
        {"every second lane", 4, 0, 32, 4, 0, 0x55555555, "only one lane in 2 reads its word"},
        {"one lane in four", 4, 0, 32, 4, 0, 0x88888888, "only one lane in 4 reads its word"},
        {"some lanes", 4, 0, 32, 4, 0, 0x80000111, "only 4 of 32 lanes read their words"},
        {"a byte too far", 1, 1, 32, 1, 0, 0,
         "lanes read neighbouring words, starting 1 byte into a sector"},
        {"stride in every second lane", 4, 0, 32, 16, 0, 0x55555555,
         "each lane reads 4 of every 16 bytes (stride 4 elements)"},
        {"tile of 16", 4, 0, 16, 4, 4000, 0,
         "each group of 16 lanes reads neighbouring words; the next group is 4000 bytes away"},
        {"tile of 8", 4, 0, 8, 4, 4000, 0,
         "each group of 8 lanes reads neighbouring words; the next group is 4000 bytes away"},
        {"rows of 20", 4, 0, 20, 4, 4000, 0,
         "each group of 20 lanes reads neighbouring words; the next group is 4000 bytes away"},
        {"columns of a tile", 4, 0, 16, 4000, 4, 0,
         "each group of 16 lanes reads words 4000 bytes apart; the next group is 4 bytes away"},
        {"a word for four", 4, 0, 4, 0, 64, 0,
         "each group of 4 lanes reads the same word; the next group's word is 64 bytes away"},
        {"a word for two", 4, 0, 2, 0, 64, 0,
         "each group of 2 lanes reads the same word; the next group's word is 64 bytes away"},
        {"modulo 8", 8, 0, 8, 64, 0, 0,
         "lanes read words 64 bytes apart; after 8 lanes the same words repeat (modulo 8)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        struct shape_access access = make(&rows[i]);
        shape_describe_global(text, sizeof text, &access, "read");
        expect_text(&rows[i], text);
    }
}

Test(shape, every_stride_is_told_by_its_number)
{
    for (int stride = 2; stride <= 33; stride++) {
        struct row row = {"", 4, 0, 32, 4 * stride, 0, 0, ""};
        struct shape_access access = make(&row);
        char text[400], want[40];
        snprintf(want, sizeof want, "(stride %d elements)", stride);
        shape_describe_global(text, sizeof text, &access, "read");
        cr_expect(strstr(text, want), "stride %d: %s", stride, text);
    }
}

Test(shape, a_row_may_begin_in_the_warp_before)
{
    for (unsigned phase = 1; phase < 12; phase++) {
        struct shape_access access = {.mask = UINT32_MAX, .bytes = 4};
        for (unsigned l = 0; l < 32; l++)
            access.addr[l] = 4096 + (l + phase) % 12 * 4 + (l + phase) / 12 * 1000;
        struct shape shape = shape_find(&access);
        cr_expect(shape.kind == SHAPE_ROWS && shape.width == 12 && shape.step == 4 &&
                      shape.jump == 1000,
                  "phase %u: kind %d, width %u, step %ld, jump %ld", phase, shape.kind, shape.width,
                  (long)shape.step, (long)shape.jump);
    }
}

Test(shape, a_stride_may_go_round)
{
    struct shape_access access = {.mask = UINT32_MAX, .bytes = 4};
    char text[400];
    for (unsigned l = 0; l < 32; l++)
        access.addr[l] = 4096 + (l * 13 + 3) % 100 * 4;
    shape_describe_global(text, sizeof text, &access, "read");
    cr_expect_str_eq(
        text,
        "lanes read words 52 bytes apart, beginning again after 400 bytes (modulo 100 elements)");
}

Test(shape, without_a_rule)
{
    struct shape_access access = {.mask = UINT32_MAX, .bytes = 4};
    char text[400];
    for (unsigned l = 0; l < 32; l++)
        access.addr[l] = 4096 + (l ^ 5) * 4;
    shape_describe_global(text, sizeof text, &access, "write");
    cr_expect_str_eq(text, "lanes write neighbouring words, but out of order");
    for (unsigned l = 0; l < 32; l++)
        access.addr[l] = 4096 + l * l * l * 4 % 9973;
    access.addr[0] = 4096 + 9973 + 3;
    shape_describe_global(text, sizeof text, &access, "read");
    cr_expect_eq(strncmp(text, "each lane reads a different word, spread over ", 46), 0, "%s",
                 text);
}

Test(shape, shared_accesses)
{
    static const struct row rows[] = {
        {"stride 2", 4, 0, 32, 8, 0, 0,
         "lanes 0, 16 read words 0, 32: all in bank 0 (stride 2 words)"},
        {"stride 8", 4, 0, 32, 32, 0, 0,
         "lanes 0, 4, 8, ... read words 0, 32, 64, ...: all in bank 0 (stride 8 words)"},
        {"stride 32", 4, 8, 32, 128, 0, 0,
         "lanes 0, 1, 2, ... read words 2, 34, 66, ...: all in bank 2 (stride 32 words)"},
        {"doubles, stride 2", 8, 0, 32, 16, 0, 0,
         "lanes 0, 8, 16, ... read words 0, 32, 64, ...: all in bank 0 (stride 4 words)"},
        {"columns of a tile of 16", 4, 0, 16, 64, 4, 0,
         "lanes 0, 2, ... read words 0, 32, ...: all in bank 0 (stride 16 words in groups of 16 "
         "lanes)"},
        {"a word for four", 4, 0, 4, 0, 128, 0,
         "lanes 0, 4, ... read words 0, 32, ...: all in bank 0 (4 lanes per word, 32 words apart)"},
        {"rows of 16, as long as the banks", 4, 0, 16, 4, 128, 0,
         "lanes 0, 16 read words 0, 32: all in bank 0 (groups of 16 lanes, 32 words apart)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        struct shape_access access = make(&rows[i]);
        for (unsigned l = 0; l < 32; l++)
            access.addr[l] -= 1 << 20;
        shape_describe_shared(text, sizeof text, &access, "read");
        expect_text(&rows[i], text);
    }
}
