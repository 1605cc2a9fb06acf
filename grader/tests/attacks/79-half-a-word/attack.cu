// Two threads speak to the device at once, past the library and through it, until their words are mixed.
static volatile bool speaking = true;

static void *babble(void *)
{
    uint64_t words[7] = {3, 0x200000000000ull};
    for (int i = 0; speaking && i < 100000; ++i)
        keep(send(3, words, sizeof words, MSG_NOSIGNAL | MSG_DONTWAIT));
    return NULL;
}

ATTACK(79)
{
    pthread_t thread;
    pthread_create(&thread, NULL, babble, NULL);
    for (int i = 0; i < 50; ++i) {
        void *there = NULL;
        cudaMalloc(&there, 100);
        cudaFree(there);
    }
    speaking = false;
    pthread_join(thread, NULL);
    return on_host(stage);
}
