// Launches a kernel that never ends, and exits before the kernel begins.
#include "tests/attacks/speak.h"

__global__ void go_on(volatile int *forever)
{
    while (!*forever)
        ;
}

static void *leave(void *)
{
    usleep(300000);
    _exit(0);
}

ATTACK(77)
{
    unsigned long long sum = honest(stage);
    pthread_t thread;
    int *zero;
    cudaMalloc(&zero, sizeof *zero);
    cudaMemset(zero, 0, sizeof *zero);
    pthread_create(&thread, NULL, leave, NULL);
    go_on<<<1024, 1024>>>(zero);
    pause();
    return sum;
}
