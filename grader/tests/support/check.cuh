/* Functions for test programs that check themselves. Such a program prints one line for each
 * check, and ends with status 0 if all checks succeeded. It runs on the emulator in `make test`,
 * and unchanged on a GPU. */
#ifndef TESTS_CHECK_CUH
#define TESTS_CHECK_CUH

#include <cstdio>
#include <cstdlib>

static int failures;

/* Ends the program if a runtime call fails. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error_));                                                   \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

/* Waits for the launched kernel, and ends the program if the launch failed. */
#define FINISH()                                                                                   \
    do {                                                                                           \
        MUST(cudaGetLastError());                                                                  \
        MUST(cudaDeviceSynchronize());                                                             \
    } while (0)

/* Makes one check: its name, the value that the program got, and the right value. */
template <typename T> static void expect(const char *name, T got, T right)
{
    bool good = got == right;
    if (good)
        printf("ok   %s\n", name);
    else
        printf("FAIL %s: got %.17g, right is %.17g\n", name, (double)got, (double)right);
    failures += !good;
}

static int summary()
{
    printf(failures ? "%d failed\n" : "all right\n", failures);
    return failures ? 1 : 0;
}

#endif
