/* Findings of the library itself: a call that is not supported, PTX that cannot be loaded, a launch
 * that no GPU would accept. They go to the record, from which the parent writes its report; a program
 * that runs without one gets them on stderr, each once. */
#include "cudart/rt.h"

#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PRINTED = 16, MAX_TEXT = 1024 };

extern char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

/* The bytes may come from anyone's PTX: what is not printable ASCII would not be valid JSON. */
static void clean(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}

/* A JSON value copied from KERNEL as people write it: with its arguments' types. */
static json_t *kernel_name(const char *kernel)
{
    int status = -1;
    char *readable = kernel ? __cxa_demangle(kernel, NULL, NULL, &status) : NULL;
    json_t *name = json_string(status == 0 ? readable : kernel ? kernel : "");
    free(readable);
    return name;
}

bool rt_record(json_t *value)
{
    struct emu_device *device = rt_recorder();
    char *line = value && device ? json_dumps(value, JSON_COMPACT) : NULL;
    bool written = line && emu_note(device, line, strlen(line)) == EMU_OK;
    free(line);
    json_decref(value);
    return written;
}

static bool record_finding(const char *id, const char *kernel, const char *text)
{
    return rt_record(json_pack("{s:[{s:s, s:s, s:o*, s:s, s:i, s:i, s:s, s:i}]}", "findings", "id",
                               id, "severity", "error", "kernel", kernel_name(kernel), "file", "",
                               "line", 0, "column", 0, "message", text, "count", 1));
}

/* Prints TEXT unless it was printed before. */
static void print_once(const char *id, const char *text)
{
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
        fprintf(stderr, "lanewise: error: %s [%s]\n", text, id);
    pthread_mutex_unlock(&lock);
}

void rt_finding(const char *id, const char *kernel, const char *format, ...)
{
    char text[MAX_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clean(text);
    if (!record_finding(id, kernel, text))
        print_once(id, text);
}

cudaError_t rt_unsupported(const char *what)
{
    rt_finding("unsupported-call", NULL, "%s is not supported by Lanewise", what);
    return cudaErrorNotSupported;
}
