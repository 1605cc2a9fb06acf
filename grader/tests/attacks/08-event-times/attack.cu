// Replaces the functions that measure time.
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
    return honest(stage); // the counters, which it cannot change, are judged
}
