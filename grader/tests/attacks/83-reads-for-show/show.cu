
// Improves the mean, because nearly all of its reads use whole lines.
__global__ void only_read(struct matrix data)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    int whole = data.width * data.height / 32 * 32;
    for (int round = 0; round < 60; ++round)
        for (int i = me; i < whole; i += all)
            if (*(volatile float *)&data.first[i] == 0.5f)
                __trap();
}
