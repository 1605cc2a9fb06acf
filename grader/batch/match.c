#include "batch/match.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "course/submission.h"

static bool is_word(char c)
{
    return isalnum((unsigned char)c);
}

const char *batch_match_word(const struct lab *lab, const char *name)
{
    size_t length = strcspn(lab->file, ".");
    for (const char *at = name; *at; ++at)
        if (strncasecmp(at, lab->file, length) == 0 && (at == name || !is_word(at[-1])) &&
            !is_word(at[length]))
            return at;
    return NULL;
}

/* Finds a lab by a file's name. If several labs match, takes the lab whose file has the longest
 * name: shared-reduce.cu is for the lab whose file is shared-reduce.cu, not for the lab whose file
 * is reduce.cu. */
static bool match_name(const struct lab *labs, size_t count, const char *path, size_t *lab)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; ++i) {
        size_t length = strcspn(labs[i].file, ".");
        if (length <= longest || !batch_match_word(&labs[i], base_name(path)))
            continue;
        longest = length;
        *lab = i;
    }
    return longest > 0;
}

bool batch_match_folder(const struct lab *lab, const char *name, size_t length)
{
    unsigned long wanted = strtoul(lab->name, NULL, 10);
    if (strlen(lab->name) == length && strncasecmp(lab->name, name, length) == 0)
        return true;
    if (wanted == 0 || length < 4 || strncasecmp(name, "lab", 3) != 0)
        return false;
    size_t at = 3 + strspn(name + 3, " _-");
    char *end = NULL;
    return at < length && isdigit((unsigned char)name[at]) &&
           strtoul(name + at, &end, 10) == wanted && end == name + length;
}

/* Finds the lab of the innermost folder in PATH that has a lab's name. */
static bool match_folders(const struct lab *labs, size_t count, const char *path, size_t *lab)
{
    bool found = false;
    for (const char *end; (end = strchr(path, '/')); path = end + 1)
        for (size_t i = 0; i < count; ++i)
            if (batch_match_folder(&labs[i], path, (size_t)(end - path))) {
                *lab = i;
                found = true;
            }
    return found;
}

static bool match_first_line(const struct lab *labs, size_t count, const char *source, size_t *lab)
{
    unsigned said = submission_lab_number(source);
    for (size_t i = 0; said && i < count; ++i)
        if (strtoul(labs[i].name, NULL, 10) == said) {
            *lab = i;
            return true;
        }
    return false;
}

enum batch_match batch_match(const struct lab *labs, size_t count, const char *path,
                             const char *source, size_t *lab)
{
    if (match_name(labs, count, path, lab))
        return BATCH_BY_NAME;
    if (match_folders(labs, count, path, lab))
        return BATCH_BY_FOLDER;
    return match_first_line(labs, count, source, lab) ? BATCH_BY_FIRST_LINE : BATCH_NO_MATCH;
}
