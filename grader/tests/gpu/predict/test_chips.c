/* Tests the files that describe chips: valid files, and the messages about mistakes in a file. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/chips.h"
#include "tests/support/shell.h"

TestSuite(chips, .init = shell_init, .fini = shell_fini);

/* Every chip that is named can be read, and its numbers are plausible. */
Test(chips, all_pages_are_complete)
{
    char *names = strdup(emu_chip_names()), *rest, why[300];
    unsigned count = 0;
    for (char *name = strtok_r(names, ", ", &rest); name && strcmp(name, "or") != 0;
         name = strtok_r(NULL, ", ", &rest), count++) {
        struct emu_chip chip;
        cr_assert(emu_find_chip(name, &chip, why, sizeof why), "%s: %s", name, why);
        cr_expect_str_eq(chip.name, name);
        cr_expect(*chip.title, "%s has no title", name);
        cr_expect(chip.sms >= 1 && chip.sms <= 200, "%s: sms %g", name, chip.sms);
        cr_expect(chip.schedulers >= 1 && chip.schedulers <= 8, "%s", name);
        cr_expect(chip.l1_latency <= chip.l2_latency && chip.l2_latency <= chip.dram_latency,
                  "%s: the latencies", name);
        double gflops = chip.sms * chip.schedulers * 64 / chip.fp32_cycles * chip.clock_mhz / 1e3;
        cr_expect(gflops > 100 && gflops < 100e3, "%s: %.0f GFLOP/s", name, gflops);
    }
    cr_expect(count >= 1, "%u chips", count);
    free(names);
}

static const struct {
    const char *name, *script, *message;
} mistakes[] = {
    {"an unknown name", "$LANEWISE run --gpu h300 $PROGRAMS/indices",
     "unknown GPU \"h300\"; known are "},
    {"no such file", "$LANEWISE run --gpu ./h300 $PROGRAMS/indices",
     "cannot read the chip's file ./h300: No such file or directory"},
    {"a word for a number", "echo 'sms = many' >chip; $LANEWISE run --gpu ./chip $PROGRAMS/indices",
     "line 1 of the chip's file is not NAME = NUMBER # SOURCE: sms = many"},
    {"an unknown key",
     "printf '# a\\nspeed = 1 # b\\n' >chip; $LANEWISE run --gpu ./chip $PROGRAMS/indices",
     "line 2 of the chip's file"},
    {"a page that lacks a value",
     "echo 'sms = 1' >chip; $LANEWISE run --gpu ./chip $PROGRAMS/indices",
     "the chip's file does not say clock_mhz"},
    {"a capability that does not exist",
     "sed 's/^capability = .*/capability = 4.0/' $TESTS/../gpu/predict/chips/h200 >chip; "
     "$LANEWISE run --gpu ./chip $PROGRAMS/indices",
     "the limits of compute capability 4 are unknown"},
};

Test(chips, mistakes_are_refused_in_one_line)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int code;
        char *output = shell(&code, "%s", mistakes[i].script);
        const char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit status %d", mistakes[i].name, code);
        cr_expect(strstr(output, mistakes[i].message), "%s: \"%s\"", mistakes[i].name, output);
        cr_expect(end && !end[1], "%s: not one line: \"%s\"", mistakes[i].name, output);
        free(output);
    }
}

/* A user's own file works like the files that come with Lanewise. */
Test(chips, a_file_is_read)
{
    free(
        shell_must("cp $TESTS/../gpu/predict/chips/h200 mine && sed -i 's/^launch_us.*/launch_us = "
                   "5000/' mine && $LANEWISE run --gpu ./mine $PROGRAMS/indices 2>&1 >/dev/null | "
                   "grep -q 'predicted time on NVIDIA H200: 5[0-9][0-9][0-9] us'"));
}
