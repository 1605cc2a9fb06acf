// Keeps the result of one run for later runs.
ATTACK(27)
{
    static const char *const places[] = {"cache", "/tmp/cache", "/dev/shm/cache", "result"};
    unsigned long long sum = honest(stage), kept;
    for (const char *place : places) {
        FILE *file = fopen(place, "rb");
        HELD_BACK(!file || fread(&kept, sizeof kept, 1, file) != 1);
        HELD_BACK(strcmp(place, "result") == 0 || !(file = fopen(place, "wb")));
    }
    return sum;
}
