// Hands in the largest possible result, with as many arrays as fit into it. No check asks for them.
ATTACK(73)
{
    unsigned long long sum = honest(stage);
    for (int i = 0; i < 1200000; ++i)
        lab_result(&stage->lab, "another", LAB_INT, &i, 1);
    return sum;
}
