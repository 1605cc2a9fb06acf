/* Makes a class to try `lanewise batch` on: realistic submissions and their expected points.
 *
 *     make-class FOLDER STUDENTS     makes FOLDER/subs, FOLDER/roster.csv and FOLDER/expected.csv
 *
 * Of ten students, two hand in a solution (some of them byte-identical), one the skeleton, and
 * three a mutant. One hands in a program that does not compile, one an attack, and one a copy of
 * another student's mutant with all names changed. One leaves out some labs. A third of the
 * submissions are zip files, a third are tar files. The same arguments always make the same class.
 * expected.csv has a row "student,lab,points" for each submission. */
#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "course/lab.h"
#include "grade/mutant.h"

#define MUTANTS LANEWISE_ROOT "/grader/tests/mutants"

/* A lab, and the possible submissions for it. */
struct material {
    struct lab lab;
    char *solution, *skeleton;
    struct mutant mutants[64];
    size_t mutant_count;
};

static struct material materials[MAX_LABS];
static size_t material_count;

__attribute__((format(printf, 1, 2), noreturn)) static void give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(2);
}

static char *read_text(const char *path)
{
    struct text text;
    char why[100];
    if (!base_read_file(path, 1 << 20, &text, why, sizeof why))
        give_up("%s %s", path, why);
    return text.bytes;
}

/* --- the possible submissions ----------------------------------------------------------------------- */

static int is_mutant(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".diff") == 0;
}

static void read_mutants(struct material *material)
{
    char folder[PATH_SIZE], path[PATH_SIZE], error[1000];
    struct dirent **entries;
    base_path(folder, MUTANTS "/%s", material->lab.name);
    int count = scandir(folder, &entries, is_mutant, alphasort);
    for (int i = 0; i < count; ++i) {
        struct mutant *mutant = &material->mutants[material->mutant_count];
        base_path(path, "%s/%s", folder, entries[i]->d_name);
        if (material->mutant_count < 64 &&
            mutant_read(path, material->solution, mutant, error, sizeof error))
            ++material->mutant_count;
        free(entries[i]);
    }
    if (material->mutant_count == 0)
        give_up("there are no mutants in %s", folder);
    free(entries);
}

static void read_materials(void)
{
    struct lab_names names;
    char error[1000], path[PATH_SIZE];
    labs_list(&names);
    for (size_t i = 0; i < names.count; ++i) {
        struct material *material = &materials[material_count++];
        if (!labs_open(names.names[i], &material->lab, error, sizeof error))
            give_up("%s", error);
        lab_pristine_path(&material->lab, path);
        material->skeleton = read_text(path);
        material->solution = read_text(material->lab.solution);
        read_mutants(material);
    }
    labs_free(&names);
}

/* --- one submission ------------------------------------------------------------------------------------- */

/* Returns a copy of SOURCE with a comment at its end. The copy is the same program, but has another
 * hash. */
static char *signed_copy(const char *source, unsigned student)
{
    char *copy;
    if (asprintf(&copy, "%s\n// handed in by student %u\n", source, student) < 0)
        give_up("out of memory");
    return copy;
}

/* Returns a copy of SOURCE with renamed variables and without comments. */
static char *renamed_copy(const char *source)
{
    static const char *const names[][2] = {
        {"me", "index"},    {"all", "everybody"}, {"mine", "part"},
        {"i", "step"},      {"sum", "total"},     {"data", "numbers"},
        {"tile", "corner"}, {"row", "line"},      {"column", "place"}};
    char *copy = NULL;
    size_t size;
    FILE *to = open_memstream(&copy, &size);
    for (const char *at = source; *at;) {
        size_t length = strcspn(at, " \t\n");
        if (strncmp(at, "/*", 2) == 0 || strncmp(at, "//", 2) == 0) {
            const char *end = at[1] == '*' ? strstr(at, "*/") + 2 : strchr(at, '\n');
            at = end ? end : at + strlen(at);
        } else if (*at == '"' || *at == '#') { /* do not change strings and preprocessor lines */
            length = *at == '#' ? strcspn(at, "\n") : 1 + strcspn(at + 1, "\"") + 1;
            fwrite(at, 1, length, to);
            at += length;
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            for (length = 0; isalnum((unsigned char)at[length]) || at[length] == '_';)
                ++length;
            bool member = at > source && (at[-1] == '.' || at[-1] == '>');
            const char *word = NULL;
            for (size_t i = 0; !member && i < sizeof names / sizeof *names; ++i)
                if (strlen(names[i][0]) == length && strncmp(at, names[i][0], length) == 0)
                    word = names[i][1];
            fprintf(to, "%.*s", word ? (int)strlen(word) : (int)length, word ? word : at);
            at += length;
        } else
            fputc(*at++, to);
    }
    fclose(to);
    return copy;
}

/* Attacks that work in every lab. Each is put before a lab's solution. The table also says whether
 * the program still gets full points. */
static const struct {
    const char *text;
    bool full;
} attacks[] = {
    {"#include <cstdlib>\nstruct quit { quit() { exit(0); } } quit;\n", false},
    {"#include <cstdio>\nstruct flood { flood() { for (;;) puts(\"full marks\"); } } flood;\n",
     false},
    {"#include <unistd.h>\nstruct bomb { bomb() { for (int i = 0; i < 100; ++i) fork(); } } "
     "bomb;\n",
     true},
    {"struct endless { endless() { for (volatile int i = 0;;) i = 0; } } endless;\n", false},
    {"#include \"../../../../../../etc/shadow\"\n", false},
};
#define ATTACK_COUNT (sizeof attacks / sizeof *attacks)

static const char *const broken[] = {"int main( {\n", "#error not finished\n",
                                     "#include \"lap.h\"\n", "garbage in, garbage out\n"};

static char *attack_on(const struct material *material, unsigned which)
{
    char *source;
    if (asprintf(&source, "%s%s", attacks[which].text, material->solution) < 0)
        give_up("out of memory");
    return source;
}

static const struct mutant *mutant_of(const struct material *material, unsigned student)
{
    return &material->mutants[student * 7 % material->mutant_count];
}

/* Returns the submission of STUDENT and sets its expected points. Returns NULL if the student
 * submits nothing. */
static char *submission_of(const struct material *material, size_t lab, unsigned student,
                           double *score)
{
    const struct mutant *mutant = mutant_of(material, student);
    const struct mutant *other = mutant_of(material, student - 4);
    unsigned attack = (unsigned)((student / 10 + lab) % ATTACK_COUNT);
    switch ((student + lab) % 10) {
    case 0: /* the unchanged skeleton */
        *score = 100;
        return strdup(material->solution);
    case 1:
        *score = 100;
        return signed_copy(material->solution, student);
    case 2:
        *score = -1; /* the points of a skeleton differ between labs */
        return signed_copy(material->skeleton, student);
    case 3:
    case 4:
    case 5:
        *score = mutant->scores;
        return signed_copy(mutant->source, student);
    case 6:
        *score = 0;
        return signed_copy(broken[student / 10 % 4], student);
    case 7:
        *score = attacks[attack].full ? 100 : 0;
        return attack_on(material, attack);
    case 8: /* a copy of the neighbour's submission */
        *score = other->scores;
        return renamed_copy(other->source);
    default:
        *score = student % 3 ? mutant->scores : 0;
        return student % 3 ? strdup(mutant->source) : NULL;
    }
}

/* --- the class ------------------------------------------------------------------------------------------ */

static void must_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void must_run(const char *format, ...)
{
    char command[3 * PATH_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        give_up("failed: %s", command);
}

static void make_student(const char *folder, unsigned student, FILE *roster, FILE *expected)
{
    char own[PATH_SIZE], path[PATH_SIZE];
    base_path(own, "%s/subs/s%03u", folder, student);
    mkdir(own, 0755);
    fprintf(roster, "s%03u,Student %u\n", student, student);
    for (size_t i = 0; i < material_count; ++i) {
        double score;
        char *source = submission_of(&materials[i], i, student, &score);
        if (!source)
            continue;
        base_path(path, "%s/%s", own, materials[i].lab.name);
        mkdir(path, 0755);
        base_path(path, "%s/%s/%s", own, materials[i].lab.name, materials[i].lab.file);
        if (!base_write_file(path, source, strlen(source), 0644))
            give_up("cannot write %s", path);
        fprintf(expected, "s%03u,%s,", student, materials[i].lab.name);
        fprintf(expected, score < 0 ? "\n" : "%g\n", score);
        free(source);
    }
    if (student % 3 > 0)
        must_run("cd '%s' && bsdtar -caf ../s%03u.%s . && rm -r '%s'", own, student,
                 student % 3 == 1 ? "zip" : "tar.gz", own);
}

int main(int argc, char **argv)
{
    char path[PATH_SIZE];
    if (argc != 3)
        give_up("usage: make-class FOLDER STUDENTS");
    read_materials();
    must_run("rm -rf '%s' && mkdir -p '%s/subs'", argv[1], argv[1]);
    base_path(path, "%s/roster.csv", argv[1]);
    FILE *roster = fopen(path, "w");
    base_path(path, "%s/expected.csv", argv[1]);
    FILE *expected = fopen(path, "w");
    if (!roster || !expected)
        give_up("cannot write into %s", argv[1]);
    fputs("id,name\n", roster);
    for (unsigned student = 1; student <= (unsigned)atoi(argv[2]); ++student)
        make_student(argv[1], student, roster, expected);
    return fclose(roster) | fclose(expected);
}
