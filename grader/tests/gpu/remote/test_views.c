/* Tests the two views of an input, the shown one and the judged one. When a program sends numbers
 * of the shown input, they must be replaced by the judged ones, in whatever parts the program sends
 * them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gpu/remote/twin.h"
#include "gpu/remote/views.h"
#include "record/case.h"
#include "tests/support/shell.h"

TestSuite(views, .init = shell_init, .fini = shell_fini);

#define COUNT 1000

/* Two inputs of COUNT ints. Some shown ints begin with a zero byte, which looks like a gap. */
static int shown[COUNT], judged[COUNT];
static struct views views;

static void write_input(const char *path, const int *numbers)
{
    struct case_data *input = case_new();
    cr_assert(case_add(input, "data", CASE_INT, numbers, COUNT) && case_write(input, path));
    case_free(input);
}

static void open_views(void)
{
    char paths[2][600];
    for (int i = 0; i < COUNT; i++) {
        shown[i] = (1 << 20) + i * i;
        judged[i] = -i;
    }
    snprintf(paths[0], sizeof paths[0], "%s/shown", shell_folder());
    snprintf(paths[1], sizeof paths[1], "%s/judged", shell_folder());
    write_input(paths[0], shown);
    write_input(paths[1], judged);
    cr_assert(views_open(&views, paths[0], paths[1]));
    snprintf(paths[1], sizeof paths[1], "%s/nowhere", shell_folder());
    struct views none;
    cr_expect(!views_open(&none, paths[0], paths[1]));
    views_close(&none);
}

/* Sends COUNT numbers from number FIRST on. Returns the number of those that were replaced by
 * judged numbers. */
static int send(int first, int count)
{
    int numbers[COUNT], swapped = 0;
    memcpy(numbers, shown + first, (size_t)count * sizeof *numbers);
    views_swap(&views, (uint8_t *)numbers, (size_t)count * sizeof *numbers);
    for (int i = 0; i < count; i++) {
        swapped += numbers[i] == judged[first + i];
        cr_expect(numbers[i] == judged[first + i] || numbers[i] == shown[first + i]);
    }
    return swapped;
}

Test(views, of_all)
{
    open_views();
    cr_expect_neq(views_missing(&views), 0);
    cr_expect_eq(send(0, COUNT), COUNT);
    cr_expect_eq(views_missing(&views), 0);
    cr_expect_eq(send(0, COUNT), COUNT, "once more");
    views_close(&views);
}

Test(views, of_pieces_in_any_order)
{
    open_views();
    for (int first = COUNT - 8; first > 0; first -= 8)
        cr_expect_eq(send(first, 8), 8, "from %d", first);
    cr_expect_neq(views_missing(&views), 0);
    cr_expect_eq(send(0, 8), 8);
    cr_expect_eq(views_missing(&views), 0);
    views_close(&views);
}

/* Opens views of an input of two arrays: the first 10 numbers, and the others. */
static void open_two_arrays(void)
{
    char paths[2][600];
    open_views();
    views_close(&views);
    for (int i = 0; i < 2; i++) {
        struct case_data *input = case_new();
        const int *numbers = i ? judged : shown;
        snprintf(paths[i], sizeof paths[i], "%s/two-%d", shell_folder(), i);
        cr_assert(case_add(input, "first", CASE_INT, numbers, 10) &&
                  case_add(input, "second", CASE_INT, numbers + 10, COUNT - 10) &&
                  case_write(input, paths[i]));
        case_free(input);
    }
    cr_assert(views_open(&views, paths[0], paths[1]));
}

Test(views, of_two_arrays_in_one_copy)
{
    int numbers[COUNT];
    open_two_arrays();
    cr_expect_eq(send(0, COUNT), COUNT, "in order");
    cr_expect_eq(views_missing(&views), 0);
    for (int i = 0; i < COUNT; i++)
        numbers[i] = shown[(i + 10) % COUNT];
    views_swap(&views, (uint8_t *)numbers, sizeof numbers);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(numbers[i], judged[(i + 10) % COUNT], "the second array first: %d", i);
    views_close(&views);
}

Test(views, of_a_small_copy_after_an_array)
{
    open_two_arrays();
    cr_expect_eq(send(0, 10), 10);
    cr_expect_eq(send(10, 3), 0, "12 bytes can be equal to the next array's by chance");
    cr_expect_eq(send(10, 4), 4);
    views_close(&views);
}

Test(views, of_bytes_from_any_offset)
{
    enum { BYTES = 40 };
    uint8_t bytes[BYTES];
    open_views();
    for (size_t at = 0; at + BYTES <= sizeof shown; at += 157) {
        memcpy(bytes, (const uint8_t *)shown + at, BYTES);
        views_swap(&views, bytes, BYTES);
        cr_expect_eq(memcmp(bytes, (const uint8_t *)judged + at, BYTES), 0, "from byte %zu", at);
    }
    views_close(&views);
}

Test(views, of_too_little)
{
    open_views();
    cr_expect_eq(send(500, 3), 0, "12 bytes can be equal by chance");
    cr_expect_eq(send(500, 4), 4, "16 bytes cannot be equal by chance");
    cr_expect_eq(send(504, 1), 1, "numbers that follow directly belong to the same piece");
    cr_expect_eq(send(506, 1), 0);
    views_close(&views);
}

Test(views, of_rows_with_gaps)
{
    int padded[4 * COUNT];
    open_views();
    for (int gap = 1; gap < 20; gap += 6) {
        memset(padded, 0, sizeof padded);
        for (int i = 0; i < COUNT; i++)
            padded[i / 10 * (10 + gap) + i % 10] = shown[i];
        views_swap(&views, (uint8_t *)padded, sizeof padded);
        for (int i = 0; i < COUNT; i++) {
            cr_expect_eq(padded[i / 10 * (10 + gap) + i % 10], judged[i], "gap %d, %d", gap, i);
            cr_expect(i % 10 || !padded[i / 10 * (10 + gap) + 10], "the gap has changed");
        }
    }
    cr_expect_eq(views_missing(&views), 0);
    views_close(&views);
}

Test(views, of_structures_with_padding)
{
    open_views();
    for (int count = 1; count <= COUNT / 3; count += COUNT / 3 - 1) {
        int padded[4 * COUNT / 3], is_swapped = count >= 4;
        for (int i = 0; i < 4 * count; i++)
            padded[i] = i % 4 == 3 ? 7 : shown[i / 4 * 3 + i % 4 + 1];
        views_swap(&views, (uint8_t *)padded, 4 * (size_t)count * sizeof *padded);
        for (int i = 0; i < 4 * count; i++) {
            int at = i / 4 * 3 + i % 4 + 1;
            cr_expect_eq(padded[i],
                         i % 4 == 3   ? 7
                         : is_swapped ? judged[at]
                                      : shown[at],
                         "%d structures, word %d", count, i);
        }
    }
    views_close(&views);
}

Test(views, of_structures_in_another_order)
{
    open_views();
    int padded[40] = {0};
    for (int i = 0; i < 40; i++)
        padded[i] = i % 4 == 3 ? 0 : shown[(9 - i / 4) * 3 + i % 4];
    int last = padded[38];
    views_swap(&views, (uint8_t *)padded, sizeof padded);
    cr_expect_eq(padded[0], shown[27], "the program has changed the order");
    cr_expect_eq(padded[38], last);
    views_close(&views);
}

Test(views, of_numbers_that_were_prepared)
{
    int numbers[COUNT];
    open_views();
    for (int i = 0; i < COUNT; i++)
        numbers[i] = 2 * shown[i];
    views_swap(&views, (uint8_t *)numbers, sizeof numbers);
    for (int i = 0; i < COUNT; i++)
        cr_expect_eq(numbers[i], 2 * shown[i]);
    cr_expect_neq(views_missing(&views), 0);
    views_close(&views);
}

Test(views, of_what_was_learned)
{
    double sums[4] = {1.25, 2.5, 3.75, 5}, others[4] = {7, 8, 9, 10}, sent[4];
    open_views();
    views_learn(&views, (uint8_t *)sums, (uint8_t *)others, sizeof sums);
    memcpy(sent, sums, sizeof sent);
    views_swap(&views, (uint8_t *)sent, sizeof sent);
    cr_expect_eq(memcmp(sent, others, sizeof sent), 0);
    cr_expect_eq(send(0, COUNT), COUNT);
    for (int i = 0; i < 100000; i++) { /* the table of known parts must not grow without limit */
        sums[0]++;
        views_learn(&views, (uint8_t *)sums, (uint8_t *)others, sizeof sums);
    }
    cr_expect_lt(views.size, 2 << 20);
    cr_expect_eq(send(0, COUNT), COUNT);
    views_close(&views);
}

Test(views, that_are_spoilt)
{
    enum { BYTES = 160000 };
    static uint8_t bytes[BYTES];
    uint64_t state = 1;
    int pieces = 0;
    views_spoil(&state, 8, bytes, BYTES);
    for (int i = 0; i < BYTES; i += 16) {
        int changed = 0;
        for (int k = 0; k < 16; k++)
            changed += bytes[i + k] != 0;
        cr_expect(changed == 0 || changed == 16);
        pieces += changed > 0;
    }
    cr_expect(pieces > BYTES / 16 / 10 && pieces < BYTES / 16 / 6, "%d", pieces);
}

/* A program copies both halves of the input through the same shared memory. One number of the second
 * half equals the number in its place in the first half, and its own judged number. So neither the
 * program's bytes nor the replacement tell that it is new. */
Test(views, of_numbers_that_are_equal_by_chance)
{
    enum { HALF = COUNT / 2, PLACE = 8 };
    const emu_addr at = 0x7f0000000000;
    char paths[2][600];
    struct twin twin;
    struct emu_device *device;
    static int buffer[HALF], now[HALF];
    for (int i = 0; i < COUNT; i++) {
        shown[i] = (1 << 20) + i * i;
        judged[i] = -i;
    }
    shown[HALF + PLACE] = judged[HALF + PLACE] = shown[PLACE];
    snprintf(paths[0], sizeof paths[0], "%s/shown", shell_folder());
    snprintf(paths[1], sizeof paths[1], "%s/judged", shell_folder());
    write_input(paths[0], shown);
    write_input(paths[1], judged);
    struct twin_options options = {.shown = paths[0], .judged = paths[1], .answers_fd = -1};
    struct emu_options device_options = {.record_fd = -1};
    cr_assert(twin_open(&twin, &options, &device_options, &device));
    cr_assert(twin_lend(&twin, at, (uint8_t *)buffer, sizeof buffer));
    for (int half = 0; half < 2; half++) {
        memcpy(buffer, shown + half * HALF, sizeof buffer);
        twin_follow(&twin);
        cr_assert_eq(emu_read(twin.device, now, at, sizeof now), EMU_OK);
        for (int i = 0; i < HALF; i++)
            cr_expect_eq(now[i], judged[half * HALF + i], "half %d, number %d", half, i);
    }
    twin_close(&twin);
    emu_close(device);
}
