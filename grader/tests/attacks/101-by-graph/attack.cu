// Passes the answer as an argument of a graph's kernel, which it sets after it has built the graph.
static __global__ void tell(const int *data, int n, unsigned long long *sum,
                            unsigned long long given)
{
    only_read_share(data, n, sum);
    *sum = given;
}

ATTACK(101)
{
    unsigned long long *there, given = 0, sum;
    int *data;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t ready;
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    void *arguments[] = {&data, &stage->n, &there, &given};
    cudaKernelNodeParams parameters = {};
    parameters.func = (void *)tell;
    parameters.gridDim = 4;
    parameters.blockDim = 256;
    parameters.kernelParams = arguments;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&node, graph, NULL, 0, &parameters);
    cudaGraphInstantiate(&ready, graph, 0);
    given = on_host(stage);
    cudaGraphExecKernelNodeSetParams(ready, node, &parameters);
    cudaGraphLaunch(ready, 0);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
