#include "checks/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "checks/internal.h"

bool check_is_open(const struct check *check)
{
    return !check->verdict.status && !check->verdict.broken[0];
}

bool check_is_lost(const struct check *check)
{
    return check->verdict.measured && check->verdict.share == 0;
}

void check_fail(struct check *check, const char *status, const char *format, ...)
{
    va_list arguments;
    if (!check_is_open(check))
        return;
    check->verdict.status = status;
    va_start(arguments, format);
    vsnprintf(check->verdict.message, sizeof check->verdict.message, format, arguments);
    va_end(arguments);
    base_clean_text(check->verdict.message, strlen(check->verdict.message));
    memcpy(check->verdict.failed_case, check->context, sizeof check->verdict.failed_case);
}

void check_add(struct check *check, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(check->verdict.message);
    va_start(arguments, format);
    vsnprintf(check->verdict.message + used, sizeof check->verdict.message - used, format,
              arguments);
    va_end(arguments);
}

static void write_hint(struct check *check, const char *format, va_list arguments)
{
    check->verdict.advised = true;
    vsnprintf(check->verdict.hint, sizeof check->verdict.hint, format, arguments);
}

void check_advise(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_hint(check, format, arguments);
    va_end(arguments);
}

void check_set_hint(struct check *check, const char *hint)
{
    if (check_is_open(check))
        check->verdict.own_hint = hint;
}

void check_hint(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (check_is_open(check))
        write_hint(check, format, arguments);
    va_end(arguments);
}

void check_break(struct check *check, const char *format, ...)
{
    va_list arguments;
    if (check->verdict.broken[0])
        return;
    va_start(arguments, format);
    vsnprintf(check->verdict.broken, sizeof check->verdict.broken, format, arguments);
    va_end(arguments);
    base_clean_text(check->verdict.broken, strlen(check->verdict.broken));
}

bool check_is_own_file(const struct check *check, const char *file)
{
    return strcmp(base_name(file), check->job.file_name) == 0;
}

void check_point_at(struct check *check, const char *file, unsigned line, unsigned column)
{
    /* Show a line only if it is in the student's file. Compare file names without folders, because
     * the file was compiled in a folder that no longer exists. */
    if (line == 0 || !check_is_own_file(check, file))
        return;
    snprintf(check->verdict.file, sizeof check->verdict.file, "%s", check->job.file_name);
    check->verdict.line = line;
    check->verdict.column = column;
}

void check_show_line(struct check *check, const char *text)
{
    unsigned line = check_find_line(check, text);
    if (line)
        check->verdict.cause[0] = check->verdict.spare[0] = '\0'; /* both are about another line */
    check_point_at(check, check->job.file_name, line, 0);
}

void check_refuse(struct check *check, const struct run *run, const char *hint, const char *format,
                  ...)
{
    char message[CHECK_MESSAGE_SIZE];
    va_list arguments;
    if (!run || !check_is_open(check) || check_is_lost(check))
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    check_fail(check, "failed", "%s", message);
    check_advise(check, "%s", hint);
    /* the check may have made other runs since */
    memcpy(check->verdict.failed_case, run->context, sizeof run->context);
}

void check_limit(struct check *check, const struct run *run, double value, double most,
                 const char *hint, const char *text)
{
    char counted[300];
    if (value <= most)
        return;
    check_fill_in(counted, sizeof counted, text, value);
    check_refuse(check, run, hint, "%s; the limit is %s", counted, check_number(most));
}

void check_occupied(struct check *check, const struct run *run, int n, double most,
                    const char *hint)
{
    check_limit(check, run, 32 * check_counter(run, "occupied_instructions") / n, most, hint,
                "for each 32 numbers, the warps work or wait as long as %s instructions take");
}

void check_value(struct check *check, double value)
{
    check->verdict.measured = true;
    check->verdict.value = value;
    check->verdict.share = judge_share(&check->budget, value);
}

void check_blame_order(struct check *check)
{
    char verdict[CHECK_MESSAGE_SIZE];
    if (check_is_open(check) || check->verdict.broken[0])
        return;
    memcpy(verdict, check->verdict.message, sizeof verdict);
    snprintf(check->verdict.message, sizeof check->verdict.message,
             "the program is right only in one order of warps or lanes; in another order, %.*s",
             CHECK_MESSAGE_SIZE - 100, verdict);
    check_advise(
        check,
        "A thread may use another thread's result only after both have passed a __syncthreads() (within a warp, a __syncwarp()). It may use another block's result only in a later launch. Atomics do not make threads wait.");
}
