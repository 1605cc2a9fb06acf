// Adds up every second number. Counting in steps of two, i is never equal to an odd n. After a
// second the program interrupts itself, as Ctrl-C does.
#include <signal.h>
#include <unistd.h>

__global__ void add_up(const int *a, unsigned n, int *sum)
{
    int mine = 0;
    for (unsigned i = 0; i != n; i += 2)
        mine += a[i % 32];
    *sum = mine;
}

static void press_control_c(int)
{
    kill(getpid(), SIGINT);
}

int main()
{
    int *a, *sum;
    cudaMallocManaged(&a, 32 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    for (int i = 0; i < 32; i++)
        a[i] = i;
    signal(SIGALRM, press_control_c);
    alarm(1);
    add_up<<<1, 1>>>(a, 31, sum);
    if (cudaDeviceSynchronize())
        return 1;
    return *sum != 240;
}
