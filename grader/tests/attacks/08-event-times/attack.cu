// Times are what it says.
extern "C" cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t, cudaEvent_t)
{
    *milliseconds = 1e-6f;
    return cudaSuccess;
}
extern "C" cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t)
{
    *milliseconds = 1e-6f;
    return cudaSuccess;
}

ATTACK(8)
{
    return honest(stage); // judged by counters, which it does not reach
}
