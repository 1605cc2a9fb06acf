/* Reads the options. This file ends the process if an option is invalid, so that the user notices a
 * mistyped option. No other file in the library ends the process, except by raising again a signal
 * that it has caught. */
#include "gpu/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/chips.h"
#include "gpu/tools.h"

#define USAGE_ERROR 2
#define MOST_DUMPS  1000u

__attribute__((noreturn)) static void refuse(const char *name, const char *value, const char *want)
{
    fprintf(stderr, "lanewise: %s=%s: %s\n", name, value, want);
    _exit(USAGE_ERROR);
}

/* Returns the number in the environment variable NAME, or ABSENT if the variable is not set. Ends
 * the process if the number is above MAX. */
static uint64_t read_number(const char *name, uint64_t absent, uint64_t max)
{
    const char *value = getenv(name);
    if (!value)
        return absent;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    /* strtoull() would accept signs and spaces, and read "-1" as the largest number */
    if (value[0] < '0' || value[0] > '9' || *end || errno || number > max)
        refuse(name, value, "expected a whole number");
    return number;
}

/* Reads $LANEWISE_TRACE, which is FILE:LINE, or "*" for every line of every file. */
static const struct emu_trace *read_trace(void)
{
    static struct emu_trace trace;
    static char file[PATH_MAX];
    const char *text = getenv("LANEWISE_TRACE");
    if (!text)
        return NULL;
    const char *colon = strrchr(text, ':');
    bool all = strcmp(text, "*") == 0;
    char *end = NULL;
    unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!all && (!colon || colon == text || colon[1] < '0' || colon[1] > '9' || *end || !line ||
                 line > INT_MAX || colon - text >= PATH_MAX))
        refuse("LANEWISE_TRACE", text, "expected FILE:LINE or *");
    if (!all)
        memcpy(file, text, (size_t)(colon - text));
    trace = (struct emu_trace){
        .file = all ? NULL : file,
        .line = (uint32_t)line,
        .block = read_number("LANEWISE_TRACE_BLOCK", EMU_ANY, UINT64_MAX),
        .warp = read_number("LANEWISE_TRACE_WARP", EMU_ANY, UINT64_MAX),
        .step = read_number("LANEWISE_TRACE_STEP", EMU_ANY, UINT64_MAX),
    };
    return &trace;
}

/* Opens the file that is the value of the environment variable NAME. Returns -1 if the variable is
 * not set. */
static int open_output(const char *name)
{
    const char *path = getenv(name);
    if (!path)
        return -1;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        refuse(name, path, strerror(errno));
    return fd;
}

/* Reads the list of steps after which the machine's state is written, such as "10,200,3000".
 * Returns the length of the list. */
static uint32_t read_dumps(uint64_t *list, uint32_t most)
{
    const char *text = getenv("LANEWISE_STEPS_DUMP_AT");
    uint32_t count = 0;
    for (char *end; text && *text && count < most; text = end + (*end == ',')) {
        list[count++] = strtoull(text, &end, 10);
        if (end == text || (*end && *end != ','))
            refuse("LANEWISE_STEPS_DUMP_AT", text, "expected numbers with commas between them");
    }
    return count;
}

/* Reads $LANEWISE_STEPS, the file that a block is recorded to. */
static const struct emu_steps *read_steps(void)
{
    static struct emu_steps steps;
    static uint64_t dumps[MOST_DUMPS];
    if (!getenv("LANEWISE_STEPS"))
        return NULL;
    steps = (struct emu_steps){
        .launch = read_number("LANEWISE_STEPS_LAUNCH", 1, UINT64_MAX),
        .block = read_number("LANEWISE_STEPS_BLOCK", 0, UINT64_MAX),
        .from = read_number("LANEWISE_STEPS_FROM", 0, UINT64_MAX),
        .fd = open_output("LANEWISE_STEPS"),
        .dump = dumps,
        .dump_count = read_dumps(dumps, MOST_DUMPS),
        .dump_fd = open_output("LANEWISE_STEPS_DUMP"),
    };
    return &steps;
}

static unsigned read_tools(void)
{
    const char *list = getenv("LANEWISE_TOOLS");
    unsigned tools = 0;
    if (list && !emu_find_tools(list, &tools))
        refuse("LANEWISE_TOOLS", list, "expected a list of these tools: " EMU_TOOL_NAMES);
    return tools;
}

static enum emu_rules read_rules(void)
{
    const char *name = getenv("LANEWISE_RULES");
    enum emu_rules rules = EMU_SECTOR;
    if (name && !emu_find_rules(name, &rules))
        refuse("LANEWISE_RULES", name, "expected one of " EMU_RULES_NAMES);
    return rules;
}

/* Reads $LANEWISE_GPU, the chip for which times are predicted. */
static const struct emu_chip *read_chip(void)
{
    static struct emu_chip chip;
    const char *name = getenv("LANEWISE_GPU");
    char why[300];
    if (!name)
        return NULL;
    if (!emu_find_chip(name, &chip, why, sizeof why))
        refuse("LANEWISE_GPU", name, why);
    return &chip;
}

/* Reads $LANEWISE_CLOCK. Returns whether it is "predicted", so that clocks show predicted time. */
static bool read_clock(void)
{
    const char *name = getenv("LANEWISE_CLOCK");
    if (name && strcmp(name, "predicted") != 0)
        refuse("LANEWISE_CLOCK", name, "expected predicted");
    if (name && !getenv("LANEWISE_GPU"))
        refuse("LANEWISE_CLOCK", name, "needs LANEWISE_GPU, the GPU whose time is predicted");
    return name;
}

void emu_read_environment(struct emu_options *options)
{
    *options = (struct emu_options){
        .workers = read_number("LANEWISE_WORKERS", 0, 1024),
        .deterministic = read_number("LANEWISE_DETERMINISTIC", 0, 1),
        .max_warp_instructions = read_number("LANEWISE_MAX_INSTRUCTIONS", 0, UINT64_MAX),
        .memory_bytes = read_number("LANEWISE_MEMORY", 0, UINT64_MAX),
        .poison = read_number("LANEWISE_POISON", 0, UINT64_MAX),
        .backwards = read_number("LANEWISE_BACKWARDS", 0, 1),
        .scrambles = (enum emu_scramble)read_number("LANEWISE_SCRAMBLE", 0, EMU_SCRAMBLE_CONSTANT),
        .ignores_order = !read_number("LANEWISE_ORDERCHECK", 1, 1),
        .wider_pitch = read_number("LANEWISE_WIDER_PITCH", 0, 1024),
        .tools = read_tools(),
        .watch_budget = read_number("LANEWISE_WATCH_BUDGET", 0, UINT64_MAX),
        .rules = read_rules(),
        .trace = read_trace(),
        .chip = read_chip(),
        .predicts_clock = read_clock(),
        .steps = read_steps(),
        .record_fd = open_output("LANEWISE_RECORD"),
        .record_bytes = read_number("LANEWISE_RECORD_BYTES", 0, UINT64_MAX),
    };
}
