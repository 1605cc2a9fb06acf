/* A source from which handouts cut parts (test_handouts.c). Each name is another kind of definition. */
#ifndef CUT_CUH
#define CUT_CUH

#define WIDTH     8 // a macro
#define SUM(a, b) ((a) + (b))

// A prototype is no definition.
__device__ int triple(int value);

/* A structure.
 *
 * Its comment has several lines. */
struct pair {
    int first, second;
};

enum colour { RED, GREEN };

static const int table[] = {1, 2, 3};

static const struct pair pairs[] = {
    {1, 2},
    {3, 4},
};

// This comment belongs to no definition, because an empty line follows.

// A device function;
// the comment has two lines, and says { and ;
__device__ int triple(int value)
{
    if (value > 0) {
        return 3 * value;
    }
    return value + value + value;
}

/* A kernel whose head takes several lines. */
template <typename T>
__global__ void __launch_bounds__(256, 2) scale(T *data, // in place
                                                T factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}

static int one_line(void)
{
    return 1;
}

static int twice(int value)
{
    return 2 * value;
}

static float twice(float value)
{
    return 2 * value;
}

#endif
