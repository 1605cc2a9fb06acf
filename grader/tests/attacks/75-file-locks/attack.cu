// Uses file locks as a channel to other submissions, which can open the same files.
#include <sys/file.h>

ATTACK(75)
{
    const char *const files[] = {"/bin/sh", "/etc/passwd", "/lib/x86_64-linux-gnu/libc.so.6",
                                 "/dev/null"};
    struct flock whole = {};
    whole.l_type = F_RDLCK;
    for (const char *path : files) {
        int file = open(path, O_RDONLY);
        HELD_BACK(file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0);
        HELD_BACK(file < 0 || fcntl(file, F_SETLK, &whole) != 0);
        HELD_BACK(file < 0 || fcntl(file, F_OFD_SETLK, &whole) != 0);
        HELD_BACK(file < 0 || fcntl(file, F_SETLEASE, F_RDLCK) != 0);
    }
    return honest(stage);
}
