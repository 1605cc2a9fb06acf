// Becomes a program that ends well.
ATTACK(62)
{
    honest(stage);
    execl("/bin/true", "true", NULL);
    return 0;
}
