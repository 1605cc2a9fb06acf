// right(): warp 1 waits for warp 0. wrong(): each waits for the other.
__global__ void right()
{
    if (threadIdx.x < 32)
        asm volatile("bar.arrive 1, 64;"); // arrives, but does not wait
    else
        asm volatile("bar.sync 1, 64;"); // waits for both warps
}

__global__ void wrong()
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;"); // waits at barrier 1
    else
        asm volatile("bar.sync 2, 64;"); // the other warp waits at barrier 2
}

int main()
{
    right<<<1, 64>>>();
    wrong<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
