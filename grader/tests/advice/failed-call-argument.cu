// Makes an event with a flag that there is not.
int main()
{
    cudaEvent_t event;
    return cudaEventCreateWithFlags(&event, 256);
}
