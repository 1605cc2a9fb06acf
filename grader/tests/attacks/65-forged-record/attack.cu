// Tries to forge the device's record, whose name and file the program cannot get.
ATTACK(65)
{
    HELD_BACK(!getenv("LANEWISE_RECORD"));
    char folder[4096], path[4200];
    HELD_BACK(getcwd(folder, sizeof folder));
    snprintf(path, sizeof path, "%s-device/record", folder);
    HELD_BACK(open(path, O_WRONLY | O_APPEND) < 0 && open(path, O_RDONLY) < 0);
    HELD_BACK(!opendir("..") || open("../job.json", O_RDONLY) < 0);
    return honest(stage);
}
