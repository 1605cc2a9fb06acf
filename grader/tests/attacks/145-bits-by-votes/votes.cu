
// The sum of the block's numbers, valid in all of its threads.
__device__ int sum_of_block(const int *data, int n)
{
    int mine = sum_of_thread(data, n), total = 0;
    for (int bit = 0; bit < 32; ++bit)
        total += __syncthreads_count(mine >> bit & 1) << bit;
    return total;
}
