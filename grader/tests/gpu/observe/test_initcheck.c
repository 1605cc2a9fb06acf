/* Tests initcheck on correct programs, and how it marks written bytes. Programs with uninitialised
 * reads are in planted/uninitialised-read. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/memory/memory.h"
#include "tests/support/marks.h"
#include "tests/support/shell.h"

TestSuite(initcheck, .init = shell_init, .fini = shell_fini, .timeout = 600);

static const char *const right_programs[] = {
    "api_answers", "api_more", "graphs",   "cooperative", "launch_api",    "memory_api",
    "memory_more", "streams",  "textures", "async",       "matmul_ladder", "sum_ladder",
    "threads",     "indices",  "halves",   "lane_talk",   "bulk",          "tensor_maps",
};

Test(initcheck, is_silent_about_right_programs)
{
    for (size_t i = 0; i < sizeof right_programs / sizeof *right_programs; i++) {
        json_t *run = marks_run("--tools initcheck", right_programs[i]), *finding;
        size_t k;
        json_array_foreach(json_object_get(run, "findings"), k, finding)
        {
            const char *id = json_string_value(json_object_get(finding, "id"));
            cr_expect(strcmp(id, "uninitialised-read") != 0, "%s: %s", right_programs[i],
                      json_string_value(json_object_get(finding, "message")));
        }
        json_decref(run);
    }
}

#define BYTES 200u

/* A copy within a block may overlap in either direction. The marks must move with the bytes. */
Test(initcheck, marks_are_copied_with_the_bytes)
{
    struct memory memory;
    bool marked[BYTES] = {false};
    mem_init(&memory, 1 << 20, 0);
    memory.tracks[MEM_WRITTEN] = true;
    const struct mem_block *block = mem_alloc(&memory, BYTES);
    cr_assert(block && block->marks[MEM_WRITTEN]);
    srand(1);
    for (unsigned i = 0; i < BYTES; i++) {
        marked[i] = rand() % 2;
        mem_mark(&memory, MEM_WRITTEN, block->addr + i, 1, marked[i]);
    }
    for (unsigned time = 0; time < 2000; time++) {
        unsigned size = (unsigned)rand() % 100, to = (unsigned)rand() % (BYTES - size);
        unsigned from = time % 2 ? (to + 8) % 64 / 8 * 8 + to % 8 : (unsigned)rand() % 100;
        mem_copy_marks(&memory, block->addr + to, block->addr + from, size);
        memmove(marked + to, marked + from, size);
        for (unsigned i = 0; i < BYTES; i++)
            cr_assert_eq(mem_first_unmarked(block, MEM_WRITTEN, i, 1) == 1, marked[i],
                         "byte %u after %u from %u to %u", i, size, from, to);
    }
    mem_close(&memory);
}
