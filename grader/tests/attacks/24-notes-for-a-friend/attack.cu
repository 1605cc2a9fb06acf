// Tries to leave data anywhere for the next submission.
ATTACK(24)
{
    static const char *const places[] = {"note",      "../note",       "../../note",
                                         "/tmp/note", "/dev/shm/note", "/var/tmp/note",
                                         "/run/note", "/note"};
    for (const char *place : places) {
        HELD_BACK(open(place, O_WRONLY | O_CREAT, 0666) < 0);
        HELD_BACK(mkdir(place, 0777) < 0 && mkfifo(place, 0666) < 0);
    }
    HELD_BACK(shm_open("/note", O_RDWR | O_CREAT, 0666) < 0);
    HELD_BACK(mq_open("/note", O_RDWR | O_CREAT, 0666, NULL) == (mqd_t)-1);
    HELD_BACK(shmget(4711, 4096, IPC_CREAT | 0666) < 0 && semget(4711, 1, IPC_CREAT | 0666) < 0);
    HELD_BACK(syscall(SYS_add_key, "user", "note", "x", 1, -4 /* the user's own keyring */) < 0);
    return honest(stage);
}
