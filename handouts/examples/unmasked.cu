// A vote of 2010, without a mask of lanes. It does not compile for GPUs since 2017.
__global__ void vote(unsigned *values)
{
    values[threadIdx.x] = __ballot(values[threadIdx.x] > 7);
}
