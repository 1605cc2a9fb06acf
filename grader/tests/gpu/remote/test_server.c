/* Tests the protocol between a program and a device in a separate process (the server): what the
 * requests do, and how the server counts them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gpu/remote/link.h"

Test(server, memory)
{
    struct link link;
    open_link(&link);
    struct wire_head head = HEAD(0, WIRE_VERSION);
    cr_assert(ask(&link, WIRE_CALL_hello, &head, NULL) && head.what == EMU_OK);
    cr_expect_eq(head.arg[0], 1, "it has a record");
    emu_addr at = link_alloc(&link, 16);
    head = HEAD(8, at + 8, 8);
    cr_assert(ask(&link, WIRE_CALL_write, &head, "8 bytes") && head.what == EMU_OK);
    head = HEAD(0, at + 8, 8);
    cr_assert(ask(&link, WIRE_CALL_read, &head, NULL) && head.what == EMU_OK);
    cr_expect(head.bytes == 8 && strcmp(reply_data, "8 bytes") == 0, "%u: %s", head.bytes,
              reply_data);
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* If only the first part of a long copy is in valid memory, nothing is written. */
Test(server, a_copy_that_is_too_long_changes_nothing)
{
    struct link link;
    open_link(&link);
    emu_addr at = link_alloc(&link, 8);
    struct wire_head head = HEAD(4, at, 4);
    ask(&link, WIRE_CALL_write, &head, "good");
    head = HEAD(4, at, 12);
    cr_assert(ask(&link, WIRE_CALL_write, &head, "evil"));
    cr_expect_eq(head.what, EMU_INVALID_ADDRESS);
    cr_expect(strstr(reply_data, "12 bytes at 0x"), "%s", reply_data);
    head = HEAD(0, at, 12);
    cr_assert(ask(&link, WIRE_CALL_read, &head, NULL));
    cr_expect_eq(head.what, EMU_INVALID_ADDRESS);
    head = HEAD(0, at, 4);
    cr_assert(ask(&link, WIRE_CALL_read, &head, NULL) && head.what == EMU_OK);
    cr_expect_str_eq(reply_data, "good");
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* The bytes of rows are sent without gaps. */
Test(server, rows)
{
    struct link link;
    open_link(&link);
    emu_addr at = link_alloc(&link, 16);
    struct wire_head head = HEAD(0, at, FOUR('.'), 16);
    cr_assert(ask(&link, WIRE_CALL_set, &head, NULL) && head.what == EMU_OK);
    head = HEAD(6, at, 2, 3, 5);
    cr_assert(ask(&link, WIRE_CALL_write_rows, &head, "abcdef") && head.what == EMU_OK);
    head = HEAD(0, at + 3, at, 1, 3, 5, 5);
    cr_assert(ask(&link, WIRE_CALL_copy_rows, &head, NULL) && head.what == EMU_OK);
    head = HEAD(0, at, 16);
    cr_assert(ask(&link, WIRE_CALL_read, &head, NULL) && head.what == EMU_OK);
    cr_expect_str_eq(reply_data, "ab.a.cd.c.ef.e..");
    head = HEAD(0, at + 1, 3, 3, 5);
    cr_assert(ask(&link, WIRE_CALL_read_rows, &head, NULL) && head.what == EMU_OK);
    cr_expect_str_eq(reply_data, "b.ad.cf.e");
    head = HEAD(0, at, FOUR('-'), 1, 3, 7);
    cr_assert(ask(&link, WIRE_CALL_set_rows, &head, NULL) && head.what == EMU_OK);
    head = HEAD(0, at, 16);
    cr_assert(ask(&link, WIRE_CALL_read, &head, NULL) && head.what == EMU_OK);
    cr_expect_str_eq(reply_data, "-b.a.cd-c.ef.e-.");
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* If some rows are outside of the allocation, nothing is written, whether their addresses are
 * possible or not. */
Test(server, rows_that_are_not_all_in_memory_change_nothing)
{
    static const uint64_t rows[][3] = {
        /* width, count, pitch */
        {4, 5, 4},  {4, 2, 13}, {4, 2, 3}, {4, 2, UINT64_MAX - 2}, {1, 1u << 16, 1ull << 48},
        {17, 1, 17}};
    struct link link;
    open_link(&link);
    emu_addr at = link_alloc(&link, 16);
    struct wire_head head = HEAD(16, at, 16);
    cr_assert(ask(&link, WIRE_CALL_write, &head, "as it was before") && head.what == EMU_OK);
    static const char junk[WIRE_CHUNK];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t *row = rows[i];
        head = HEAD((uint32_t)(row[0] * row[1]), at, row[0], row[1], row[2]);
        cr_expect(ask(&link, WIRE_CALL_write_rows, &head, junk), "%zu", i);
        cr_expect_eq(head.what, EMU_INVALID_ADDRESS, "%zu: %u", i, head.what);
        head = HEAD(0, at, row[0], row[1], row[2]);
        cr_expect(ask(&link, WIRE_CALL_read_rows, &head, NULL), "%zu", i);
        cr_expect_eq(head.what, EMU_INVALID_ADDRESS, "%zu: %u", i, head.what);
        head = HEAD(0, at, at, row[0], row[1], row[2], row[2]);
        cr_expect(ask(&link, WIRE_CALL_copy_rows, &head, NULL), "%zu", i);
        cr_expect_eq(head.what, EMU_INVALID_ADDRESS, "%zu: %u", i, head.what);
        head = HEAD(0, at, '!', row[0], row[1], row[2]);
        cr_expect(ask(&link, WIRE_CALL_set_rows, &head, NULL), "%zu", i);
        cr_expect_eq(head.what, EMU_INVALID_ADDRESS, "%zu: %u", i, head.what);
    }
    head = HEAD(0, at, at, 0, UINT64_MAX, 0, 0);
    cr_expect(ask(&link, WIRE_CALL_copy_rows, &head, NULL) && head.what == EMU_INVALID_ADDRESS);
    head = HEAD(0, at, 16);
    cr_assert(ask(&link, WIRE_CALL_read, &head, NULL) && head.what == EMU_OK);
    cr_expect_str_eq(reply_data, "as it was before");
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

Test(server, rows_are_allocated_with_a_pitch)
{
    struct link link;
    open_link(&link);
    struct wire_head head = HEAD(0, 513, 3);
    cr_assert(ask(&link, WIRE_CALL_alloc_rows, &head, NULL) && head.what == EMU_OK);
    cr_expect_eq(head.arg[1], 1024);
    emu_addr at = head.arg[0];
    head = HEAD(0, at + 3 * 1024 - 1);
    cr_assert(ask(&link, WIRE_CALL_find, &head, NULL) && head.what == EMU_OK);
    cr_expect(head.arg[0] == at && head.arg[1] == 3 * 1024);
    static const uint64_t bad[][3] = {{0, 5, EMU_INVALID_VALUE},
                                      {5, 0, EMU_INVALID_VALUE},
                                      {UINT64_MAX, 1, EMU_OUT_OF_MEMORY},
                                      {1, 1ull << 55, EMU_OUT_OF_MEMORY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        head = HEAD(0, bad[i][0], bad[i][1]);
        cr_expect(ask(&link, WIRE_CALL_alloc_rows, &head, NULL) && head.what == bad[i][2], "%zu",
                  i);
    }
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* The server counts the requests itself: any program can send a note with counts of its own. */
Test(server, requests_are_counted)
{
    struct link link;
    open_link(&link);
    emu_addr at = link_alloc(&link, 1 << 20);
    static const char junk[WIRE_CHUNK];
    struct wire_head head;
    for (uint64_t done = 0; done < 1 << 20; done += WIRE_CHUNK) { /* the parts of one copy */
        head = HEAD(WIRE_CHUNK, at + done, (1 << 20) - done);
        cr_assert(ask(&link, WIRE_CALL_write, &head, junk) && head.what == EMU_OK);
    }
    for (uint64_t row = 0; row < 6; row += 2) { /* the parts of one copy of six rows */
        head = HEAD(20, at + row * 16, 10, 2, 16, 6 - row);
        cr_assert(ask(&link, WIRE_CALL_write_rows, &head, junk) && head.what == EMU_OK);
    }
    for (int i = 0; i < 3; i++) { /* three copies, none of which continues the one before */
        head = HEAD(0, at + i, 10, 2, 16, 4);
        cr_assert(ask(&link, WIRE_CALL_read_rows, &head, NULL) && head.what == EMU_OK);
    }
    const char *note = "{\"calls\":{\"cudaMemset2D\":1}}";
    head = HEAD((uint32_t)strlen(note));
    cr_assert(ask(&link, WIRE_CALL_note, &head, note) && head.what == EMU_OK);
    note = "{\"requests\":{\"set_rows\":1}}";
    head = HEAD((uint32_t)strlen(note));
    cr_assert(ask(&link, WIRE_CALL_note, &head, note) && head.what == EMU_INVALID_VALUE);
    cr_expect_eq(close_link(&link), SERVER_DONE);
    cr_expect_str_eq(
        link_record,
        "{\"calls\":{\"cudaMemset2D\":1}}\n{\"requests\":{\"alloc\":1,\"write\":1,\"note\":2,"
        "\"write_rows\":1,\"read_rows\":3},\"rows\":{\"write_rows\":6,\"read_rows\":12},"
        "\"sectors\":{\"write\":32768,\"write_rows\":3,\"read_rows\":3}}\n");
}

/* Returns the number of sectors that COUNT rows contain, computed row by row and byte by byte. */
static uint64_t sectors_by_hand(uint64_t at, uint64_t width, uint64_t count, uint64_t pitch)
{
    static bool touched[1 << 15];
    uint64_t sum = 0;
    memset(touched, 0, sizeof touched);
    for (uint64_t i = 0; i < count * width; i++) {
        uint64_t sector = (at + i / width * pitch + i % width) / 32;
        sum += !touched[sector];
        touched[sector] = true;
    }
    return sum;
}

/* Returns the number after NAME in the part of the record about sectors, or 0 if there is none. */
static uint64_t recorded_sectors(const char *name)
{
    char key[40];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *part = strstr(link_record, "\"sectors\""), *at = part ? strstr(part, key) : NULL;
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* Rows that share sectors, rows with gaps, one row, and no bytes. `to` and `from` are offsets from
 * an aligned address. */
static const struct {
    uint64_t to, from, width, count, to_pitch, from_pitch;
} moves[] = {
    {0, 4096, 32, 1, 32, 32},       {0, 4096, 4096, 1, 4096, 4096}, {31, 4096, 2, 1, 2, 2},
    {1, 4097, 30, 1, 99, 30},       {0, 65536, 4, 100, 4, 32},      {0, 65536, 4, 100, 36, 40},
    {7, 65541, 13, 1000, 13, 17},   {3, 65536, 31, 500, 64, 63},    {28, 65540, 8, 500, 96, 33},
    {0, 65536, 100, 33, 1000, 128}, {5, 65537, 1, 32, 1, 31},       {5, 65537, 1, 33, 31, 1},
    {5, 65537, 1, 34, 33, 65},      {2, 65536, 500, 65, 512, 501},  {16, 65552, 64, 64, 64, 64},
};

Test(server, sectors_are_counted)
{
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        struct link link;
        struct wire_head head;
        open_link(&link);
        emu_addr base = link_alloc(&link, 1 << 20), to = base + moves[i].to,
                 from = base + moves[i].from;
        uint64_t width = moves[i].width, count = moves[i].count;
        uint64_t written = sectors_by_hand(moves[i].to, width, count, moves[i].to_pitch);
        uint64_t read = sectors_by_hand(moves[i].from, width, count, moves[i].from_pitch);
        cr_assert_eq(base % 32, 0);
        for (int twice = 0; twice < 2; twice++) {
            head = HEAD(0, to, from, width, count, moves[i].to_pitch, moves[i].from_pitch);
            cr_assert(ask(&link, WIRE_CALL_copy_rows, &head, NULL) && head.what == EMU_OK);
        }
        head = HEAD(0, to, 7, width, count, moves[i].to_pitch);
        cr_assert(ask(&link, WIRE_CALL_set_rows, &head, NULL) && head.what == EMU_OK);
        head = HEAD(0, to, from, width);
        cr_assert(ask(&link, WIRE_CALL_copy, &head, NULL) && head.what == EMU_OK);
        head = HEAD(0, to, 7, width);
        cr_assert(ask(&link, WIRE_CALL_set, &head, NULL) && head.what == EMU_OK);
        head = HEAD(0, to, 7, 0); /* no bytes */
        cr_assert(ask(&link, WIRE_CALL_set, &head, NULL) && head.what == EMU_OK);
        head = HEAD(0, to, from, 2 << 20); /* fails */
        cr_assert(ask(&link, WIRE_CALL_copy, &head, NULL) && head.what != EMU_OK);
        cr_expect_eq(close_link(&link), SERVER_DONE);
        cr_expect_eq(recorded_sectors("copy_rows"), 2 * (read + written), "%zu: %s", i,
                     link_record);
        cr_expect_eq(recorded_sectors("set_rows"), written, "%zu: %s", i, link_record);
        written = sectors_by_hand(moves[i].to, width, 1, width);
        read = sectors_by_hand(moves[i].from, width, 1, width);
        cr_expect_eq(recorded_sectors("copy"), read + written, "%zu: %s", i, link_record);
        cr_expect_eq(recorded_sectors("set"), written, "%zu: %s", i, link_record);
    }
}

/* A fill repeats four bytes. Each row begins with the first of them. */
Test(server, fills_repeat_a_pattern)
{
    struct link link;
    open_link(&link);
    emu_addr at = link_alloc(&link, 16);
    struct wire_head head = HEAD(0, at, FOUR('.'), 16);
    cr_assert(ask(&link, WIRE_CALL_set, &head, NULL) && head.what == EMU_OK);
    head = HEAD(0, at + 1, 0x64636261, 6);
    cr_assert(ask(&link, WIRE_CALL_set, &head, NULL) && head.what == EMU_OK);
    head = HEAD(0, at + 8, 0x34333231, 3, 2, 5);
    cr_assert(ask(&link, WIRE_CALL_set_rows, &head, NULL) && head.what == EMU_OK);
    read_back(&link, at, 16);
    cr_expect_str_eq(reply_data, ".abcdab.123..123");
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* Requests that fail are counted, too, with the sizes that the program sent. So the sums must be
 * limited, because readers of the record refuse larger numbers. */
Test(server, sums_of_rows_have_a_limit)
{
    static const uint64_t rows[] = {UINT64_MAX, 1ull << 63, 5, 1ull << 45};
    struct link link;
    open_link(&link);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_head head = HEAD(0, 5, rows[i]);
        cr_expect(ask(&link, WIRE_CALL_alloc_rows, &head, NULL), "%zu", i);
        head = HEAD(0, 0, 4, 4, rows[i], 4);
        cr_expect(ask(&link, WIRE_CALL_copy_rows, &head, NULL), "%zu", i);
    }
    cr_expect_eq(close_link(&link), SERVER_DONE);
    cr_expect(strstr(link_record, "{\"requests\":{\"copy_rows\":4,\"alloc_rows\":4},"
                                  "\"rows\":{\"copy_rows\":35184372088832,"
                                  "\"alloc_rows\":35184372088832}") == link_record,
              "%s", link_record);
}
