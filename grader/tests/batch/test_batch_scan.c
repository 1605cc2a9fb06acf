/* Tests the scan of lanewise batch: which student a hand-in belongs to, which files it contains,
 * and which lab each file is for. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/handin.h"
#include "batch/match.h"
#include "batch/roster.h"
#include "batch/scan.h"
#include "tests/support/shell.h"

TestSuite(batch_scan, .init = shell_init, .fini = shell_fini, .timeout = 100);

static struct lab kit[] = {
    {.name = "01-parallelize", .file = "parallelize.cu"},
    {.name = "02-coalesce", .file = "coalesce.cu"},
    {.name = "03-shared-reduce", .file = "shared_reduce.cu"},
    {.name = "13-reduce", .file = "reduce.cu"},
};
#define LABS (sizeof kit / sizeof *kit)

/* --- for which lab? --------------------------------------------------------------------------- */

static const struct {
    const char *path, *source;
    enum batch_match match;
    unsigned lab; /* number of the expected lab, or 0 if no lab must be found */
} matches[] = {
    {"coalesce.cu", "", BATCH_BY_NAME, 2},
    {"a/b/Coalesce.CU", "", BATCH_BY_NAME, 2},
    {"smith_coalesce-2.cu", "", BATCH_BY_NAME, 2},
    {"coalesce (1).cu", "", BATCH_BY_NAME, 2},
    {"coalesced.cu", "", BATCH_NO_MATCH, 0},
    {"recoalesce.cu", "", BATCH_NO_MATCH, 0},
    {"shared_reduce.cu", "", BATCH_BY_NAME, 3},
    {"my_reduce.cu", "", BATCH_BY_NAME, 13},
    {"01-parallelize/coalesce.cu", "", BATCH_BY_NAME, 2},
    {"01-parallelize/kernel.cu", "", BATCH_BY_FOLDER, 1},
    {"02-coalesce/old/kernel.cu", "", BATCH_BY_FOLDER, 2},
    {"01-parallelize/02-coalesce/kernel.cu", "", BATCH_BY_FOLDER, 2},
    {"Lab 2/kernel.cu", "", BATCH_BY_FOLDER, 2},
    {"lab-02/kernel.cu", "", BATCH_BY_FOLDER, 2},
    {"lab13/kernel.cu", "", BATCH_BY_FOLDER, 13},
    {"lab23/kernel.cu", "", BATCH_NO_MATCH, 0},
    {"labour/kernel.cu", "", BATCH_NO_MATCH, 0},
    {"kernel.cu", "/* Lab 03: sums */", BATCH_BY_FIRST_LINE, 3},
    {"02-coalesce/kernel.cu", "/* Lab 03: sums */", BATCH_BY_FOLDER, 2},
    {"kernel.cu", "// nothing", BATCH_NO_MATCH, 0},
};

Test(batch_scan, which_lab_a_file_is_for)
{
    for (size_t i = 0; i < sizeof matches / sizeof *matches; ++i) {
        size_t lab = LABS;
        enum batch_match match = batch_match(kit, LABS, matches[i].path, matches[i].source, &lab);
        unsigned number = match ? (unsigned)strtoul(kit[lab].name, NULL, 10) : 0;
        cr_expect_eq(match, matches[i].match, "%s: %d", matches[i].path, (int)match);
        cr_expect_eq(number, matches[i].lab, "%s: lab %u", matches[i].path, number);
    }
}

/* --- names ------------------------------------------------------------------------------------ */

static const struct {
    const char *raw, *clean;
} names[] = {
    {"s001", "s001"},
    {"Zoë 王", "Zoë 王"},
    {"a\xff"
     "b",
     "a%FFb"},
    {"a\xfe"
     "b",
     "a%FEb"},
    {"a%FFb", "a%25FFb"},
    {"a\nb\x1b[1m", "a%0Ab%1B[1m"},
    {"a\xe2\x80\xae"
     "b",
     "a%E2%80%AEb"}, /* this character reverses the order in which the text after it is displayed */
};

Test(batch_scan, names_are_clean_and_stay_apart)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char *clean = batch_clean_name(names[i].raw);
        cr_expect_str_eq(clean, names[i].clean, "%zu: %s", i, clean);
        free(clean);
    }
}

static const struct {
    const char *name;
    int64_t time;
} times[] = {
    {"2026-11-20T18:30:05Z", 1795199405},
    {"try 2026-11-20 18:30Z", 1795199400},
    {"2026-11-20_18-30-05Z_x", 1795199405},
    {"2026-11-20T18h30m05Z", 1795199405},
    {"attempt-3", 0},
    {"2026-11-20", 0},
    {"2026-13-20T18:30:05Z", 0},
    {"12026-11-20T18:30:05Z", 1795199405},
};

Test(batch_scan, times_in_names)
{
    for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
        int64_t time = batch_time_in_name(times[i].name);
        cr_expect_eq(time, times[i].time, "%s: %lld", times[i].name, (long long)time);
    }
}

/* --- the roster ------------------------------------------------------------------------------- */

static bool read_roster(const char *text, struct batch_roster *roster, char *error, size_t size)
{
    char path[PATH_SIZE];
    base_path(path, "%s/roster.csv", shell_folder());
    cr_assert(base_write_file(path, text, strlen(text), 0600));
    return batch_roster_read(path, roster, error, size);
}

static const struct {
    const char *text, *found; /* "id=name;" for each student, or the end of the message */
    bool good;
} rosters[] = {
    {"id,name\ns1,Ann\ns2,Bob\n", "s1=Ann;s2=Bob;", true},
    {"name,id\r\nAnn,s1\r\nBob,s2", "s1=Ann;s2=Bob;", true},
    {"\xef\xbb\xbfName,Mail,Student ID\r\n\"Zuse, \"\"K.\"\"\",a@b, s1 \r\n", "s1=Zuse, \"K.\";",
     true},
    {"id,name\ns1\n\ns2,\n", "s1=;s2=;", true},
    {"Student,ID,SIS User ID\n\"Lee, Ann\",7,x\n", "7=Lee, Ann;", true},
    {"id,name\ns1,\"two\nlines\"\n", "s1=two%0Alines;", true},
    {"id,name\ns1,Jose\xcc\x81\n", "s1=José;", true},
    {"id,name\ns1,Ann\nS1,Bob\n", "roster.csv:3: an earlier row has the same id", false},
    {"id,name\ns1,\"a\n\nb\"\r\n\n,Ann\n", "roster.csv:6: this row has no id", false},
    {"id,name\ns1,\"Ann\ns2,Bob\n", "roster.csv:2: the quotation marks in this row do not match",
     false},
    {"id;name\ns1;\"Lee; Ann\"\n", "s1=Lee; Ann;", true},
    {"name\tid\nLee, Ann\ts1\n", "s1=Lee, Ann;", true},
    /* Moodle's grading worksheet and list of participants */
    {"Identifier,Full name,Email address,Status\nParticipant 4711,Ann Lee,a@b,-\n", "4711=Ann Lee;",
     true},
    {"\"First name\",\"Last name\",\"ID number\",\"Email address\"\nAnn,Lee,s1,a@b\n",
     "s1=Ann Lee;", true},
    /* Canvas's grade export */
    {"Student,ID,SIS User ID,Section\n,,,,Manual Posting\n    Points Possible,,,\n\"Lee, "
     "Ann\",7,,A\n",
     "7=Lee, Ann;", true},
    {"Last,First,SIS Id\nLee,Ann,s1\n", "roster.csv:1: this line must name the columns", false},
    {"s1,Ann\ns2,Bob\n", "roster.csv:1: this line must name the columns", false},
    {"id,name\ns1,Ann\ns2,Zo\xeb\n", "roster.csv:3: this file is not in UTF-8", false},
    {"", "is empty", false},
    {"id,name\n", "is empty", false},
};

Test(batch_scan, rosters)
{
    for (size_t i = 0; i < sizeof rosters / sizeof *rosters; ++i) {
        struct batch_roster roster;
        char error[500] = "", found[500] = "";
        bool good = read_roster(rosters[i].text, &roster, error, sizeof error);
        for (size_t j = 0; good && j < roster.count; ++j)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s=%s;",
                     roster.students[j].id, roster.students[j].name);
        cr_expect_eq(good, rosters[i].good, "roster %zu: %s", i, error);
        cr_expect(strstr(good ? found : error, rosters[i].found), "roster %zu: %s%s", i, found,
                  error);
        batch_roster_free(&roster);
    }
}

/* The number of students is limited, because each hand-in is compared with every student. */
Test(batch_scan, rosters_have_a_limit)
{
    enum { STUDENTS = 20001 };
    struct batch_roster roster;
    char error[PATH_SIZE + 200], *text = malloc(STUDENTS * 10 + 10);
    size_t used = (size_t)sprintf(text, "id,name\n");
    for (int i = 0; i < STUDENTS; ++i)
        used += (size_t)sprintf(text + used, "s%06d,x\n", i);
    cr_expect_not(read_roster(text, &roster, error, sizeof error));
    cr_expect(strstr(error, "roster.csv:20002: there are more than 20,000 students: "), "%s",
              error);
    batch_roster_free(&roster);
    free(text);
}

static const struct {
    const char *name, *id; /* NULL if the hand-in must match no student */
} owners[] = {
    {"s1", "s1"},
    {"S1", "s1"},
    {"Ann Lee", "s1"},
    {"Ann Lee_12345_assignsubmission_file", "s1"},
    {"lab2-s1-final", "s1"},
    {"s12", "s12"},
    {"s123", NULL},
    {"s1 and s2", NULL},
    {"s1 and s12", "s12"},
    {"JOSÉ Díaz", "s2"},
    {"Jose\xcc\x81 Di\xcc\x81"
     "az",
     "s2"},
    {"Anna Lee", NULL},
    {"Lee_Ann", "s1"},
    {"Lee, Ann", "s1"},
    {"leeann_4711_815", "s1"},
    {"leeann_LATE_4711_815", "s1"},
    {"Diaz Jose_12_assignsubmission_file", "s2"},
    {"diazjose_4711", "s2"},
    {"Lee Ann Mary", NULL},
    {"oneilsean_1", "s13"},
    {"Sean ONeil", "s13"},
    {"Strasse_Lukasz", "s14"},
    {"Kim Lee", NULL}, /* the roster has both "Lee, Kim" and "Kim, Lee" */
    {"Lee_4711_assignsubmission_file", NULL},
};

Test(batch_scan, students_of_hand_ins)
{
    struct batch_roster roster;
    char error[500];
    cr_assert(read_roster("id,name\ns1,Ann Lee\ns2,José Díaz\ns12,Li\ns13,\"O'Neil, Seán\"\n"
                          "s14,Łukasz Straße\ns15,\"Lee, Kim\"\ns16,\"Kim, Lee\"\n",
                          &roster, error, sizeof error));
    for (size_t i = 0; i < sizeof owners / sizeof *owners; ++i) {
        const struct batch_student *owner = batch_roster_find(&roster, owners[i].name, NULL);
        cr_expect((!owner && !owners[i].id) ||
                      (owner && owners[i].id && strcmp(owner->id, owners[i].id) == 0),
                  "%s: %s", owners[i].name, owner ? owner->id : "nobody");
    }
    batch_roster_free(&roster);
}

/* --- a folder of submissions ------------------------------------------------------------------ */

/* Appends a line with the values that ROW has under KEYS. */
static void add_line(char *text, size_t size, const json_t *row, const char *const *keys)
{
    for (; *keys; ++keys)
        snprintf(text + strlen(text), size - strlen(text), "%s%s",
                 json_string_value(json_object_get(row, *keys)), keys[1] ? " | " : "\n");
}

static struct batch_hidden hidden; /* the hidden files that the last scan skipped */

/* Scans the folder subs in the shell's folder. Returns one line for each submission, for each
 * review and, after "0:", for each empty hand-in. */
static char *scan(const struct batch_roster *roster)
{
    static char text[20000];
    static struct batch_lab scanned[LABS];
    static const char *const of_submission[] = {"student", "lab", "path", NULL};
    static const char *const of_review[] = {"student", "lab", "path", "why", NULL};
    char path[PATH_SIZE], subs[PATH_SIZE];
    char out[PATH_SIZE], error[2 * PATH_SIZE];
    size_t i;
    json_t *row;
    for (i = 0; i < LABS; ++i) {
        scanned[i] = (struct batch_lab){.lab = kit[i], .grader = "g"};
        scanned[i].lab.declared = json_pack("{s:s, s:[]}", "title", "", "checks");
    }
    base_path(path, "%s/" BATCH_STORE_FILE, shell_folder());
    base_path(subs, "%s/subs", shell_folder());
    base_path(out, "%s/subs/grades", shell_folder());
    struct batch_store *store = batch_store_open(path, error, sizeof error);
    cr_assert(store, "%s", error);
    struct batch_scan scan = {.folder = subs,
                              .out = out,
                              .labs = scanned,
                              .lab_count = LABS,
                              .roster = roster,
                              .hidden = &hidden};
    hidden = (struct batch_hidden){0};
    if (!batch_scan(store, &scan, error, sizeof error)) {
        cr_assert(strstr(error, "contains no submission to any lab"), "%s", error);
        batch_store_close(store);
        snprintf(text, sizeof text, "nothing\n");
        return text;
    }
    json_t *submissions = batch_store_submissions(store), *reviews = batch_store_reviews(store);
    json_t *empties = batch_store_empties(store);
    text[0] = 0;
    json_array_foreach(submissions, i, row) add_line(text, sizeof text, row, of_submission);
    json_array_foreach(reviews, i, row) add_line(text, sizeof text, row, of_review);
    json_array_foreach(empties, i, row)
    {
        strcat(text, "0: ");
        add_line(text, sizeof text, row, of_review);
    }
    json_decref(empties);
    json_decref(submissions);
    json_decref(reviews);
    batch_store_close(store);
    for (i = 0; i < LABS; ++i)
        json_decref(scanned[i].lab.declared);
    return text;
}

static void expect_scan(const char *maker, const char *expected)
{
    free(shell_must("rm -rf subs grades.sqlite; mkdir subs; cd subs; %s", maker));
    const char *found = scan(NULL);
    cr_expect_str_eq(found, expected, "%s\nfound:\n%s", maker, found);
}

static const struct {
    const char *maker, *expected;
} folders[] = {
    /* each student has a folder, of any depth */
    {"mkdir -p ann bob/a/b/c; echo 1 >ann/coalesce.cu; echo 2 >bob/a/b/c/coalesce.cu",
     "ann | 02-coalesce | ann/coalesce.cu\nbob | 02-coalesce | bob/a/b/c/coalesce.cu\n"},
    /* the files are in no folders, next to the instructor's notes */
    {"echo 1 >s1_coalesce.cu; echo 2 >s2-parallelize-2.cu; echo x >notes.txt",
     "s1 | 02-coalesce | s1_coalesce.cu\ns2 | 01-parallelize | s2-parallelize-2.cu\n"},
    /* each lab has a folder */
    {"mkdir -p 02-coalesce/ann lab01/ann; echo 1 >02-coalesce/ann/kernel.cu;"
     "echo 2 >lab01/ann/kernel.cu; echo 3 >lab01/bob.cu",
     "ann | 01-parallelize | 01-parallelize/ann/kernel.cu\n"
     "ann | 02-coalesce | 02-coalesce/ann/kernel.cu\n"
     "bob | 01-parallelize | 01-parallelize/bob.cu\n"},
    /* a file whose student is unknown */
    {"echo 1 | tee coalesce.cu ann_coalesce.cu",
     "ann | 02-coalesce | ann_coalesce.cu\n"
     " |  | coalesce.cu | has no student in its name: put it into a student's folder\n"},
    /* odd names */
    {"mkdir 'Zoë 王' $'a\\nb' '%s'; echo 1 >'Zoë 王/coalesce.cu'; echo 2 >$'a\\nb/coalesce.cu';"
     "echo 3 >'%s/coalesce.cu'",
     "%25s | 02-coalesce | %25s/coalesce.cu\nZoë 王 | 02-coalesce | Zoë 王/coalesce.cu\n"
     "a%0Ab | 02-coalesce | a%0Ab/coalesce.cu\n"},
    /* there are several attempts: the time is in a folder's name, and equal files count once */
    {"mkdir -p 'ann/2026-11-20T10:00:00Z' 'ann/2026-11-19T10:00:00Z' 'ann/2026-11-21T10:00:00Z';"
     "for d in ann/*; do echo ${d:13:1} >$d/coalesce.cu; done; cp ann/*20T*/*.cu ann/*21T*/",
     "ann | 02-coalesce | ann/2026-11-19T10:00:00Z/coalesce.cu\n"
     "ann | 02-coalesce | ann/2026-11-20T10:00:00Z/coalesce.cu\n"},
    /* in a whole copy of the kit, only the student's files count */
    {"mkdir -p ann/kit/{labs,solutions}/02-coalesce ann/kit/grader/tests ann/.git ann/__MACOSX;"
     "echo 1 >ann/kit/labs/02-coalesce/coalesce.cu;"
     "echo 2 | tee ann/kit/solutions/02-coalesce/coalesce.cu ann/kit/grader/tests/coalesce.cu"
     " ann/.git/coalesce.cu ann/__MACOSX/coalesce.cu ann/kit/labs/02-coalesce/.skeleton.cu",
     "ann | 02-coalesce | ann/kit/labs/02-coalesce/coalesce.cu\n"},
    /* A second file next to the lab's file is ignored. If either of two files could be the
     * submission, neither is graded. */
    {"mkdir -p ann/02-coalesce bob/02-coalesce; echo 1 >ann/02-coalesce/coalesce.cu;"
     "echo 2 >ann/02-coalesce/old.cu; echo 3 >bob/02-coalesce/a.cu; echo 4 >bob/02-coalesce/b.cu;"
     "echo 5 >bob/x.cu",
     "ann | 02-coalesce | ann/02-coalesce/coalesce.cu\n"
     "bob |  | bob/x.cu | has no lab in its name or in its folder's name\n"
     "bob | 02-coalesce | bob/02-coalesce/a.cu | is one of several files that could be for this lab\n"
     "bob | 02-coalesce | bob/02-coalesce/b.cu | is one of several files that could be for this lab\n"},
    /* a file that contains all labs is no submission, whatever its name is */
    {"mkdir ann bob; for i in 01 02; do printf '/* Lab %s: x */\\n#include \"lab.h\"\\n' $i; done |"
     " tee bob/parallelize.cu >ann/all.cu;"
     "printf '/* Lab 02: x */\\n#include \"lab.h\"\\n/* Lab 01: was easier */\\n' >bob/coalesce.cu",
     "bob | 02-coalesce | bob/coalesce.cu\n"
     "ann | 01-parallelize | ann/all.cu | contains lab 01 and lab 02: put each into its own "
     "file\n"
     "bob | 01-parallelize | bob/parallelize.cu | contains lab 01 and lab 02: put each into its "
     "own file\n"},
    /* these files cannot be a submission */
    {"mkdir ann; touch ann/coalesce.cu; mkdir bob; printf 'a\\0b' >bob/coalesce.cu; mkdir carl;"
     "echo '/* Lab 01: x */' >carl/coalesce.cu; mkdir dan; ln -s /etc/passwd dan/coalesce.cu;"
     "ln -s dan eve; mkdir -p fay/coalesce.cu; mkdir gil; mkfifo gil/coalesce.cu;"
     "mkdir hal; head -c 2000000 /dev/zero | tr '\\0' ' ' >hal/coalesce.cu;"
     "mkdir ivo; echo 'int a;' | iconv -f UTF-8 -t UTF-16 >ivo/coalesce.cu; mkdir joe; ln -s /etc joe/x.cu",
     " |  | eve | is a link\n"
     "bob | 02-coalesce | bob/coalesce.cu | is not a text file\n"
     "carl | 02-coalesce | carl/coalesce.cu | is for lab 01 according to its first line, "
     "not for 02-coalesce\n"
     "gil | 02-coalesce | gil/coalesce.cu | is not a regular file\n"
     "hal | 02-coalesce | hal/coalesce.cu | is too large: it has 2000000 bytes, and the "
     "limit is 1048576\n"
     "ivo | 02-coalesce | ivo/coalesce.cu | is in UTF-16: save it as UTF-8 (in your editor, or: "
     "iconv -f UTF-16 -t UTF-8 OLD >NEW)\n"
     "0: ann | 02-coalesce | ann/coalesce.cu | is empty: hand in your coalesce.cu\n"
     "0: dan | 02-coalesce | dan/coalesce.cu | is a link, not the file itself\n"
     "0: joe |  | joe/x.cu | is a link, not the file itself\n"},
    /* an empty file next to the right one does no harm */
    {"mkdir ann bob; echo 1 >ann/coalesce.cu; touch ann/old.cu; echo 1 >bob/kernel.cu;"
     "sed -i '1i /* Lab 02: x */' bob/kernel.cu; touch bob/coalesce.cu",
     "ann | 02-coalesce | ann/coalesce.cu\n"
     "bob | 02-coalesce | bob/kernel.cu\n"
     "0: ann |  | ann/old.cu | is empty\n"
     "0: bob | 02-coalesce | bob/coalesce.cu | is empty: hand in your coalesce.cu\n"},
    /* the message names only a few of many files, both for each lab and for the rest */
    {"mkdir -p ann/02-coalesce; for i in 1 2 3 4 5 6 7; do echo $i | tee ann/$i.cu "
     ">ann/02-coalesce/$i.cu; done;"
     "rm ann/02-coalesce/[4-7].cu",
     "ann |  | ann | has 2 more files like these\n"
     "ann |  | ann/1.cu | has no lab in its name or in its folder's name\n"
     "ann |  | ann/2.cu | has no lab in its name or in its folder's name\n"
     "ann |  | ann/3.cu | has no lab in its name or in its folder's name\n"
     "ann |  | ann/4.cu | has no lab in its name or in its folder's name\n"
     "ann |  | ann/5.cu | has no lab in its name or in its folder's name\n"
     "ann | 02-coalesce | ann/02-coalesce/1.cu | is one of several files that could be for this lab\n"
     "ann | 02-coalesce | ann/02-coalesce/2.cu | is one of several files that could be for this lab\n"
     "ann | 02-coalesce | ann/02-coalesce/3.cu | is one of several files that could be for this lab\n"},
    /* the folder of --out is not a student's */
    {"mkdir -p grades/ann; echo 1 >grades/ann/coalesce.cu", "nothing\n"},
};

Test(batch_scan, folders)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i)
        expect_scan(folders[i].maker, folders[i].expected);
}

Test(batch_scan, hidden_files_are_reported)
{
    expect_scan(
        "mkdir -p ann .bob 02-coalesce/.carl .git; touch .eve.zip ._fay.zip .DS_Store .gil.cu;"
        "for d in ann .bob 02-coalesce/.carl; do echo 1 >$d/coalesce.cu; done",
        "ann | 02-coalesce | ann/coalesce.cu\n");
    cr_expect(hidden.count == 4, "%zu", hidden.count);
    cr_expect_str_eq(hidden.first, ".bob");
}

static const struct {
    const char *maker, *expected;
} archives[] = {
    {"mkdir -p x/02-coalesce; echo 1 >x/02-coalesce/kernel.cu; echo 2 >'x/parallelize é.cu';"
     "(cd x; bsdtar caf ../ann.zip *; bsdtar caf ../bob.tar *; bsdtar caf ../carl.tar.gz *;"
     "bsdtar caf ../dan.tar.xz *; bsdtar caf ../eve.tar.bz2 *; bsdtar caf ../fay.tar.zst *;"
     "bsdtar cf - * | gzip >../gil.TGZ); rm -r x",
     "ann | 01-parallelize | ann.zip/parallelize é.cu\n"
     "ann | 02-coalesce | ann.zip/02-coalesce/kernel.cu\n"
     "bob | 01-parallelize | bob.tar/parallelize é.cu\n"
     "bob | 02-coalesce | bob.tar/02-coalesce/kernel.cu\n"
     "carl | 01-parallelize | carl.tar.gz/parallelize é.cu\n"
     "carl | 02-coalesce | carl.tar.gz/02-coalesce/kernel.cu\n"
     "dan | 01-parallelize | dan.tar.xz/parallelize é.cu\n"
     "dan | 02-coalesce | dan.tar.xz/02-coalesce/kernel.cu\n"
     "eve | 01-parallelize | eve.tar.bz2/parallelize é.cu\n"
     "eve | 02-coalesce | eve.tar.bz2/02-coalesce/kernel.cu\n"
     "fay | 01-parallelize | fay.tar.zst/parallelize é.cu\n"
     "fay | 02-coalesce | fay.tar.zst/02-coalesce/kernel.cu\n"
     "gil | 01-parallelize | gil.TGZ/parallelize é.cu\n"
     "gil | 02-coalesce | gil.TGZ/02-coalesce/kernel.cu\n"},
    /* archives in a student's folder are attempts; an archive in an archive is not opened */
    {"mkdir -p ann/x; echo 1 >ann/x/coalesce.cu; (cd ann/x; bsdtar caf ../1.zip coalesce.cu;"
     "bsdtar caf ../y.zip ../1.zip; mv ../y.zip ../../bob.zip); rm -r ann/x",
     "ann | 02-coalesce | ann/1.zip/coalesce.cu\n"
     "bob |  | bob.zip/../1.zip | is an archive inside an archive\n"},
    /* names with ../ are only names, and links are not followed */
    {"mkdir x; echo 1 >x/coalesce.cu; (cd x; bsdtar -cPf ../ann.tar -s ',^,../../../../,' "
     "coalesce.cu;"
     "ln -s /etc/passwd parallelize.cu; bsdtar -cf ../bob.tar parallelize.cu;"
     "ln coalesce.cu reduce.cu; bsdtar -cf ../carl.tar coalesce.cu reduce.cu); rm -r x",
     "ann | 02-coalesce | ann.tar/../../../../coalesce.cu\n"
     "carl | 02-coalesce | carl.tar/coalesce.cu\n"
     "carl | 13-reduce | carl.tar/reduce.cu | is a hard link to another file\n"
     "0: bob | 01-parallelize | bob.tar/parallelize.cu | is a link, not the file itself\n"},
    /* a hand-in does not count as missing if it cannot be read as a file */
    {"mkdir x; mkfifo x/coalesce.cu; bsdtar -C x -cf ann.tar coalesce.cu; rm x/coalesce.cu;"
     "echo 1 >x/coalesce.cu;"
     "bsdtar -C x -cf bob.tar -s \",^,$(printf '%04500d' 0 | sed s,...,dd/,g),\" coalesce.cu; "
     "rm -r x",
     "ann | 02-coalesce | ann.tar/coalesce.cu | is not a regular file\n"
     "bob |  | bob.tar | has a file nested in too many folders; it was skipped\n"},
    /* these archives are truncated, of unknown format, empty or encrypted */
    {"seq 20000 >coalesce.cu; bsdtar caf ann.tar.gz coalesce.cu; bsdtar caf bob.zip coalesce.cu;"
     "truncate -s 9000 ann.tar.gz bob.zip; seq 3000 >carl.zip; bsdtar -cf dan.tar -T /dev/null;"
     "echo secret >coalesce.cu; bsdtar -a -cf eve.zip --options zip:encryption=zipcrypt"
     " --passphrase x coalesce.cu; rm coalesce.cu",
     "ann |  | ann.tar.gz | is damaged, or is not a zip, tar, 7z or rar file\n"
     "bob |  | bob.zip | is damaged; the rest was skipped\n"
     "bob | 02-coalesce | bob.zip/coalesce.cu | is damaged\n"
     "carl |  | carl.zip | is damaged, or is not a zip, tar, 7z or rar file\n"
     "eve | 02-coalesce | eve.zip/coalesce.cu | is encrypted\n"
     "0: dan |  | dan.tar | is an empty archive\n"},
    /* 7z files are read, too. Hand-ins with other archives, or with files that are not CUDA
     * sources, do not count as missing. Hand-ins that contain only notes count as missing. */
    {"mkdir ann bob dan eve; echo 1 >coalesce.cu; bsdtar cf ann/x.7z --format 7zip coalesce.cu;"
     "gzip -c coalesce.cu >bob/coalesce.cu.gz; echo x | tee carl.rar dan/slides.pdf >notes.txt;"
     "cp coalesce.cu eve/coalesce.cu.txt; mv notes.txt gil.pdf; cp gil.pdf readme.md;"
     "bsdtar caf fay.zip readme.md; mv coalesce.cu eve/parallelize.cu; cp readme.md eve",
     "ann | 02-coalesce | ann/x.7z/coalesce.cu\n"
     "eve | 01-parallelize | eve/parallelize.cu\n"
     "eve | 02-coalesce | eve/coalesce.cu.txt\n"
     "bob | 02-coalesce | bob/coalesce.cu.gz | is damaged, or is not a zip, tar, 7z or rar file\n"
     "carl |  | carl.rar | is damaged, or is not a zip, tar, 7z or rar file\n"
     "dan |  | dan/slides.pdf | is not a .cu file, and no .cu file is next to it\n"
     "fay |  | fay.zip/readme.md | is not a .cu file, and no .cu file is next to it\n"},
    /* These are decompression bombs: one file that is large once unpacked, one with the lab's name,
     * and hundreds of files. */
    {"truncate -s 300M big.txt; bsdtar -c --format ustar --no-read-sparse -f - big.txt |"
     " gzip -1 >ann.tgz; rm big.txt; truncate -s 3M coalesce.cu; bsdtar -a -cf bob.zip coalesce.cu;"
     "rm coalesce.cu; mkdir x; (cd x; for i in $(seq 210); do echo $i >coalesce$i.cu; done;"
     "bsdtar -cf ../carl.tar .); rm -r x",
     "ann |  | ann.tgz | is too large when unpacked; the rest was skipped\n"
     "bob | 02-coalesce | bob.zip/coalesce.cu | is too large: the limit is 1048576 bytes\n"},
};

Test(batch_scan, archives)
{
    for (size_t i = 0; i + 1 < sizeof archives / sizeof *archives; ++i)
        expect_scan(archives[i].maker, archives[i].expected);
    /* for the last archive, compare only the beginning: it lists hundreds of files */
    size_t last = sizeof archives / sizeof *archives - 1;
    free(shell_must("rm -rf subs grades.sqlite; mkdir subs; cd subs; %s", archives[last].maker));
    const char *found = scan(NULL);
    cr_expect(strncmp(found, archives[last].expected, strlen(archives[last].expected)) == 0 &&
                  strstr(found, "carl |  | carl.tar | has too many files; the rest were skipped\n"),
              "%s", found);
}

/* --- rar: no program in Debian writes this format, so the test does
 * ------------------------------- */

static uint32_t crc32_of(const unsigned char *bytes, size_t size)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

/* Writes the SIZE low bytes of VALUE to AT in little-endian order. */
static void put_number(unsigned char *at, uint32_t value, size_t size)
{
    for (; size > 0; --size, value >>= 8)
        *at++ = (unsigned char)value;
}

/* Writes a block's header. Its checksum covers everything after the checksum. */
static void put_header(FILE *file, unsigned char *header, size_t size)
{
    put_number(header + 5, (uint32_t)size, 2);
    put_number(header, crc32_of(header + 2, size - 2), 2);
    fwrite(header, 1, size, file);
}

/* Writes a rar file of version 4 that contains one uncompressed file. */
static void write_rar(const char *path, const char *name, const char *text)
{
    unsigned char main_header[13] = {0, 0, 0x73}, header[200] = {0, 0, 0x74, 0, 0x80};
    uint32_t size = (uint32_t)strlen(text);
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    put_number(header + 7, size, 4);
    put_number(header + 11, size, 4);
    header[15] = 3; /* the host system: UNIX */
    put_number(header + 16, crc32_of((const unsigned char *)text, size), 4);
    header[24] = 20;   /* version 2.0 or later can unpack it */
    header[25] = 0x30; /* the method: stored, not compressed */
    put_number(header + 26, (uint32_t)strlen(name), 2);
    put_number(header + 28, 0100644, 4);
    memcpy(header + 32, name, strlen(name));
    fwrite("Rar!\x1a\x07\0", 1, 7, file);
    put_header(file, main_header, sizeof main_header);
    put_header(file, header, 32 + strlen(name));
    fwrite(text, 1, size, file);
    cr_assert_eq(fclose(file), 0);
}

Test(batch_scan, rar_archives)
{
    char *path = shell_must("mkdir -p subs; printf '%%s' \"$PWD/subs/ann.rar\"");
    write_rar(path, "coalesce.cu", "int main() {}\n");
    free(path);
    const char *found = scan(NULL);
    cr_expect_str_eq(found, "ann | 02-coalesce | ann.rar/coalesce.cu\n", "%s", found);
    free(shell_must("truncate -s -4 subs/ann.rar"));
    found = scan(NULL);
    cr_expect(strstr(found, "ann | 02-coalesce | ann.rar/coalesce.cu | is damaged\n"), "%s", found);
}

/* With a roster, each hand-in is assigned to its student, whichever form of the name the learning
 * system used. */
Test(batch_scan, students_of_the_roster)
{
    struct batch_roster roster;
    char error[500];
    cr_assert(
        read_roster("id,name\ns1,Ann Lee\ns2,Bob\ns3,Dan\ns4,Dan\n", &roster, error, sizeof error));
    free(shell_must("mkdir -p subs/'Ann Lee_77_file_' subs/carl subs/Dan; cd subs;"
                    "echo 1 >'Ann Lee_77_file_/coalesce.cu'; echo 2 >carl/coalesce.cu;"
                    "echo 3 >s1_99_parallelize.cu; echo x | tee s2.docx >notes.txt"));
    const char *found = scan(&roster);
    cr_expect_str_eq(
        found,
        "carl | 02-coalesce | carl/coalesce.cu\n"
        "s1 | 01-parallelize | s1_99_parallelize.cu\n"
        "s1 | 02-coalesce | Ann Lee_77_file_/coalesce.cu\n"
        "Dan |  | Dan | matches several students on the roster: add the student's id to the name of the hand-in\n"
        "carl |  | carl | matches no student on the roster: add the student's id to the name of the hand-in\n"
        "s2 |  | s2.docx | is not a .cu file, and no .cu file is next to it\n"
        "s3 |  | Dan | matches several students on the roster: add the student's id to the name of the hand-in\n"
        "s4 |  | Dan | matches several students on the roster: add the student's id to the name of the hand-in\n",
        "%s", found);
    batch_roster_free(&roster);
}
