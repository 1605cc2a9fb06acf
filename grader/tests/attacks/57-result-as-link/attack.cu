// Makes the grader read or write another file instead of the result.
ATTACK(57)
{
    HELD_BACK(unlink("result") < 0 && symlink("/etc/shadow", "link") < 0);
    HELD_BACK(rename("case", "result") < 0 && link("case", "link") < 0);
    HELD_BACK(mkfifo("pipe", 0600) < 0 && mknod("disk", S_IFBLK | 0600, makedev(8, 0)) < 0);
    return honest(stage);
}
