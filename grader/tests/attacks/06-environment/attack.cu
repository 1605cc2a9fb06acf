// Reads the grader's environment variables, and changes them.
ATTACK(6)
{
    static const char *const known[] = {
        "PATH=", "LC_ALL=",     "LD_LIBRARY_PATH=", "LANEWISE_",
        "PWD=",  "LD_PRELOAD=", "ASAN_OPTIONS=",    "GLIBC_TUNABLES="};
    for (char **variable = environ; *variable; ++variable) {
        bool is_known = false;
        for (const char *name : known)
            is_known |= strncmp(*variable, name, strlen(name)) == 0;
        HELD_BACK(is_known);
    }
    setenv("CRITERION_ALWAYS_SUCCEED", "1", 1);
    setenv("MAKEFLAGS", "--touch", 1);
    return honest(stage);
}
