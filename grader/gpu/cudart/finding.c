/* Reports findings of the library itself, such as an unsupported call, PTX that cannot be loaded,
 * or a launch that no GPU would accept. Writes the findings to the record, which the parent process
 * reads. If there is no record, prints each finding to stderr once. */
#include "gpu/cudart/rt.h"

#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/finding_kinds.h"

enum { MAX_PRINTED = 16, MAX_TEXT = 1024 };

extern char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

/* Replaces bytes that are not printable ASCII by "?", because they could make the JSON invalid.
 * TEXT may quote PTX, which can contain any bytes. */
static void clean(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

static json_t *kernel_name(const char *kernel)
{
    char *readable = kernel ? rt_readable_name(kernel) : NULL;
    json_t *name = json_string(readable ? readable : "");
    free(readable);
    return name;
}

char *rt_readable_name(const char *kernel)
{
    int status = -1;
    char *readable =
        strncmp(kernel, "_Z", 2) == 0 ? __cxa_demangle(kernel, NULL, NULL, &status) : NULL;
    return status == 0 ? readable : strdup(kernel);
}

bool rt_record(json_t *value)
{
    struct emu_device *device = rt_device_or_null();
    char *line = value && device ? json_dumps(value, JSON_COMPACT) : NULL;
    bool written = line && emu_note(device, line, strlen(line)) == EMU_OK;
    free(line);
    json_decref(value);
    return written;
}

static void add_related(json_t *list, const char *text, struct emu_place place)
{
    json_t *object = place.file ? json_pack("{s:s, s:i, s:s}", "file", place.file, "line",
                                            (int)place.line, "message", text)
                                : NULL;
    if (object) /* NULL if the file's name is not UTF-8 */
        json_array_append_new(list, object);
}

static bool record_finding(const char *id, const char *kernel, const struct rt_places *places,
                           unsigned count, const char *text)
{
    const struct finding_kind *kind = emu_finding_kind(id);
    json_t *related = json_array(), *file = json_string(places->at.file ? places->at.file : "");
    add_related(related, "allocated here", places->allocated);
    add_related(related, "freed here", places->freed);
    add_related(related, places->earlier_text, places->earlier);
    return rt_record(json_pack(
        "{s:[{s:s, s:s, s:o*, s:o, s:i, s:i, s:s, s:i, s:o, s:s*}]}", "findings", "id", id,
        "severity", kind ? kind->severity : "error", "kernel", kernel_name(kernel), "file",
        file ? file : json_string(""), "line", file ? (int)places->at.line : 0, "column", 0,
        "message", text, "count", (int)count, "related", related, "help", places->help));
}

/* Prints TEXT unless the same text has been printed before. */
static void print_once(const char *id, const char *text)
{
    const struct finding_kind *kind = emu_finding_kind(id);
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *printed[MAX_PRINTED];
    static int count;
    pthread_mutex_lock(&lock);
    bool known = count == MAX_PRINTED;
    for (int i = 0; i < count && !known; i++)
        known = strcmp(printed[i], text) == 0;
    if (!known && (printed[count] = strdup(text)))
        count++;
    if (!known)
        fprintf(stderr, "lanewise: %s: %s [%s]\n", kind ? kind->severity : "error", text, id);
    pthread_mutex_unlock(&lock);
}

static void report(const char *id, const char *kernel, const struct rt_places *places,
                   unsigned count, const char *format, va_list args)
{
    char text[MAX_TEXT];
    rt_note_report();
    vsnprintf(text, sizeof text, format, args);
    clean(text);
    if (!record_finding(id, kernel, places, count, text))
        print_once(id, text);
}

void rt_finding(const char *id, const char *kernel, const char *format, ...)
{
    struct rt_places places = {.at = rt_caller()};
    va_list args;
    va_start(args, format);
    report(id, kernel, &places, 1, format, args);
    va_end(args);
}

void rt_finding_at(const char *id, const char *kernel, const struct rt_places *places,
                   unsigned count, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(id, kernel, places, count, format, args);
    va_end(args);
}

cudaError_t rt_unsupported(const char *what)
{
    rt_finding("unsupported-call", NULL, "%s is not supported by Lanewise", what);
    return cudaErrorNotSupported;
}
