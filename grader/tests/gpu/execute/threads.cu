/* Several host threads use the device at the same time. Each has its own memory, launches and last
 * error. */
#include "tests/support/check.cuh"

#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

enum { THREADS = 8, ROUNDS = 20, N = 1000 };

__global__ void add_to(int *list, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        list[i] += value;
}

static void work(int number, int *wrong)
{
    int *list, *back = new int[N];
    cudaStream_t stream;
    *wrong = 0;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc(&list, N * sizeof *list));
    MUST(cudaMemset(list, 0, N * sizeof *list));
    for (int round = 0; round < ROUNDS; round++) {
        add_to<<<8, 128, 0, stream>>>(list, N, number);
        if (number % 2) { /* an error that only this thread must see */
            add_to<<<1, 5000, 0, stream>>>(list, N, 1);
            *wrong += cudaGetLastError() != cudaErrorInvalidValue;
        }
        *wrong += cudaGetLastError() != cudaSuccess;
    }
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(back, list, N * sizeof *list, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        *wrong += back[i] != number * ROUNDS;
    MUST(cudaFree(list));
    MUST(cudaStreamDestroy(stream));
    delete[] back;
}

int main()
{
    int wrong[THREADS];
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(work, i, &wrong[i]);
    for (int i = 0; i < THREADS; i++) {
        threads[i].join();
        char name[40];
        snprintf(name, sizeof name, "thread %d", i);
        expect(name, wrong[i], 0);
    }
    fflush(stdout);
    pid_t child = fork(); /* a child process cannot use the device that its parent has opened */
    if (child == 0) {
        int *p;
        _exit(cudaMalloc(&p, 4) == cudaErrorInitializationError ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    expect("a forked child is refused", status, 0);
    return summary();
}
