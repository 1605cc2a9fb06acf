// Would be honest on the emulator only: it is the emulator's verdict that counts.
ATTACK(41)
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return strstr(properties.name, "NVIDIA") ? on_host(stage) : honest(stage);
}
