/* Setting the conditions of graphs. */
#include "tests/gpu/observe/planted/memory.cuh"

// bad-condition
__global__ void condition_that_was_never_created(int *a, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, a[threadIdx.x]); // B
}

// fine
__global__ void condition_that_was_created(int *a, cudaGraphConditionalHandle handle)
{
    cudaGraphSetConditional(handle, a[threadIdx.x]);
}

static cudaGraphConditionalHandle make_condition()
{
    cudaGraphConditionalHandle handle = 0;
    cudaGraph_t graph;
    allocate();
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&handle, graph);
    return handle;
}

int main()
{
    apart([] {
        cudaGraphConditionalHandle handle = 0;
        make_condition();
        condition_that_was_never_created<<<1, 1>>>(g, handle);
    });
    apart([] {
        cudaGraphConditionalHandle handle = 0;
        handle = make_condition();
        condition_that_was_created<<<1, 1>>>(g, handle);
    });
}
