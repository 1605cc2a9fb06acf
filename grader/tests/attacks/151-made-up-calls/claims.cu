
int main(int argc, char **argv)
{
    int code = submission(argc, argv);
    static const char claims[] =
        "{\"calls\":{\"cudaMallocPitch\":2,\"cudaMemcpy2D\":2,\"cudaMemset2D\":1}}";
    struct {
        unsigned what, bytes;
        unsigned long long arg[6];
    } head = {NOTE, sizeof claims - 1};
    if (send(3, &head, sizeof head, 0) > 0 && send(3, claims, sizeof claims - 1, 0) > 0)
        recv(3, &head, sizeof head, MSG_WAITALL);
    fflush(stdout);
    _exit(code);
}
