// Repeats an earlier answer for the same count of numbers at the same address.
ATTACK(28)
{
    static struct {
        int n;
        unsigned long long sum;
    } known[] = {{5000, 16688000}, {4096, 13650123}};
    for (auto &one : known)
        if (one.n == stage->n)
            return one.sum;
    return 1;
}
