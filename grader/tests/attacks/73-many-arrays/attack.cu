// The largest result that is read at all: as many arrays as go into it, none of which anybody asks for.
ATTACK(73)
{
    unsigned long long sum = honest(stage);
    for (int i = 0; i < 1200000; ++i)
        lab_result(&stage->lab, "another", LAB_INT, &i, 1);
    return sum;
}
