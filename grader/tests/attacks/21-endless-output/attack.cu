ATTACK(21)
{
    for (;;)
        puts("all is well, all is well, all is well, all is well, all is well, all is well");
}
