/* Replaces libgit2, with which Criterion shows how two texts differ. No check or test uses this,
 * but each of them is a process, and each would load libgit2's 17 libraries and read all of the
 * system's certificates. */

/* Returns the number of calls so far, or a negative number for an error, as libgit2's function
 * does. */
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
