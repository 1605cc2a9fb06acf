#include "batch/feedback.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "batch/handin.h"

/* Returns true if the first LENGTH bytes of PATH are the name of one of LABS. */
static bool is_lab(const json_t *labs, const char *path, size_t length)
{
    size_t i;
    json_t *lab;
    json_array_foreach(labs, i, lab)
    {
        const char *name = json_text_of(lab, "lab");
        if (strlen(name) == length && strncmp(name, path, length) == 0)
            return true;
    }
    return false;
}

bool batch_feedback_name(const json_t *labs, const char *path, char name[PATH_SIZE])
{
    size_t above = strcspn(path, "/"), length;
    above = path[above] && is_lab(labs, path, above) ? above + 1 : 0;
    char first[PATH_SIZE];
    if (!base_path(first, "%.*s", (int)strcspn(path + above, "/"), path + above) || !*first ||
        *first == '.')
        return false;
    bool folder = path[above + strlen(first)] == '/';
    if (batch_is_archive(first, &length))
        folder = false;
    else
        length = strrchr(first, '.') ? (size_t)(strrchr(first, '.') - first) : strlen(first);
    if (folder)
        return base_path(name, "%.*s%s/report.html", (int)above, path, first);
    return base_path(name, "%.*s%.*s.html", (int)above, path, (int)length, first);
}

/* Makes the missing folders of PATH. The first ROOT bytes of PATH name a folder that exists. */
static void make_folders(char *path, size_t root)
{
    for (char *slash = path + root; (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
}

/* Makes a hard link TO to the file FROM, or copies it if the file system has no hard links. */
static bool put_page(const char *from, const char *to)
{
    struct text text;
    char why[200];
    if (link(from, to) == 0 || errno == EEXIST)
        return true;
    if (!base_read_file(from, (size_t)1 << 30, &text, why, sizeof why))
        return false;
    bool written = base_write_file(to, text.bytes, text.size, 0644);
    free(text.bytes);
    return written;
}

/* Puts a copy of STUDENT's page under the name of each of the student's hand-ins. */
static bool put_student(const json_t *labs, const json_t *student, const char *out)
{
    char page[PATH_SIZE], name[PATH_SIZE], path[PATH_SIZE];
    const char *lab;
    json_t *entry, *attempt;
    size_t i;
    if (!base_path(page, "%s/%s/report.html", out, json_text_of(student, "folder")))
        return false;
    json_object_foreach(json_object_get(student, "labs"), lab, entry)
        json_array_foreach(json_object_get(entry, "attempts"), i, attempt)
    {
        if (!batch_feedback_name(labs, json_text_of(attempt, "path"), name) ||
            !base_path(path, "%s/" BATCH_FEEDBACK "/%s", out, name))
            continue;
        make_folders(path, strlen(out));
        if (!put_page(page, path))
            return false;
    }
    return true;
}

bool batch_write_feedback(const json_t *class, const char *out, char *error, size_t size)
{
    char folder[PATH_SIZE];
    bool good = base_path(folder, "%s/" BATCH_FEEDBACK, out);
    size_t i;
    json_t *student;
    if (good)
        base_remove_tree(folder); /* pages of removed hand-ins must not be sent */
    json_array_foreach(json_object_get(class, "students"), i, student)
    {
        good = good && put_student(json_object_get(class, "labs"), student, out);
    }
    if (!good)
        snprintf(error, size, "cannot write %s/" BATCH_FEEDBACK ": %s", out, strerror(errno));
    return good;
}
