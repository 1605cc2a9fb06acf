// Calls a library to do the work, but no library is linked.
#include "lab.h"

extern "C" int cublasCreate_v2(void **);
extern "C" int cublasSdot_v2(void *, int, const float *, int, const float *, int, float *);

int main(int argc, char **argv)
{
    void *handle;
    float sum;
    struct lab lab = lab_open(argc, argv);
    cublasCreate_v2(&handle);
    cublasSdot_v2(handle, 0, NULL, 1, NULL, 1, &sum);
    return lab_close(&lab);
}
