/* A process that has not used the runtime forks children, one after another. Each of them has the GPU
 * for itself, and ends without freeing its memory. */
#include "tests/support/check.cuh"

#include <sys/wait.h>
#include <unistd.h>

#define COUNT 1000 /* words */

__global__ void add(int *to, const int *from, int more)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT)
        to[i] = from[i] + more;
}

/* Returns the number of right words that a kernel made in memory which it shares with the host. */
static int share_words(int *to, int *from, int more)
{
    int right = 0;
    for (int i = 0; i < COUNT; i++)
        from[i] = 3 * i;
    add<<<(COUNT + 127) / 128, 128>>>(to, from, more);
    FINISH();
    for (int i = 0; i < COUNT; i++)
        right += to[i] == 3 * i + more;
    return right;
}

static int live(int child)
{
    int *managed, *from, *page_locked;
    MUST(cudaMallocManaged(&managed, COUNT * sizeof *managed));
    MUST(cudaMallocManaged(&from, COUNT * sizeof *from));
    MUST(cudaMallocHost(&page_locked, COUNT * sizeof *page_locked));
    return share_words(managed, from, child) == COUNT &&
           share_words(page_locked, from, 10 + child) == COUNT;
}

int main()
{
    for (int child = 0; child < 3; child++) {
        int status = 0;
        fflush(stdout);
        pid_t id = fork();
        if (id == 0)
            _exit(live(child) ? 0 : 1);
        waitpid(id, &status, 0);
        char name[40];
        snprintf(name, sizeof name, "shared memory of child %d", child);
        expect(name, status, 0);
    }
    return summary();
}
