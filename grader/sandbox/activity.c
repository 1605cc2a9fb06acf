/* Finds out whether a program could make progress. A program that waits for a CPU, because the
 * machine also has other work, could. A program that sleeps, or waits for an event, could not. The
 * file /proc/PID/task/TID/stat has the state of each thread:
 *
 *     R  runs, or waits for a CPU        D  waits for a disk        other letters: waits */
#include "sandbox/activity.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH 8 /* maximum depth of the tree of processes; a sandbox has 4 levels */

/* Reads the beginning of a small file into TEXT (SIZE bytes). Returns false if it cannot be
 * read. */
static bool read_start(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return got >= 0;
}

/* Returns whether the thread is busy: it runs, or waits for a CPU or a disk. A thread that has just
 * ended is not busy. */
static bool is_busy(pid_t process, const char *thread)
{
    char path[320], text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, thread);
    if (!read_start(path, text, sizeof text))
        return false;
    /* the state follows the program's name, which may contain any character, even ')' */
    const char *state = strrchr(text, ')');
    return state && state[1] && strchr("RD", state[2]);
}

/* Returns whether a process that THREAD has started is busy. */
static bool has_busy_child(pid_t process, const char *thread, unsigned depth);

static bool any_is_busy(pid_t process, unsigned depth)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *folder = opendir(path);
    bool busy = false;
    for (struct dirent *entry; folder && !busy && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            busy = is_busy(process, entry->d_name) || has_busy_child(process, entry->d_name, depth);
    if (folder)
        closedir(folder);
    return busy;
}

static bool has_busy_child(pid_t process, const char *thread, unsigned depth)
{
    char path[320], list[4096], *at = list, *end;
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)process, thread);
    if (depth == 0 || !read_start(path, list, sizeof list))
        return depth == 0;
    /* ignore the last number, because it may be cut off */
    for (long pid; (pid = strtol(at, &end, 10)) > 0 && *end; at = end)
        if (any_is_busy((pid_t)pid, depth - 1))
            return true;
    return false;
}

/* Returns whether this Linux kernel lists the threads and children of a process in /proc. */
static bool is_known(void)
{
    static int known = -1;
    if (known < 0)
        known = access("/proc/thread-self/children", R_OK) == 0;
    return known;
}

bool activity_of(pid_t root)
{
    return !is_known() || any_is_busy(root, DEPTH);
}
