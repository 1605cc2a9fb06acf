/* Tests that the server trusts no request: wrong requests, notes of the program, shared memory, and
 * the twin, a second device that gets the same requests, but other data. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/gpu/remote/link.h"

/* A request that a runtime library would never send ends the connection. A request that can be a
 * student's mistake gets a reply with an error. */
Test(server, what_breaks_the_protocol)
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
Test(server, structs_with_a_byte_that_no_bool_has)
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
Test(server, textures_whose_size_overflows)
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

Test(server, mistakes_get_an_error_reply)
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
Test(server, notes)
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
Test(server, shared_pages)
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

Test(server, false_places_of_pages)
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
Test(server, lent_memory_is_limited)
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

/* The twin has spoilt data. The server must find out which reads are the same on both devices. Data
 * that the program writes to shared memory must also reach the twin. */
Test(server, a_twin_follows)
{
    struct link link;
    char record[2000] = "", zeros[1024] = "";
    open_twins(&link, 1);
    emu_addr sent = link_alloc(&link, 1024), cleared = link_alloc(&link, 1024),
             shared = 0x7f0000000000;
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

Test(server, only_parked_launches_continue)
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
