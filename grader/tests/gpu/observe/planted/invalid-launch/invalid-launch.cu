/* Launches of sizes that no GPU accepts. */
#include "tests/gpu/observe/planted/memory.cuh"

static __global__ void empty()
{
}

// invalid-launch
static void launches_too_many_threads()
{
    empty<<<1, 2048>>>(); // B
}

// invalid-launch
static void launches_no_blocks()
{
    empty<<<0, 32>>>(); // B
}

// fine
static void launches_as_many_threads_as_fit()
{
    empty<<<1, 1024>>>();
}

int main()
{
    CALL(launches_too_many_threads);
    CALL(launches_no_blocks);
    CALL(launches_as_many_threads_as_fit);
}
