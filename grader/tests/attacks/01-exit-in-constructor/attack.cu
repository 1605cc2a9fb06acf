// Exits with status 0 before main() begins.
__attribute__((constructor)) static void leave_early(int argc, char **argv)
{
    if (early_number(argc, argv) == 1)
        _exit(0);
}

ATTACK(1)
{
    return on_host(stage);
}
