/* make soak: grades a thousand submissions in one process, and checks what the gradings leave
 * behind.
 *
 *     descriptors, children, files, mounts, shared memory    must be as many as before
 *     memory in use by malloc()                              may grow by less than LEAST bytes per grading
 *
 * Three of four submissions fail, each in a different way, because failures leak most easily. The
 * first gradings allocate memory that all gradings share, so counting starts after them. */
#include <dirent.h>
#include <ftw.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "grade/grade.h"
#include "sandbox/sandbox.h"

#define LAB   "02-coalesce"
#define FIRST 20
#define LEAST 16 /* bytes per grading; the smallest block that malloc() returns */

/* Code that is placed before the lab's solution. */
static const struct trick {
    const char *name, *text;
    double score;
} tricks[] = {
    {"solution", "", 100},
    {"exit", "#include <unistd.h>\nstruct trick { trick() { _exit(0); } } trick;\n", 0},
    {"crash", "struct trick { trick() { *(volatile int *)8 = 1; } } trick;\n", 0},
    {"chatter",
     "#include <stdio.h>\nstruct trick { trick() { for (;;) puts(\"more and more\"); } } trick;\n",
     0},
};
#define TRICKS (sizeof tricks / sizeof *tricks)

/* --- counts ---------------------------------------------------------------------------------------- */

enum { DESCRIPTORS, CHILDREN, FILES, MOUNTS, SHARED, MEMORY, RESIDENT, THINGS };

static const char *const names[THINGS] = {"descriptors",   "children",          "temporary files",
                                          "mounts",        "files in /dev/shm", "bytes allocated",
                                          "bytes resident"};

static long count_entries(const char *path)
{
    DIR *folder = opendir(path);
    long count = 0;
    while (folder && readdir(folder))
        ++count;
    if (folder)
        closedir(folder);
    return count;
}

/* Counts the words in a file, which are separated by white space. */
static long count_words(const char *path)
{
    char word[4096];
    FILE *file = fopen(path, "r");
    long count = 0;
    while (file && fscanf(file, "%4095s", word) == 1)
        ++count;
    if (file)
        fclose(file);
    return count;
}

static long files_seen;

static int see_file(const char *path, const struct stat *status, int type, struct FTW *where)
{
    ++files_seen;
    return 0;
}

static long count_files(const char *path)
{
    files_seen = 0;
    nftw(path, see_file, 16, FTW_PHYS);
    return files_seen;
}

static long resident_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void look(const char *temporary, long things[THINGS])
{
    things[DESCRIPTORS] = count_entries("/proc/self/fd");
    things[CHILDREN] = count_words("/proc/thread-self/children");
    things[FILES] = count_files(temporary);
    things[MOUNTS] = count_words("/proc/self/mounts");
    things[SHARED] = count_entries("/dev/shm");
    things[MEMORY] = (long)mallinfo2().uordblks;
    things[RESIDENT] = resident_bytes();
}

/* As root, mounts an empty /dev/shm, because other users of this machine also have files there. */
static void take_own_shared_memory(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=64m") != 0)
        fprintf(stderr, "soak: without root, files of other users in /dev/shm are counted, too\n");
}

/* --- gradings ------------------------------------------------------------------------------------------ */

/* Returns a submission that consists of a trick and the solution. */
static struct submission submission_of(const struct lab *lab, const struct trick *trick)
{
    struct submission submission = {.shown = LAB};
    struct text source;
    char why[100];
    if (!base_read_file(lab->solution, 1 << 20, &source, why, sizeof why)) {
        fprintf(stderr, "soak: %s %s\n", lab->solution, why);
        exit(2);
    }
    int size = asprintf(&submission.source.bytes, "%s%s", trick->text, source.bytes);
    submission.source.size = size < 0 ? 0 : (size_t)size;
    free(source.bytes);
    return submission;
}

/* Grades one submission, and returns whether the grading ended as expected. */
static bool grade(const struct lab *lab, const struct trick *trick, uint64_t seed)
{
    struct submission submission = submission_of(lab, trick);
    struct grading grading = {.lab = lab, .submission = &submission, .seed = GRADE_SEED_OPEN(seed)};
    char error[6000];
    json_t *result;
    enum grade_end end = grade_submission(&grading, &result, error, sizeof error);
    double score = json_number_value(json_object_get(result, "score"));
    bool good = end == GRADE_DONE && score == trick->score;
    if (!good)
        fprintf(stderr, "soak: %s, seed %llu: %g points, %s\n", trick->name,
                (unsigned long long)seed, score, error);
    json_decref(result);
    submission_close(&submission);
    return good;
}

static int tell(const long before[THINGS], const long after[THINGS], long gradings)
{
    int left = 0;
    for (int i = 0; i < THINGS; ++i) {
        long more = after[i] - before[i];
        bool bad = i < MEMORY ? more > 0 : i == MEMORY && more > LEAST * gradings;
        printf("%-18s %12ld %12ld  %s\n", names[i], before[i], after[i],
               bad             ? "LEFT"
               : i == RESIDENT ? ""
                               : "as before");
        left += bad;
    }
    return left;
}

int main(int argc, char **argv)
{
    static struct lab lab;
    long gradings = argc > 1 ? atol(argv[1]) : 1000, bad = 0, before[THINGS], after[THINGS];
    char temporary[PATH_SIZE], error[400];
    if (gradings <= 0 || !labs_open(LAB, &lab, error, sizeof error) ||
        !base_private_folder(temporary) || setenv("TMPDIR", temporary, 1) != 0) {
        fprintf(stderr, "soak: cannot start; usage: soak GRADINGS, such as soak 1000\n");
        return 2;
    }
    take_own_shared_memory();
    enum sandbox_level level = sandbox_best_level(error, sizeof error);
    for (long i = 0; i < FIRST + gradings; ++i) {
        if (i == FIRST)
            look(temporary, before);
        bad += !grade(&lab, &tricks[(size_t)i % TRICKS], (uint64_t)i);
    }
    look(temporary, after);
    printf("%ld gradings at level %s, %ld of them with a wrong result\n", gradings,
           sandbox_level_name(level), bad);
    int left = tell(before, after, gradings);
    labs_close(&lab);
    base_remove_tree(temporary);
    return left || bad ? 1 : 0;
}
