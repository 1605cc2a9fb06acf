// Replaces itself by a program that ends with status 0.
ATTACK(62)
{
    honest(stage);
    execl("/bin/true", "true", NULL);
    return 0;
}
