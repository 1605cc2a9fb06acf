/* Tests `lanewise occupancy`: its output, its drawings, and its messages about mistakes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(occupancy_command, .init = shell_init, .fini = shell_fini);
TestSuite(golden_occupancy, .init = shell_init, .fini = shell_fini);

Test(golden_occupancy, of_kernels)
{
    char *text =
        shell_must("run() { echo \"\\$ lanewise occupancy $*\"; $LANEWISE occupancy $*; echo; }\n"
                   "run --threads 256 --registers 33 --shared 20000 --cc 3.0\n"
                   "run --threads 256 --registers 33 --shared 20000 --cc all\n"
                   "run --threads 96 --registers 10 --cc 1.0\n"
                   "run --threads 1000 --cc 1.1\n"
                   "run --threads 1024 --registers 65\n"
                   "run --threads 32 --shared 1\n"
                   "run --threads 640 --registers 125 --shared 233000\n"
                   "run --threads 512 --registers 32 --shared 60000 --cc 8.6\n"
                   "run --threads 64 --registers 0 --cc 12.1\n"
                   "run --threads 64 --shared 2147483647\n");
    golden_check("occupancy.txt", text);
    free(text);
}

Test(golden_occupancy, limits)
{
    char *text = shell_must("$LANEWISE occupancy --limits; $LANEWISE occupancy --limits --cc 1.3");
    golden_check("limits.txt", text);
    free(text);
}

Test(golden_occupancy, curves)
{
    free(shell_must(
        "$LANEWISE occupancy --threads 256 --registers 33 --shared 20000 --cc 3.0 -o a.svg"));
    char *svg = shell_file("a.svg", NULL);
    golden_check("occupancy.svg", svg);
    free(svg);
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"", "give the size of a block, such as --threads 256"},
    {"--threads 0", "--threads must be a whole number from 1 to 1024, not \"0\""},
    {"--threads 1025", "--threads must be a whole number from 1 to 1024, not \"1025\""},
    {"--threads 32 --registers 256", "--registers must be a whole number from 0 to 255"},
    {"--threads 32 --shared -1", "--shared must be a whole number"},
    {"--threads 32 --cc 4.0", "no compute capability \"4.0\"; known are 1.0, 1.1, "},
    {"--threads 32 --cc 9", "no compute capability \"9\""},
    {"--threads 32 --cc 9.0a", "no compute capability \"9.0a\""},
    {"--threads 32 --cc 10.01", "no compute capability \"10.01\""},
    {"--threads 32 --cc all -o a.svg",
     "a picture shows one compute capability; choose it, for example with --cc 9.0"},
    {"--threads 32 -o none/a.svg", "cannot write none/a.svg"},
    {"--limits --threads 32", "--limits shows no kernel"},
    {"--threads 32 256", "unexpected \"256\": occupancy takes only options"},
};

Test(occupancy_command, mistakes_are_refused_in_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE occupancy %s", refusals[i].arguments);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s",
                  refusals[i].arguments, output);
        free(output);
    }
}

/* With the advised value, one more block fits. With the next larger value, it does not. */
Test(occupancy_command, the_advice_is_exact)
{
    free(shell_must(
        "blocks() { $LANEWISE occupancy \"$@\" | sed -nE 's/^Occupancy.*: ([0-9]+) block.*/\\1/p'; }\n"
        "for cc in 1.3 2.0 3.0 6.0 7.5 9.0 12.0; do\n"
        "  least=$($LANEWISE occupancy --threads 64 --registers 60 --shared 9000 --cc $cc | "
        "sed -nE 's/^  at most ([0-9,]+) bytes.*/\\1/p' | tr -d ,)\n"
        "  [ \"$least\" ] || continue\n"
        "  now=$(blocks --threads 64 --registers 60 --shared 9000 --cc $cc)\n"
        "  one=$(blocks --threads 64 --shared $least --cc $cc)\n"
        "  two=$(blocks --threads 64 --shared $((least + 1)) --cc $cc)\n"
        "  echo $cc: $now $least $one $two\n"
        "  [ $one -eq $((now + 1)) ] && [ $two -eq $now ] || exit 1\n"
        "done; [ \"$one\" ]"));
}
