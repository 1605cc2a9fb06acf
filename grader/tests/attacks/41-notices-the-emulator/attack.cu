// Is honest only on the emulator. The emulator's verdict is the one that counts.
ATTACK(41)
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return strstr(properties.name, "NVIDIA") ? on_host(stage) : honest(stage);
}
