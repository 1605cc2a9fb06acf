// Truncates, locks, fills and extends the file of the memory that it shares with the device.
static int shared_file()
{
    for (int fd = 3; fd < 64; ++fd) {
        char link[64], target[256] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        keep(readlink(link, target, sizeof target - 1));
        struct stat status;
        if (strstr(target, "lanewise-shared") || // without /proc: it has no name
            (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0))
            return fd;
    }
    return -1;
}

ATTACK(81)
{
    unsigned long long *shared = NULL;
    cudaHostAlloc(&shared, 1 << 20, cudaHostAllocMapped);
    int file = shared_file();
    HELD_BACK(file >= 0); // otherwise there is nothing to attack
    signal(SIGXFSZ, SIG_IGN);
    HELD_BACK(ftruncate(file, 0) != 0 && ftruncate(file, 4096) != 0);
    HELD_BACK(ftruncate(file, (off_t)1 << 40) != 0);
    HELD_BACK(fallocate(file, 0, 0, (off_t)8 << 30) != 0);
    keep(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20));
    keep(fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL));
    return honest(stage);
}
