// Tries to access the grader's memory, which may have the right answer.
ATTACK(12)
{
    char buffer[4096];
    struct iovec here = {buffer, sizeof buffer}, there = {(void *)0x400000, sizeof buffer};
    HELD_BACK(process_vm_readv(getppid(), &here, 1, &there, 1, 0) < 0);
    HELD_BACK(process_vm_writev(getppid(), &here, 1, &there, 1, 0) < 0);
    return honest(stage);
}
