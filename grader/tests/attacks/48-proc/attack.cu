// Reads about the grader in /proc: its arguments, environment, files and memory.
ATTACK(48)
{
    static const char *const files[] = {"/proc/1/environ",    "/proc/1/cmdline",
                                        "/proc/1/maps",       "/proc/1/root/etc/passwd",
                                        "/proc/1/fd/0",       "/proc/sys/kernel/core_pattern",
                                        "/proc/sysrq-trigger"};
    for (const char *file : files)
        HELD_BACK(open(file, O_RDONLY) < 0 && open(file, O_WRONLY) < 0);
    return honest(stage);
}
