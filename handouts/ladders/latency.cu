/* How long one thread waits for one number from shared memory, the L1 cache, the L2 cache and the GPU's memory.
 * The thread follows a chain of links: each number that it loads is the index of the next one.
 *
 * Look at: how alike the counts are. Only the times on a GPU tell these rungs apart. */
#include "ladder.cuh"

#define SLOT   32   // ints in a line; each link is in a separate line
#define SHARED 4096 // ints

// Goes on where the last launch stopped, so that the caches do not hold the numbers it needs.
__global__ void walk(const int *next, int *place, int steps)
{
    int at = *place;
    for (int step = 0; step < steps; ++step)
        at = next[at];
    *place = at;
}

__global__ void walk_shared(const int *next, int *place, int steps)
{
    __shared__ int copy[SHARED];
    for (int i = 0; i < SHARED; ++i)
        copy[i] = next[i];
    int at = *place;
    for (int step = 0; step < steps; ++step)
        at = copy[at];
    *place = at;
}

// Returns a chain of COUNT links in random order that ends where it begins.
static int *make_trip(int count)
{
    int *order = (int *)malloc(count * sizeof *order),
        *next = (int *)calloc(count, SLOT * sizeof *next);
    unsigned long long seed = 1;
    for (int i = 0; i < count; ++i)
        order[i] = i;
    for (int i = count - 1; i > 0; --i) { // Sattolo's shuffle: one cycle
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        int j = (int)((seed >> 33) % i), other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
    for (int i = 0; i < count; ++i)
        next[order[i] * SLOT] = order[(i + 1) % count] * SLOT;
    free(order);
    return next;
}

static void rung(const char *name, const char *title, void (*kernel)(const int *, int *, int),
                 int count, int steps)
{
    int *trip = make_trip(count), *place = ladder_alloc<int>(1);
    const int *next = ladder_upload(trip, (size_t)count * SLOT);
    long walked = 0, *total = &walked;
    CHECK_CUDA(cudaMemset(place, 0, sizeof *place));
    ladder_rung(
        name, title, [] {},
        [=] {
            kernel<<<1, 1>>>(next, place, steps);
            *total += steps;
        },
        [=] {
            int at = 0;
            for (long step = 0; step < *total; ++step)
                at = trip[at];
            return ladder_same(place, &at, 1);
        });
    ladder_value("kib", count * (SLOT * sizeof *next / 1024.0));
    if (ladder.times)
        ladder_value("latency", ladder.median * 1000 / steps); // nanoseconds
    CHECK_CUDA(cudaFree((void *)next));
    CHECK_CUDA(cudaFree(place));
    free(trip);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int steps = ladder.times ? 1 << 17 : 1 << 10, few = SHARED / SLOT;
    int more = ladder.times ? 1 << 16 : few, many = ladder.times ? 1 << 23 : few;
    ladder_size("", ladder.times ? "131,072 steps" : "1,024 steps");
    rung("shared", "shared memory", walk_shared, few, steps);
    rung("l1", "L1 cache, 16 KiB", walk, few, steps);
    rung("l2", "L2 cache, 8 MiB", walk, more, steps);
    rung("memory", "memory, 1 GiB", walk, many, steps);
    return 0;
}
