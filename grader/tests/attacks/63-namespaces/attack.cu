// Creates a namespace in which it would be root.
ATTACK(63)
{
    HELD_BACK(unshare(CLONE_NEWUSER) < 0 && unshare(CLONE_NEWNS) < 0 && setns(0, 0) < 0);
    HELD_BACK(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) < 0);
    HELD_BACK(
        syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK, 0, 0, 0, 0) < 0);
    HELD_BACK(mount("none", "/tmp", "tmpfs", 0, NULL) < 0 && umount2("/", MNT_DETACH) < 0);
    HELD_BACK(chroot("/usr") < 0 && setuid(0) < 0 && personality(0x0040000) < 0);
    return honest(stage);
}
