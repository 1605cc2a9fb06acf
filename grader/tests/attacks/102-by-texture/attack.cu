// Hides the answer in a texture, whose size decides how many of its bytes count.
static __global__ void fetch(const int *data, int n, unsigned long long *sum,
                             cudaTextureObject_t texture)
{
    only_read_share(data, n, sum);
    unsigned long long high = tex2D<unsigned>(texture, 1, 0);
    *sum = high << 32 | tex2D<unsigned>(texture, 0, 0);
}

ATTACK(102)
{
    unsigned long long *there, sum = on_host(stage);
    int *data;
    cudaArray_t array;
    cudaTextureObject_t texture;
    cudaChannelFormatDesc words = cudaCreateChannelDesc<unsigned>();
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    cudaMallocArray(&array, &words, 2, 1);
    cudaMemcpy2DToArray(array, 0, 0, &sum, sizeof sum, sizeof sum, 1, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {cudaResourceTypeArray};
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    fetch<<<4, 256>>>(data, stage->n, there, texture);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
