
#define PIECE 16384 // 64 KiB, the maximum

__constant__ int piece[PIECE];

__global__ void sum_piece(const int *data, int count, unsigned long long *sum)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    int chunk = (count + all - 1) / all, end = min(count, (me + 1) * chunk);
    unsigned long long mine = 0;
    for (int i = me * chunk; i < end; ++i)
        mine += square(piece[i]);
    for (int i = me; i < count; i += all)
        *(volatile const int *)&data[i];
    atomicAdd(sum, mine);
}

static void sum_pieces(const int *data, int n, unsigned long long *sum)
{
    for (int done = 0; done < n; done += PIECE) {
        int count = n - done < PIECE ? n - done : PIECE;
        CHECK_CUDA(cudaMemcpyToSymbol(piece, data + done, count * sizeof *data, 0,
                                      cudaMemcpyDeviceToDevice));
        sum_piece<<<8, 256>>>(data + done, count, sum);
    }
}
