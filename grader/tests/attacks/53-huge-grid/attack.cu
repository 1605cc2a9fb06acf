__global__ void nothing()
{
}

ATTACK(53)
{
    nothing<<<dim3(2147483647, 65535, 65535), 1024>>>();
    return honest(stage);
}
