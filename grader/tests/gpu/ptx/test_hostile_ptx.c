/* Tests PTX that once crashed or confused the emulator. `make fuzz` found most of it. With
 * sanitizers, each row shows that the text no longer crashes it. The expected message shows that
 * the text is refused for the right reason. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"

#define HEAD         ".version 9.0\n.target sm_80\n.address_size 64\n"
#define KERNEL(body) HEAD ".visible .entry k(.param .u64 p)\n{\n" body "}\n"

static const struct row {
    const char *name, *ptx, *message; /* MESSAGE is NULL if the text must load */
} rows[] = {
    {"too few operands", KERNEL(".reg .b32 %r<4>;\nadd.s32 %r1;\nret;\n"), "1 operands"},
    {"too many operands", KERNEL(".reg .b32 %r<4>;\nret %r1, %r2, %r3;\n"), "3 operands"},
    {"an error after a .loc whose file does not exist",
     HEAD ".file 0 \"a.cu\"\n.entry k()\n{\nfoo;\n}\n", "unsupported instruction 'foo'"},
    {"a parameter area whose size is not a multiple of 8",
     HEAD
     ".func f(.param .b64 a, .param .b32 b)\n{\n.reg .b64 %d<2>;\nld.param.u64 %d1, [a];\nret;\n}\n"
     ".entry k()\n{\n.param .b64 x;\n.param .b32 y;\ncall f, (x, y);\nret;\n}\n",
     NULL},
    {"too many registers", KERNEL(".reg .b64 %r<4000000000>;\nret;\n"), "registers"},
    {"registers whose number wraps",
     KERNEL(".reg .b32 %r<6>;\n.reg .b64 %d<18446744073709551615>;\nret;\n"), "registers"},
    {"a variable that is too large", HEAD ".global .b8 x[99999999][99999999];\n", "4 GiB"},
    {"more initial values than room", HEAD ".global .b8 x[2] = {1, 2, 3};\n", "initial values"},
    {"braces nested too deeply",
     KERNEL("{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{"
            "{{{{{{{{"),
     "nested"},
    {"an unknown name", KERNEL(".reg .b64 %r<4>;\nmov.u64 %r1, nowhere;\nret;\n"), "'nowhere'"},
    {"a branch to a function's name", KERNEL("bra k;\n"), "label"},
    {"a call of a vector of names", KERNEL("call {p}, (p);\nret;\n"), "is not in the module"},
    {"a call of nothing", KERNEL("call [p+0], ();\nret;\n"), "is not in the module"},
    {"the runtime in a kernel", KERNEL("call __cudaCDP2MemcpyAsync, ();\nret;\n"),
     "cudaMemcpyAsync() is not supported in kernels"},
    {"a launch of nothing", KERNEL("call __cudaCDP2LaunchDeviceV2, ();\nret;\n"), NULL},
    {"the end in the middle of a token", HEAD ".visible .entry k(.param .u6", "type"},
    {"nothing", "", ".version"},
};

/* Loads the text PTX and its kernel k. Returns the error message, or NULL if both load. */
static const char *load(struct emu_device *device, const char *ptx)
{
    uint32_t module, kernel;
    if (emu_load(device, ptx, strlen(ptx), &module) != EMU_OK)
        return emu_message(device);
    return emu_kernel(device, module, "k", &kernel) == EMU_OK ? NULL : emu_message(device);
}

Test(hostile_ptx, is_refused_for_the_right_reason)
{
    const struct emu_options options = {.deterministic = true, .record_fd = -1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct emu_device *device;
        cr_assert_eq(emu_open(&options, &device), EMU_OK);
        const char *message = load(device, rows[i].ptx);
        if (rows[i].message)
            cr_expect(message && strstr(message, rows[i].message), "%s: got '%s'", rows[i].name,
                      message ? message : "(it loaded)");
        else
            cr_expect_null(message, "%s: got '%s'", rows[i].name, message);
        emu_close(device);
    }
}

/* The time for a long text must grow only linearly. Each text has a hundred thousand copies of one
 * construct. If the parser scanned a list for each copy, it would take minutes and exceed the time
 * limit. */
static const struct many {
    const char *name, *before, *each, *after;
} many[] = {
    {"variables", HEAD, ".global .u32 g%u;\n", ".entry k()\n{\nret;\n}\n"},
    {"functions", HEAD, ".func f%u()\n{\nret;\n}\n", ".entry k()\n{\ncall f7, ();\nret;\n}\n"},
    {"local variables", HEAD ".entry k()\n{\n", ".local .b32 l%u;\n", "ret;\n}\n"},
    {"shared variables", HEAD ".entry k()\n{\n", ".shared .b8 s%u;\n", "ret;\n}\n"},
    {"parameters of calls", HEAD ".entry k()\n{\n", ".param .b32 p%u;\n", "ret;\n}\n"},
    {"calls", HEAD ".func f()\n{\nret;\n}\n.entry k()\n{\n", "call f, (); // %u\n", "ret;\n}\n"},
    {"labels", HEAD ".entry k()\n{\n", "L%u:\n", "ret;\n}\n"},
};
#ifdef __SANITIZE_ADDRESS__
#define MANY 10000 /* the test also measures time, except with sanitizers */
#else
#define MANY 100000
#endif

Test(hostile_ptx, costs_no_more_than_its_length, .timeout = 600)
{
    const struct emu_options options = {.deterministic = true, .record_fd = -1};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        struct emu_device *device;
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        fputs(many[i].before, stream);
        for (unsigned n = 0; n < MANY; n++)
            fprintf(stream, many[i].each, n);
        fputs(many[i].after, stream);
        fclose(stream);
        cr_assert_eq(emu_open(&options, &device), EMU_OK);
        const char *message = load(device, text);
        cr_expect_null(message, "%s: got '%s'", many[i].name, message);
        emu_close(device);
        free(text);
    }
}
