/* Writes results as JSON files. */
#include "report/result_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"

static double sum_of(const json_t *results, const char *key)
{
    double sum = 0;
    size_t i;
    json_t *result;
    json_array_foreach(results, i, result) sum += json_number_of(result, key);
    return (double)(long long)(sum * 10 + 0.5) / 10; /* rounded to tenths of a point */
}

static bool all_passed(const json_t *results)
{
    size_t i;
    json_t *result;
    json_array_foreach(results, i, result)
    {
        const char *status = json_string_value(json_object_get(result, "status"));
        if (!status || strcmp(status, "passed") != 0)
            return false;
    }
    return true;
}

json_t *report_result_set(const json_t *results, double seconds)
{
    const json_t *first = json_array_get(results, 0);
    return json_pack("{s:s, s:O, s:O, s:O, s:O, s:s, s:f, s:f, s:f, s:O}", "schema",
                     "lanewise/results/v1", "device", json_object_get(first, "device"),
                     "device_name", json_object_get(first, "device_name"), "seed",
                     json_object_get(first, "seed"), "version", json_object_get(first, "version"),
                     "status", all_passed(results) ? "passed" : "not-yet", "score",
                     sum_of(results, "score"), "max_score", sum_of(results, "max_score"), "seconds",
                     seconds, "results", results);
}

bool report_json_writable(const char *path)
{
    char folder[PATH_SIZE];
    struct stat status;
    const char *slash = strrchr(path, '/');
    bool there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (there && !S_ISREG(status.st_mode)) /* PATH is a pipe or a device */
        return access(path, W_OK) == 0;
    if (!base_path(folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".")) {
        errno = ENAMETOOLONG;
        return false;
    }
    return access(folder, W_OK | X_OK) == 0;
}

bool report_json_write(const json_t *document, const char *path)
{
    /* 12 digits, so that 22.1 does not become 22.100000000000001 */
    char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    if (!text) {
        errno = ENOMEM;
        return false;
    }
    size_t size = strlen(text);
    text[size] = '\n'; /* the newline replaces the NUL */
    bool written = base_write_output(path, text, size + 1, 0644);
    int reason = errno;
    free(text);
    errno = reason;
    return written;
}
