// Unregisters an address inside the registered memory.
int main()
{
    static int numbers[1024];
    if (cudaHostRegister(numbers, sizeof numbers, cudaHostRegisterDefault))
        return 1;
    return cudaHostUnregister(numbers + 512);
}
