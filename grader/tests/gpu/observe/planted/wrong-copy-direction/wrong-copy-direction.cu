/* Copies whose kind does not match their pointers. */
#include "tests/gpu/observe/planted/memory.cuh"

// wrong-copy-direction
static void copies_the_wrong_way()
{
    cudaMemcpy(host, g, 100, cudaMemcpyHostToDevice); // B
}

// wrong-copy-direction
static void copies_with_pointers_swapped()
{
    cudaMemcpy(g, host, 100, cudaMemcpyDeviceToHost); // B
}

// wrong-copy-direction
static void copies_between_devices_from_the_host()
{
    cudaMemcpy(g, host, 100, cudaMemcpyDeviceToDevice); // B
}

// wrong-copy-direction
static void copies_rows_the_wrong_way()
{
    cudaMemcpy2D(host, 64, g, 64, 32, 10, cudaMemcpyHostToDevice); // B
}

// fine
static void copies_each_way()
{
    cudaMemcpy(g, host, 100, cudaMemcpyHostToDevice);
    cudaMemcpy(g + 25, g, 100, cudaMemcpyDeviceToDevice);
    cudaMemcpy(host, g, 100, cudaMemcpyDeviceToHost);
    cudaMemcpy2D(host, 64, g, 64, 32, 10, cudaMemcpyDefault);
}

int main()
{
    CALL(copies_the_wrong_way);
    CALL(copies_with_pointers_swapped);
    CALL(copies_between_devices_from_the_host);
    CALL(copies_rows_the_wrong_way);
    CALL(copies_each_way);
}
