// Defines functions and data of the grader.
extern "C" int criterion_run_all_tests(void *)
{
    return 1;
}
extern "C" void check_value(void *, double)
{
}
extern "C" double judge_share(const void *, double)
{
    return 1;
}
extern "C" {
const char *lab_info[] = {"mine"};
}

ATTACK(7)
{
    return honest(stage) + 1; // and a wrong answer, which they should accept
}
