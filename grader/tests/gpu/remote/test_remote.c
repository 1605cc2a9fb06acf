/* Tests the protocol between a program and a device in a separate process (the server): the
 * program's requests and the replies. Here, the server runs in a thread, and the tests play the
 * role of the program. The last tests run real programs.
 *
 * A twin is a second device that gets the same requests, but other data. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config.h"
#include "gpu/remote/server.h"
#include "gpu/remote/wire.h"
#include "gpu/tools.h"
#include "record/record.h"
#include "sandbox/process.h"
#include "tests/support/patience.h"

struct link {
    int fd, server_fd, file, record;
    pthread_t thread;
    enum server_end end;
    struct twin_options twin;
};

static void *serve(void *data)
{
    struct link *link = data;
    struct emu_options options = {.deterministic = true, .memory_bytes = 64 << 20};
    if (link->twin.spoil)
        options.tools = EMU_ORIGINS;
    options.record_fd = link->record;
    link->end = server_run(link->server_fd, &options, &link->twin);
    close(link->server_fd);
    return NULL;
}

/* Opens a connection to a server. If SPOIL is not 0, the device has a twin with spoilt data. */
static void open_twins(struct link *link, uint64_t spoil)
{
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    *link = (struct link){.fd = ends[0], .server_fd = ends[1], .file = -1};
    link->record = memfd_create("record", 0);
    link->twin.spoil = spoil;
    cr_assert_eq(pthread_create(&link->thread, NULL, serve, link), 0);
}

static void open_link(struct link *link)
{
    open_twins(link, 0);
}

static char record[4096]; /* record of the last closed connection */

/* Closes the connection and returns how the server ended. */
static enum server_end close_link(struct link *link)
{
    shutdown(link->fd, SHUT_WR);
    pthread_join(link->thread, NULL);
    ssize_t size = pread(link->record, record, sizeof record - 1, 0);
    record[size > 0 ? size : 0] = '\0';
    close(link->fd);
    close(link->record);
    if (link->file >= 0)
        close(link->file);
    return link->end;
}

/* Receives the head of a reply, and the file that may come with it. */
static bool receive_head(struct link *link, struct wire_head *head)
{
    char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
    struct iovec part = {head, sizeof *head};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(link->fd, &message, MSG_WAITALL) != sizeof *head)
        return false;
    struct cmsghdr *extra = CMSG_FIRSTHDR(&message);
    if (extra)
        memcpy(&link->file, CMSG_DATA(extra), sizeof(int));
    return true;
}

static char reply_data[WIRE_CHUNK + 1];

/* Sends a request and receives its reply. Returns false if the server has closed the connection. */
static bool ask(struct link *link, enum wire_call call, struct wire_head *head, const void *data)
{
    head->what = call;
    memset(reply_data, 0, 512);
    return wire_send(link->fd, head, data) && receive_head(link, head) &&
           head->bytes <= WIRE_CHUNK && wire_receive(link->fd, reply_data, head->bytes);
}

#define FOUR(byte)      ((byte)*0x01010101u) /* a pattern of four bytes BYTE */
#define HEAD(size, ...) ((struct wire_head){.bytes = (size), .arg = {__VA_ARGS__}})

static emu_addr alloc(struct link *link, uint64_t size)
{
    struct wire_head head = HEAD(0, size);
    cr_assert(ask(link, WIRE_CALL_alloc, &head, NULL) && head.what == EMU_OK);
    return head.arg[0];
}

static void read_back(struct link *link, emu_addr from, uint64_t size)
{
    struct wire_head head = HEAD(0, from, size);
    cr_assert(ask(link, WIRE_CALL_read, &head, NULL) && head.what == EMU_OK && head.bytes == size);
}

Test(remote, memory)
{
    struct link link;
    open_link(&link);
    struct wire_head head = HEAD(0, WIRE_VERSION);
    cr_assert(ask(&link, WIRE_CALL_hello, &head, NULL) && head.what == EMU_OK);
    cr_expect_eq(head.arg[0], 1, "it has a record");
    emu_addr at = alloc(&link, 16);
    head = HEAD(8, at + 8, 8);
    cr_assert(ask(&link, WIRE_CALL_write, &head, "8 bytes") && head.what == EMU_OK);
    head = HEAD(0, at + 8, 8);
    cr_assert(ask(&link, WIRE_CALL_read, &head, NULL) && head.what == EMU_OK);
    cr_expect(head.bytes == 8 && strcmp(reply_data, "8 bytes") == 0, "%u: %s", head.bytes,
              reply_data);
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* If only the first part of a long copy is in valid memory, nothing is written. */
Test(remote, a_copy_that_is_too_long_changes_nothing)
{
    struct link link;
    open_link(&link);
    emu_addr at = alloc(&link, 8);
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
Test(remote, rows)
{
    struct link link;
    open_link(&link);
    emu_addr at = alloc(&link, 16);
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
Test(remote, rows_that_are_not_all_in_memory_change_nothing)
{
    static const uint64_t rows[][3] = {
        /* width, count, pitch */
        {4, 5, 4},  {4, 2, 13}, {4, 2, 3}, {4, 2, UINT64_MAX - 2}, {1, 1u << 16, 1ull << 48},
        {17, 1, 17}};
    struct link link;
    open_link(&link);
    emu_addr at = alloc(&link, 16);
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

Test(remote, rows_are_allocated_with_a_pitch)
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
Test(remote, requests_are_counted)
{
    struct link link;
    open_link(&link);
    emu_addr at = alloc(&link, 1 << 20);
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
        record,
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
    const char *part = strstr(record, "\"sectors\""), *at = part ? strstr(part, key) : NULL;
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

Test(remote, sectors_are_counted)
{
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        struct link link;
        struct wire_head head;
        open_link(&link);
        emu_addr base = alloc(&link, 1 << 20), to = base + moves[i].to, from = base + moves[i].from;
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
        cr_expect_eq(recorded_sectors("copy_rows"), 2 * (read + written), "%zu: %s", i, record);
        cr_expect_eq(recorded_sectors("set_rows"), written, "%zu: %s", i, record);
        written = sectors_by_hand(moves[i].to, width, 1, width);
        read = sectors_by_hand(moves[i].from, width, 1, width);
        cr_expect_eq(recorded_sectors("copy"), read + written, "%zu: %s", i, record);
        cr_expect_eq(recorded_sectors("set"), written, "%zu: %s", i, record);
    }
}

/* A fill repeats four bytes. Each row begins with the first of them. */
Test(remote, fills_repeat_a_pattern)
{
    struct link link;
    open_link(&link);
    emu_addr at = alloc(&link, 16);
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
Test(remote, sums_of_rows_have_a_limit)
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
    cr_expect(strstr(record, "{\"requests\":{\"copy_rows\":4,\"alloc_rows\":4},"
                             "\"rows\":{\"copy_rows\":35184372088832,"
                             "\"alloc_rows\":35184372088832}") == record,
              "%s", record);
}

/* A request that a runtime library would never send ends the connection. A request that can be a
 * student's mistake gets a reply with an error. */
Test(remote, what_breaks_the_protocol)
{
    static const char junk[WIRE_CHUNK + 1];
    static const struct {
        const char *what;
        enum wire_call call;
        struct wire_head head;
    } rows[] = {
        {"another version", WIRE_CALL_hello, {.arg = {WIRE_VERSION + 1}}},
        {"no such call", WIRE_CALL_COUNT, {0}},
        {"data where none belongs", WIRE_CALL_alloc, {.bytes = 1, .arg = {8}}},
        {"too much data", WIRE_CALL_write, {.bytes = WIRE_CHUNK + 1}},
        {"too long a name", WIRE_CALL_symbol, {.bytes = WIRE_NAME + 1}},
        {"no such limit", WIRE_CALL_set_limit, {.arg = {EMU_LIMITS, 1}}},
        {"no such limit to get", WIRE_CALL_get_limit, {.arg = {UINT64_MAX}}},
        {"no such stream", WIRE_CALL_output, {.arg = {EMU_STREAMS}}},
        {"too large a module", WIRE_CALL_unload, {.arg = {1ull << 32}}},
        {"half a launch", WIRE_CALL_launch, {0}},
        {"half a texture", WIRE_CALL_texture_open, {0}},
        {"a number that the call does not have", WIRE_CALL_memory, {.arg = {0, 0, 0, 0, 0, 1}}},
        {"too long a pattern", WIRE_CALL_set, {.arg = {0, 1ull << 32, 0}}},
        {"fewer rows than said", WIRE_CALL_write_rows, {.bytes = 8, .arg = {0, 4, 3, 4}}},
        {"more rows than bytes",
         WIRE_CALL_write_rows,
         {.bytes = 0, .arg = {0, 1ull << 32, 1ull << 32, 4}}},
        {"rows of nothing", WIRE_CALL_read_rows, {.arg = {0, 0, UINT64_MAX, 4}}},
        {"no rows", WIRE_CALL_read_rows, {.arg = {0, 4, 0, 4}}},
        {"too many rows to read", WIRE_CALL_read_rows, {.arg = {0, 1, WIRE_CHUNK + 1, 1}}},
        {"too wide a row", WIRE_CALL_read_rows, {.arg = {0, UINT64_MAX, 1, UINT64_MAX}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct link link;
        struct wire_head head = rows[i].head;
        open_link(&link);
        cr_expect(!ask(&link, rows[i].call, &head, junk), "%s", rows[i].what);
        cr_expect_eq(close_link(&link), SERVER_BROKEN, "%s", rows[i].what);
    }
}

/* Structs arrive as bytes, so the server must check that each bool in them is 0 or 1. */
Test(remote, structs_with_a_byte_that_no_bool_has)
{
    struct {
        enum wire_call call;
        uint32_t size, flags;
        char bytes[sizeof(struct emu_launch)]; /* the larger one */
    } rows[] = {{WIRE_CALL_texture_open, sizeof(struct emu_texture), 7, {0}},
                {WIRE_CALL_launch, sizeof(struct emu_launch), 3, {0}}};
    rows[0].bytes[offsetof(struct emu_texture, kind)] = 'f';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t refused = 0;
        for (uint32_t at = 0; at < rows[i].size; at++) {
            struct link link;
            struct wire_head head = HEAD(rows[i].size, 0);
            char bytes[sizeof rows[i].bytes];
            memcpy(bytes, rows[i].bytes, sizeof bytes);
            open_link(&link);
            bytes[at] += 2;
            bool answered = ask(&link, rows[i].call, &head, bytes);
            refused += !answered;
            cr_expect_eq(close_link(&link), answered ? SERVER_DONE : SERVER_BROKEN);
        }
        /* a texture's kind is a letter, which is also checked */
        cr_expect_eq(refused, rows[i].flags + (i == 0), "%u", refused);
    }
}

/* The size of a texture must not overflow: its pitch and slice could then lead to any address in
 * the server's memory. */
Test(remote, textures_whose_size_overflows)
{
    static const struct emu_texture rows[] = {
        {.width = 8, .height = 2, .depth = 2, .pitch = 1ull << 40, .slice = -(1ull << 40)},
        {.width = 8, .height = 1, .depth = 3, .slice = 1ull << 63},
        {.width = 8, .height = 3, .depth = 1, .pitch = 1ull << 63},
        {.width = 4, .height = 4, .depth = 4, .pitch = 16, .slice = 1ull << 62, .levels = 2},
        {.width = 4, .height = 4, .depth = 1u << 31, .pitch = 16, .slice = 0, .levels = 2},
    };
    struct link link;
    open_link(&link);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emu_texture texture = rows[i];
        texture.channels = 1;
        texture.bits = 32;
        texture.kind = 'u';
        struct wire_head head = HEAD(sizeof texture, 0);
        cr_assert(ask(&link, WIRE_CALL_texture_open, &head, &texture), "%zu", i);
        cr_expect_eq(head.what, EMU_INVALID_VALUE, "%zu", i);
    }
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

Test(remote, mistakes_get_an_error_reply)
{
    struct link link;
    open_link(&link);
    struct wire_head head = HEAD(0, UINT64_MAX);
    cr_expect(ask(&link, WIRE_CALL_alloc, &head, NULL) && head.what == EMU_OUT_OF_MEMORY);
    head = HEAD(0, 0x7fff12345678, 4);
    cr_expect(ask(&link, WIRE_CALL_read, &head, NULL) && head.what == EMU_INVALID_ADDRESS);
    head = HEAD(0, 12345);
    cr_expect(ask(&link, WIRE_CALL_free, &head, NULL) && head.what == EMU_INVALID_VALUE);
    head = HEAD(9, 0);
    cr_expect(ask(&link, WIRE_CALL_load, &head, "not PTX.\n") && head.what == EMU_INVALID_PTX);
    head = HEAD(sizeof(struct emu_launch), 0);
    cr_expect(ask(&link, WIRE_CALL_launch, &head, &(struct emu_launch){.kernel = 7}) &&
              head.what == EMU_NOT_FOUND);
    head = HEAD(0, 7);
    cr_expect(ask(&link, WIRE_CALL_kernel_info, &head, NULL) && head.what == EMU_NOT_FOUND);
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* A note becomes a line of JSON in the record. Only two kinds of note are accepted. */
Test(remote, notes)
{
    static const struct {
        const char *text;
        bool taken;
    } rows[] = {
        {"{\"findings\": []}", true},
        {"{\"findings\": [{\"message\": \"the grader is wrong\"}, {\"message\": 1}, 2]}", true},
        {"{\"calls\": {\"cudaFree\": 1}}", true},
        {"{\"launch\": {\"kernel\": \"mine\"}}", false},
        {"{\"findings\": [], \"launch\": {}}", false},
        {"{\"calls\": {}}\n{\"launch\": {}}", false},
        {"findings", false},
        {"", false},
    };
    struct link link;
    char record[300] = "";
    open_link(&link);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wire_head head = HEAD((uint32_t)strlen(rows[i].text), 0);
        cr_assert(ask(&link, WIRE_CALL_note, &head, rows[i].text));
        cr_expect_eq(head.what == EMU_OK, rows[i].taken, "%s", rows[i].text);
    }
    cr_assert(pread(link.record, record, sizeof record - 1, 0) > 0);
    cr_expect_str_eq(record,
                     "{\"findings\":[]}\n{\"findings\":[{\"message\":\"the CUDA library says: "
                     "the grader is wrong\"},{\"message\":1},2]}\n"
                     "{\"calls\":{\"cudaFree\":1}}\n");
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* Two ranges that share a page, like two buffers of malloc(). */
Test(remote, shared_pages)
{
    struct link link;
    open_link(&link);
    const uint64_t a = 0x7f0000000010, b = a + 5000;
    struct wire_head head = HEAD(0, a, 5000, 0x10, WIRE_NO_PAGE, WIRE_NO_PAGE);
    cr_assert(ask(&link, WIRE_CALL_lend, &head, NULL) && head.what == EMU_OK);
    cr_assert(link.file >= 0 && head.arg[0] == 0 && head.arg[1] == 0);
    head = HEAD(0, b, 5000, b % WIRE_PAGE, WIRE_PAGE, WIRE_NO_PAGE);
    cr_assert(ask(&link, WIRE_CALL_lend, &head, NULL) && head.what == EMU_OK);
    cr_expect_eq(head.arg[0], 2 * WIRE_PAGE, "b's last page must be the file's third page: %lu",
                 head.arg[0]);
    char *pages = mmap(NULL, 3 * WIRE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, link.file, 0);
    cr_assert_neq(pages, MAP_FAILED);
    head = HEAD(0, b - 1, 1);
    pages[0x10 + 4999] = 'a', pages[0x10 + 5000] = 'b';
    cr_expect(ask(&link, WIRE_CALL_read, &head, NULL) && *reply_data == 'a');
    head = HEAD(0, b, 1);
    cr_expect(ask(&link, WIRE_CALL_read, &head, NULL) && *reply_data == 'b');
    head = HEAD(0, b, FOUR('c'), 1);
    cr_expect(ask(&link, WIRE_CALL_set, &head, NULL) && pages[0x10 + 5000] == 'c');
    head = HEAD(0, a);
    cr_expect(ask(&link, WIRE_CALL_free, &head, NULL) && head.what == EMU_OK);
    cr_expect_eq(pages[0x10 + 5000], 'c', "the page that b still needs was emptied");
    cr_expect_eq(pages[0x10], 0, "a's other page was not emptied");
    cr_expect_neq(ftruncate(link.file, 0), 0, "the program can truncate the file");
    munmap(pages, 3 * WIRE_PAGE);
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

Test(remote, false_places_of_pages)
{
    static const uint64_t places[][2] = {{4096, WIRE_NO_PAGE}, {1, WIRE_NO_PAGE}, {0, 0}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct link link;
        open_link(&link);
        struct wire_head head = HEAD(0, 1 << 20, 100, 0, WIRE_NO_PAGE, WIRE_NO_PAGE);
        cr_assert(ask(&link, WIRE_CALL_lend, &head, NULL) && head.what == EMU_OK);
        head = HEAD(0, 4096, 100, 0, places[i][0], places[i][1]);
        cr_assert(ask(&link, WIRE_CALL_lend, &head, NULL));
        cr_expect_eq(head.what, EMU_OUT_OF_MEMORY);
        head = HEAD(0, 1 << 20);
        cr_expect(ask(&link, WIRE_CALL_free, &head, NULL) && head.what == EMU_OK);
        cr_expect_eq(close_link(&link), SERVER_DONE);
    }
}

/* A device of 64 MiB accepts at most 64 MiB of lent memory. The limit is needed because a twin
 * reads all of it at each call. */
Test(remote, lent_memory_is_limited)
{
    const uint64_t most = 64 << 20, a = 0x7f0000000000, b = a + most;
    struct link link;
    open_link(&link);
    struct wire_head head = HEAD(0, a, most + 1, 0, WIRE_NO_PAGE, WIRE_NO_PAGE);
    cr_assert(ask(&link, WIRE_CALL_lend, &head, NULL) && head.what == EMU_OUT_OF_MEMORY);
    head = HEAD(0, a, most - WIRE_PAGE, 0, WIRE_NO_PAGE, WIRE_NO_PAGE);
    cr_assert(ask(&link, WIRE_CALL_lend, &head, NULL) && head.what == EMU_OK);
    head = HEAD(0, b, WIRE_PAGE + 1, 0, WIRE_NO_PAGE, WIRE_NO_PAGE);
    cr_assert(ask(&link, WIRE_CALL_lend, &head, NULL) && head.what == EMU_OUT_OF_MEMORY);
    head = HEAD(0, b, WIRE_PAGE, 0, WIRE_NO_PAGE, WIRE_NO_PAGE);
    cr_expect(ask(&link, WIRE_CALL_lend, &head, NULL) && head.what == EMU_OK);
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* --- real programs --------------------------------------------------------------------------------- */

#define BUILT LANEWISE_ROOT "/" LANEWISE_BUILD

/* Where the device is: in the program's process, in a separate process, or in a separate process
 * with a twin. RECORD is the file for the separate device's record, or NULL. The caller frees the
 * outcome of run_program(). */
enum place { INSIDE, BESIDE, TWINS };

static const char *chip = "", *clock_option = ""; /* more environment variables */

static struct process_outcome run_recorded(const char *name, enum place place, const char *record)
{
    /* the input is empty, so that both devices get the same data */
    static const char *const twin[] = {"LANEWISE_SHOWN=/dev/null", "LANEWISE_JUDGED=/dev/null",
                                       "LANEWISE_ANSWERS=/dev/null", "LANEWISE_TOOLS=origins",
                                       NULL};
    char recorded[300] = "";
    const char *alone[] = {recorded, chip, clock_option, NULL};
    bool beside = place != INSIDE;
    static const char *const device[] = {BUILT "/lib/lanewise-device", NULL};
    char path[512];
    snprintf(path, sizeof path, LANEWISE_ROOT "/build/tests/programs/%s", name);
    const char *environment[] = {beside ? "LD_LIBRARY_PATH=" BUILT "/lib/remote"
                                        : "LD_LIBRARY_PATH=" BUILT "/lib",
                                 beside ? WIRE_VARIABLE "=1" : "",
                                 chip,
                                 clock_option,
#ifdef LANEWISE_PRELOAD
                                 "LD_PRELOAD=" LANEWISE_PRELOAD,
                                 "ASAN_OPTIONS=" LANEWISE_ASAN_OPTIONS,
#endif
                                 NULL};
    const char *words[] = {path, NULL};
    struct process_command command = {.argv = words,
                                      .environment = environment,
                                      .folder = BUILT "/tests", /* "conditional" writes a file */
                                      .wall_seconds = PATIENCE * 120,
                                      .output_keep = 1 << 20,
                                      .output_limit = 1 << 20};
    struct process_command server = command;
    struct process_outcome outcome, server_outcome;
    server.argv = device;
    if (record)
        snprintf(recorded, sizeof recorded, "LANEWISE_RECORD=%s", record);
    server.environment = place == TWINS ? twin : alone;
    if (beside) {
        process_run_served(&command, &server, &outcome, &server_outcome);
        cr_expect(server_outcome.end == PROCESS_EXITED && server_outcome.code == SERVER_DONE,
                  "%s: the server ended with %d, %d: %s", name, server_outcome.end,
                  server_outcome.code, server_outcome.output);
        process_outcome_free(&server_outcome);
    } else {
        process_run(&command, &outcome);
    }
    return outcome;
}

static struct process_outcome run_program(const char *name, enum place place)
{
    return run_recorded(name, place, NULL);
}

static uint64_t add_up(const json_t *record, const char *what, const char *one, const char *other)
{
    const json_t *part = json_object_get(record, what);
    return (uint64_t)json_integer_value(json_object_get(part, one)) +
           (uint64_t)json_integer_value(json_object_get(part, other));
}

/* Each function of the runtime that copies or fills on the device sends a request to it. */
Test(remote, every_copy_on_the_device_is_counted)
{
    char path[] = "/tmp/lanewise-record-XXXXXX", error[200] = "";
    close(mkstemp(path));
    struct process_outcome outcome = run_recorded("copies_counted", BESIDE, path);
    unsigned copies = 0, fills = 0;
    cr_assert_eq(sscanf(outcome.output, "%u copies, %u fills", &copies, &fills), 2, "%s",
                 outcome.output);
    json_t *record = record_read(path, error, sizeof error);
    remove(path);
    cr_assert(record, "%s", error);
    cr_expect(copies > 20 && fills > 8, "%u, %u", copies, fills);
    cr_expect_eq(add_up(record, "sectors", "copy", "copy_rows"), 256 * copies, "%lu",
                 (unsigned long)add_up(record, "sectors", "copy", "copy_rows"));
    cr_expect_eq(add_up(record, "sectors", "set", "set_rows"), 128 * fills);
    cr_expect_eq(add_up(record, "requests", "write", "write_rows"), 0);
    cr_expect_eq(add_up(record, "requests", "read", "read_rows"), 0);
    json_decref(record);
    process_outcome_free(&outcome);
}

/* The twin has spoilt data. The server must find out which reads are the same on both devices. Data
 * that the program writes to shared memory must also reach the twin. */
Test(remote, a_twin_follows)
{
    struct link link;
    char record[2000] = "", zeros[1024] = "";
    open_twins(&link, 1);
    emu_addr sent = alloc(&link, 1024), cleared = alloc(&link, 1024), shared = 0x7f0000000000;
    struct wire_head head = HEAD(1024, sent, 1024);
    cr_assert(ask(&link, WIRE_CALL_write, &head, zeros) && head.what == EMU_OK);
    head = HEAD(0, cleared, 0, 1024);
    cr_assert(ask(&link, WIRE_CALL_set, &head, NULL) && head.what == EMU_OK);
    head = HEAD(0, shared, 8192, 0, WIRE_NO_PAGE, WIRE_NO_PAGE);
    cr_assert(ask(&link, WIRE_CALL_lend, &head, NULL) && head.what == EMU_OK);
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, link.file, 0);
    cr_assert_neq(pages, MAP_FAILED);
    read_back(&link, shared, 8192);  /* before the program writes, both reads are the same */
    memset(pages + 4096, 'x', 2048); /* from here on, the program has written */
    read_back(&link, shared, 4096);
    read_back(&link, shared + 4096, 2048);
    read_back(&link, sent, 1024);
    read_back(&link, cleared, 1024);
    head = HEAD(0, shared);
    cr_assert(ask(&link, WIRE_CALL_free, &head, NULL) && head.what == EMU_OK);
    cr_assert(pread(link.record, record, sizeof record - 1, 0) > 0);
    static const bool same[] = {true, true, false, false, true};
    const char *line = record;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        line = strstr(line, "\"same\":");
        cr_assert(line, "read number %zu is not in the record", i);
        cr_expect_eq(strncmp(line += 7, "true", 4) == 0, same[i], "read number %zu", i);
    }
    munmap(pages, 8192);
    cr_expect_eq(close_link(&link), SERVER_DONE);
}

/* Kernels wait for a program in another process. (With a twin, they cannot.) */
Test(remote, kernels_wait_for_a_program_beside_them)
{
    struct process_outcome inside = run_program("persistent", INSIDE);
    struct process_outcome beside = run_program("persistent", BESIDE);
    cr_expect(strstr(inside.output, "all right"), "%s", inside.output);
    cr_expect_str_eq(beside.output, inside.output);
    process_outcome_free(&inside);
    process_outcome_free(&beside);
}

/* The separate device checks the order of the program's loads and stores, too. */
Test(remote, order_is_checked_beside_a_program)
{
    static const char *const ids[] = {"host-reads-early", "host-writes-early", "race-streams",
                                      "freed-in-use", "used-too-early"};
    struct process_outcome inside = run_program("unordered", INSIDE);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        cr_expect(strstr(inside.output, ids[i]), "%s: %s", ids[i], inside.output);
    cr_expect(strstr(inside.output, "sum 15065\n"), "%s", inside.output);
    for (enum place place = BESIDE; place <= TWINS; place++) {
        struct process_outcome beside = run_program("unordered", place);
        cr_expect_str_eq(beside.output, inside.output, "%d", place);
        process_outcome_free(&beside);
    }
    process_outcome_free(&inside);
}

Test(remote, only_parked_launches_continue)
{
    struct link link;
    open_link(&link);
    struct wire_head head = HEAD(0, 1, EMU_WAIT);
    cr_assert(ask(&link, WIRE_CALL_go_on, &head, NULL));
    cr_expect_eq(head.what, EMU_NOT_FOUND);
    head = HEAD(0, 1);
    cr_assert(ask(&link, WIRE_CALL_abandon, &head, NULL));
    cr_expect_eq(head.what, EMU_NOT_FOUND);
    head = HEAD(0, 1, EMU_FINISH + 1);
    cr_expect_not(ask(&link, WIRE_CALL_go_on, &head, NULL), "no such patience");
    cr_expect_eq(close_link(&link), SERVER_BROKEN);
}

/* The device predicts a launch's time. The program's library gets it by a request. */
Test(remote, predicted_times_are_those_without_a_server)
{
    chip = "LANEWISE_GPU=h200";
    clock_option = "LANEWISE_CLOCK=predicted";
    struct process_outcome inside = run_program("timed", INSIDE);
    struct process_outcome beside = run_program("timed", BESIDE);
    cr_expect(strstr(inside.output, "4 streams: "), "%s", inside.output);
    cr_expect_str_eq(beside.output, inside.output);
    process_outcome_free(&inside);
    process_outcome_free(&beside);
}

Test(remote, programs_behave_as_without_a_server)
{
    static const char *const names[] = {
        "api_libraries", "api_more",   "api_ranges", "async",       "conditional",
        "cooperative",   "families",   "graphs",     "indices",     "indices",
        "lane_talk",     "launch_api", "memory_api", "memory_more", "mipmaps",
        "streams",       "sum_ladder", "textures",   "threads",     "unsupported",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct process_outcome inside = run_program(names[i], INSIDE);
        cr_expect(inside.output_size > 0, "%s says something", names[i]);
        for (enum place place = BESIDE; place <= TWINS; place++) {
            struct process_outcome beside = run_program(names[i], place);
            cr_expect(inside.end == beside.end && inside.code == beside.code, "%s: %d, %d",
                      names[i], beside.end, beside.code);
            cr_expect_str_eq(beside.output, inside.output, "%s, %d", names[i], place);
            process_outcome_free(&beside);
        }
        process_outcome_free(&inside);
    }
}
