// Changes its input so that the answer is easy.
ATTACK(32)
{
    HELD_BACK(!fopen("case", "r+b") && unlink("case") < 0 && truncate("case", 0) < 0);
    memset((int *)stage->data, 0, stage->n * sizeof *stage->data);
    return honest(stage);
}
