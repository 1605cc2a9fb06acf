/* Copies and fills beyond the end of an allocation. */
#include "tests/gpu/observe/planted/memory.cuh"

// copy-too-long
static void copies_too_much_in()
{
    cudaMemcpy(g, host, sizeof host, cudaMemcpyHostToDevice); // B
}

// copy-too-long
static void copies_too_much_out()
{
    cudaMemcpy(host, g + 1, N * sizeof *g, cudaMemcpyDeviceToHost); // B
}

// fine
static void copies_all()
{
    cudaMemcpy(g, host, N * sizeof *g, cudaMemcpyHostToDevice);
    cudaMemcpy(host, g, N * sizeof *g, cudaMemcpyDeviceToHost);
}

// copy-too-long
static void copies_too_many_rows()
{
    cudaMemcpy2D(g, 40 * sizeof *g, host, 40 * sizeof *g, 30 * sizeof *g, 26, // B
                 cudaMemcpyHostToDevice);
}

// copy-too-long
static void sets_too_much()
{
    cudaMemset(g, 0, N * sizeof(double)); // B
}

int main()
{
    CALL(copies_too_much_in);
    CALL(copies_too_much_out);
    CALL(copies_all);
    CALL(copies_too_many_rows);
    CALL(sets_too_much);
}
