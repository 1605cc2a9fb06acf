// Its kernel writes to the program's own memory.
__global__ void write_there(unsigned long long *there)
{
    *there = 42;
}

ATTACK(43)
{
    static unsigned long long mine;
    write_there<<<1, 1>>>(&mine);
    cudaDeviceSynchronize();
    return on_host(stage);
}
