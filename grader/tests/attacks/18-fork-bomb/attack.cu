// Starts as many processes as possible, and then as many threads.
static pthread_mutex_t bomb_goes_on = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_end(void *)
{
    pthread_mutex_lock(&bomb_goes_on);
    pthread_mutex_unlock(&bomb_goes_on);
    return NULL;
}

ATTACK(18)
{
    static pthread_t threads[3000];
    pthread_attr_t small;
    int count = 0;
    HELD_BACK(fork() < 0);
    pthread_mutex_lock(&bomb_goes_on);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    while (count < 3000 && pthread_create(&threads[count], &small, wait_for_end, NULL) == 0)
        ++count;
    pthread_mutex_unlock(&bomb_goes_on);
    for (int i = 0; i < count; ++i)
        pthread_join(threads[i], NULL);
    HELD_BACK(count < 3000);
    return honest(stage);
}
