// Writes the right answer into the result file after the file was closed.
static unsigned long long better;

static void rewrite()
{
    FILE *file = fopen("result", "r+b");
    fseek(file, 8 + 40, SEEK_SET); // after "LWARRAY1" and the head of the only array
    fwrite(&better, sizeof better, 1, file);
    fclose(file);
}

ATTACK(56)
{
    better = on_host(stage);
    atexit(rewrite);
    return run_kernel(stage, only_read);
}
