/* Tests seeds and secrets: a grading can be repeated only with the secret. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(seed, .init = submission_init, .fini = shell_fini, .timeout = 300);

#define GRADE                                                                                      \
    "$LANEWISE grade --device emulator --lab 02 --submission a.cu --seed 42 --json out.json "
#define SECRET(digit)                                                                              \
    "(umask 077; printf '%%064d\\n' " digit " >" digit ".key); LANEWISE_SECRET=$PWD/" digit ".key "

/* Writes a program with a wrong result, because the message about it shows numbers from the
 * input. */
static void write_wrong(void)
{
    static const struct edit edits[SUBMISSION_EDITS] = {
        {"for (int i = me; i < n; i += all)", "for (int i = me + 1; i < n; i += all)"}};
    submission_write("02-coalesce", edits, "a.cu");
}

Test(seed, the_number_alone_does_not_give_the_inputs)
{
    int code;
    write_wrong();
    char *one = submission_normalise(shell(&code, SECRET("1") GRADE));
    cr_assert_eq(code, 1, "%s", one);
    char *two = submission_normalise(shell(&code, SECRET("2") GRADE));
    char *again = submission_normalise(shell(&code, SECRET("1") GRADE));
    cr_expect_str_neq(one, two);
    cr_expect_str_eq(one, again);
    free(one);
    free(two);
    free(again);
}

Test(seed, the_owners_secret_is_made_once_and_kept)
{
    int code;
    write_wrong();
    char *one = submission_normalise(
        shell(&code, "unset LANEWISE_SECRET; export XDG_STATE_HOME=$PWD/state; " GRADE));
    char *mode = shell_must("stat -c %%a state/lanewise/secret.key; ls state/lanewise");
    cr_expect_str_eq(mode, "600\nsecret.key\n");
    char *two = submission_normalise(
        shell(&code, "unset LANEWISE_SECRET; export XDG_STATE_HOME=$PWD/state; " GRADE));
    cr_expect_str_eq(one, two);
    free(one);
    free(two);
    free(mode);
}

Test(seed, a_damaged_secret_is_reported_in_one_line)
{
    int code;
    write_wrong();
    char *text = shell(&code, "unset LANEWISE_SECRET; export XDG_STATE_HOME=$PWD/state; umask 077\n"
                              "mkdir -p state/lanewise; echo 12 >state/lanewise/secret.key\n" GRADE
                              "2>&1 >/dev/null");
    cr_expect_eq(code, 1);
    cr_expect(
        strstr(text, "lanewise grade: warning: ") == text &&
            strstr(text,
                   "/state/lanewise/secret.key is not a key: lanewise key FILE makes one; "
                   "until you remove this file, a seed does not give the same inputs as before\n"),
        "%s", text);
    cr_expect_eq(strchr(text, '\n')[1], 0, "%s", text);
    free(text);
}

Test(seed, a_secret_that_is_none_is_refused)
{
    int code;
    write_wrong();
    char *text = shell(&code, "LANEWISE_SECRET=$PWD/a.cu " GRADE);
    cr_expect_eq(code, 2);
    cr_expect(strstr(text, "lanewise grade: LANEWISE_SECRET: "), "%s", text);
    free(text);
}

Test(seed, a_result_can_be_repeated_elsewhere_by_who_has_its_secret)
{
    int code;
    write_wrong();
    free(shell(&code, SECRET("1") GRADE));
    char *text = shell(&code, SECRET("2") "$LANEWISE verify --unsigned out.json");
    cr_expect_eq(code, 0, "%s", text);
    free(text);
    free(shell_must("sed -i '/\"secret\"/d' out.json"));
    text = shell(&code, SECRET("2") "$LANEWISE verify --unsigned out.json");
    cr_expect_eq(code, 1, "%s", text);
    free(text);
    text = shell(&code, SECRET("1") "$LANEWISE verify --unsigned out.json");
    cr_expect_eq(code, 0, "%s", text);
    free(text);
}

/* The program tries to open the secret. If it can, it ends before it hands in anything. */
Test(seed, a_submission_cannot_read_the_secret)
{
    int code;
    submission_write("02-coalesce", (struct edit[SUBMISSION_EDITS]){{0}}, "a.cu");
    free(shell_must(
        "sed -i \"s|^int main(.*|&|; /^int main/,/{/ s|{|{ if (fopen(\\\"$PWD/.secret.key\\\", "
        "\\\"r\\\")) return 3;|\" a.cu && grep -q 'return 3' a.cu"));
    char *text = shell(&code, GRADE);
    cr_expect_eq(code, 0, "%s", text);
    free(text);
}

Test(seed, students_get_results_without_the_secret)
{
    int code;
    write_wrong();
    free(shell_must("mkdir -p class/alice && cp a.cu class/alice/coalesce.cu"));
    char *text =
        shell(&code, "$LANEWISE batch class --labs 2 --out grades --seed 42 --device emulator");
    cr_expect_eq(code, 0, "%s", text);
    free(text);
    free(shell_must("grep -rq '\"seed\"' grades --include=*.json && "
                    "! grep -r '\"secret\"' grades --include=*.json"));
}

/* With this seed and secret, the rotated picture of lab 15 is 3 pixels high and almost completely
 * outside. So even a correct program reads few of its pixels. */
Test(seed, a_picture_outside_for_the_most_part_costs_nothing)
{
    int code;
    static const struct edit none[SUBMISSION_EDITS];
    submission_write("15-read-only", none, "a.cu");
    char *text = shell(&code, SECRET("1") "$LANEWISE grade --device emulator --lab 15 "
                                          "--submission a.cu --seed 1");
    cr_expect_eq(code, 0, "%s", text);
    free(text);
}
