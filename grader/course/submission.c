/* Finds and reads a student's file. */
#include "course/submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Returns true if PATH is a link. Links are not followed, because a link in a folder that a student
 * handed in can lead to another person's file. */
static bool is_link(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* Looks for FOLDER/FILE and FOLDER/NAME/FILE. Does not follow links: *LINK becomes true if FOUND is
 * a link. */
static bool find_in_folder(const struct lab *lab, const char *folder, int length,
                           char found[PATH_SIZE], bool *link)
{
    if (!base_path(found, "%.*s/%s", length, folder, lab->file))
        return false;
    *link = is_link(found);
    if (*link || access(found, F_OK) == 0)
        return !*link;
    *link = base_path(found, "%.*s/%s", length, folder, lab->name) && is_link(found);
    if (*link || !base_path(found, "%.*s/%s/%s", length, folder, lab->name, lab->file))
        return false;
    *link = is_link(found);
    return !*link && access(found, F_OK) == 0;
}

/* Finds the path of the submission's file. If the folder lacks the file, returns false, and ERROR
 * says so. */
static bool find_file(const struct lab *lab, const char *path, char found[PATH_SIZE], char *error,
                      size_t size)
{
    bool link = false;
    if (!path)
        return lab_own_path(lab, found);
    if (!is_folder(path))
        return base_path(found, "%s", path);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        --length;
    if (find_in_folder(lab, path, (int)length, found, &link))
        return true;
    if (link)
        snprintf(error, size, "%s " BASE_IS_LINK, base_shorten_path(found));
    else
        snprintf(error, size, "the folder %s contains neither %s nor %s/%s", path, lab->file,
                 lab->name, lab->file);
    return false;
}

static bool is_blank(const struct text *text)
{
    return strspn(text->bytes, " \t\r\n") == text->size;
}

/* Returns true if TEXT is UTF-16, which some editors on Windows write. Such a file begins with a
 * byte order mark, or nearly every second byte is zero, because most of a C source is ASCII. */
static bool is_utf16(const struct text *text)
{
    size_t zeros[2] = {0, 0};
    for (size_t i = 0; i < text->size; ++i)
        zeros[i % 2] += text->bytes[i] == 0;
    size_t more = zeros[0] > zeros[1] ? zeros[0] : zeros[1], fewer = zeros[0] + zeros[1] - more;
    bool marked = text->size >= 2 && (memcmp(text->bytes, "\xff\xfe", 2) == 0 ||
                                      memcmp(text->bytes, "\xfe\xff", 2) == 0);
    return text->size % 2 == 0 && (marked || (more > text->size / 4 && 8 * fewer <= more));
}

unsigned submission_lab_number(const char *source)
{
    unsigned number = 0;
    return sscanf(source, "/* Lab %u:", &number) == 1 ? number : 0;
}

/* Returns true if the file PATH exists but is not a regular file, or is too large. */
static bool is_unfit_file(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 &&
           (!S_ISREG(status.st_mode) || status.st_size > (off_t)SUBMISSION_BYTES);
}

/* Returns the number of another lab whose whole file was pasted into SOURCE, a submission for lab
 * OWN. Returns 0 if there is none. A pasted file is recognised by the comment "Lab NN:" at its
 * beginning and by its #include of lab.h. */
static unsigned other_lab(const char *source, unsigned own)
{
    static const char include[] = "#include \"lab.h\"";
    const char *first = strstr(source, include), *line = first;
    while (line && (line = strstr(line, "\n/* Lab "))) {
        unsigned number = submission_lab_number(++line);
        if (number && number != own && strstr(line, include))
            return number;
    }
    return 0;
}

bool submission_check(const struct lab *lab, const struct text *source, char *why, size_t size)
{
    unsigned own = submission_lab_number(source->bytes), other;
    unsigned number = (unsigned)strtoul(lab->name, NULL, 10);
    if (source->size == 0 || is_blank(source))
        snprintf(why, size, "is empty: hand in your %s", lab->file);
    else if (is_utf16(source))
        snprintf(
            why, size,
            "is in UTF-16: save it as UTF-8 (in your editor, or: iconv -f UTF-16 -t UTF-8 OLD >NEW)");
    else if (strlen(source->bytes) != source->size)
        snprintf(why, size, "is not a text file");
    else if (own && number && own != number)
        snprintf(why, size, "is for lab %02u according to its first line, not for %s", own,
                 lab->name);
    else if (own && (other = other_lab(source->bytes, own)))
        snprintf(why, size, "contains lab %02u and lab %02u: put each into its own file", own,
                 other);
    else
        return true;
    return false;
}

bool submission_open(const struct lab *lab, const char *path, struct submission *submission,
                     char *error, size_t size)
{
    char found[PATH_SIZE], why[200];
    struct text *source = &submission->source;
    *submission = (struct submission){0};
    if (!find_file(lab, path, found, error, size)) {
        submission->unfit = true;
        snprintf(submission->shown, sizeof submission->shown, "%s", lab->file);
        return false;
    }
    char *line = base_one_line(base_shorten_path(found));
    snprintf(submission->shown, sizeof submission->shown, "%s", line ? line : lab->file);
    free(line);
    bool read = base_read_no_link(found, SUBMISSION_BYTES, source, why, sizeof why);
    if (read && submission_check(lab, source, why, sizeof why))
        return true;
    snprintf(error, size, "%s %s", submission->shown, why);
    submission->unfit = read || is_unfit_file(found);
    submission_close(submission);
    return false;
}

void submission_close(struct submission *submission)
{
    free(submission->source.bytes);
    submission->source = (struct text){0};
}
