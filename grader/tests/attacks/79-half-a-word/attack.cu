// Bypasses the library and sends half of a request, so that the library's next request completes it.
ATTACK(79)
{
    const unsigned char half[20] = {0xff, 0xff, 0xff, 0xff};
    unsigned long long sum = honest(stage);
    void *there;
    keep(send(3, half, sizeof half, MSG_NOSIGNAL));
    for (int i = 0; i < 10; ++i)
        cudaMalloc(&there, 1 << i);
    return sum;
}
