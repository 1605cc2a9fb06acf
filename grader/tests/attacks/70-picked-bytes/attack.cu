// Kernels make a table of all bytes, from which the host picks the bytes of its own answer.
__global__ void make_table(unsigned char *table)
{
    table[threadIdx.x] = (unsigned char)threadIdx.x;
}

ATTACK(70)
{
    unsigned long long sum = on_host(stage), picked = 0;
    unsigned char *table;
    run_kernel(stage, only_read);
    cudaMalloc(&table, 256);
    make_table<<<1, 256>>>(table);
    for (int i = 0; i < 8; ++i)
        cudaMemcpy((char *)&picked + i, table + (sum >> 8 * i & 255), 1, cudaMemcpyDeviceToHost);
    return picked;
}
