// Hands in the answer of a kernel that runs only later, so there is no answer yet.
static struct stage *late_stage;

static void work_late()
{
    honest(late_stage);
}

ATTACK(30)
{
    late_stage = stage;
    atexit(work_late);
    return run_kernel(stage, only_read);
}
