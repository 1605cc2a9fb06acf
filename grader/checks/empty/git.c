/* Stands in for libgit2, by which Criterion shows how two texts differ: 17 more libraries to load, and all the
 * certificates of the system to read, in each process. A check is a process, and none compares texts. */

/* As libgit2's, what it returns is how often it was called, or an error if it is negative. */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}

int git_diff_buffers(void)
{
    return -1;
}
