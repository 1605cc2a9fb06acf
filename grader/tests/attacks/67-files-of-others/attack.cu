// Searches the machine for solutions, secrets and users.
ATTACK(67)
{
    static const char *const files[] = {"/etc/passwd", "/etc/shadow", "/etc/hostname", "/root/.ssh",
                                        "/var/log",    "/sys/kernel", "/dev/kmsg",     "/dev/tty"};
    for (const char *file : files)
        HELD_BACK(open(file, O_RDONLY) < 0);
    HELD_BACK(open(__FILE__, O_RDONLY) < 0); // this path is outside of the sandbox
    return honest(stage);
}
