// As many processes as there can be; then as many threads.
static volatile bool bomb_is_over;

static void *wait_for_end(void *)
{
    while (!bomb_is_over)
        usleep(1000);
    return NULL;
}

ATTACK(18)
{
    static pthread_t threads[3000];
    pthread_attr_t small;
    int count = 0;
    HELD_BACK(fork() < 0);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    while (count < 3000 && pthread_create(&threads[count], &small, wait_for_end, NULL) == 0)
        ++count;
    bomb_is_over = true;
    for (int i = 0; i < count; ++i)
        pthread_join(threads[i], NULL);
    HELD_BACK(count < 3000);
    return honest(stage);
}
