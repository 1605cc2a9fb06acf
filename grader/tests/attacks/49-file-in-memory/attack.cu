// Starts its own program from a file that has no name.
ATTACK(49)
{
    static char *const words[] = {(char *)"true", NULL};
    HELD_BACK(syscall(SYS_memfd_create, "program", 0) < 0);
    int program = open("/bin/true", O_RDONLY);
    syscall(SYS_execveat, program, "", words, environ, AT_EMPTY_PATH); // should fail
    return honest(stage);
}
