/* Lets clangd read .cu files with CUDA 13's own headers. `make editor` makes clangd include this
 * file first; nvcc never sees it.
 * clangd knows CUDA's language, but its wrapper of CUDA's headers supports only versions up to
 * CUDA 12. This file replaces the wrapper. The pragma makes each function of a header a function
 * of host and device. clang has __syncthreads() built in, so CUDA's declaration is renamed. The
 * C++ library's mathematical functions are constexpr, so CUDA's second declarations of them are
 * left out; the functions that only CUDA has are declared below. */
#pragma clang force_cuda_host_device begin
#define __COMMON_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__
#define __syncthreads lanewise_hidden_syncthreads
#include <stdlib.h>
#pragma clang force_cuda_host_device end

/* clang's own <new> and <algorithm> need these macros; CUDA's headers define them again. */
#define __host__   __attribute__((host))
#define __device__ __attribute__((device))
#include <new>
#pragma clang force_cuda_host_device begin
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <locale>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#undef __host__
#undef __device__

inline int min(int a, int b)
{
    return a < b ? a : b;
}
inline int max(int a, int b)
{
    return a > b ? a : b;
}
#define LANEWISE_LESSER(A, B, RESULT)                                                              \
    inline RESULT min(A a, B b)                                                                    \
    {                                                                                              \
        return (RESULT)a < (RESULT)b ? (RESULT)a : (RESULT)b;                                      \
    }                                                                                              \
    inline RESULT max(A a, B b)                                                                    \
    {                                                                                              \
        return (RESULT)a > (RESULT)b ? (RESULT)a : (RESULT)b;                                      \
    }
LANEWISE_LESSER(unsigned, unsigned, unsigned)
LANEWISE_LESSER(int, unsigned, unsigned)
LANEWISE_LESSER(unsigned, int, unsigned)
LANEWISE_LESSER(long, long, long)
LANEWISE_LESSER(unsigned long, unsigned long, unsigned long)
LANEWISE_LESSER(long, unsigned long, unsigned long)
LANEWISE_LESSER(unsigned long, long, unsigned long)
LANEWISE_LESSER(long long, long long, long long)
LANEWISE_LESSER(unsigned long long, unsigned long long, unsigned long long)
LANEWISE_LESSER(long long, unsigned long long, unsigned long long)
LANEWISE_LESSER(unsigned long long, long long, unsigned long long)
LANEWISE_LESSER(float, float, float)
LANEWISE_LESSER(double, double, double)
LANEWISE_LESSER(float, double, double)
LANEWISE_LESSER(double, float, double)
#undef LANEWISE_LESSER

template <typename... Types> void __nv_tex_surf_handler(const char *name, Types... arguments);
#include <cuda_runtime.h>
#undef __syncthreads

#define LANEWISE_ONE(NAME)                                                                         \
    extern "C" float NAME##f(float x);                                                             \
    extern "C" double NAME(double x);
LANEWISE_ONE(rsqrt)
LANEWISE_ONE(rcbrt)
LANEWISE_ONE(sinpi)
LANEWISE_ONE(cospi)
LANEWISE_ONE(erfinv)
LANEWISE_ONE(erfcinv)
LANEWISE_ONE(erfcx)
LANEWISE_ONE(normcdf)
LANEWISE_ONE(normcdfinv)
LANEWISE_ONE(cyl_bessel_i0)
LANEWISE_ONE(cyl_bessel_i1)
#undef LANEWISE_ONE
extern "C" void sincospif(float x, float *sine, float *cosine);
extern "C" void sincospi(double x, double *sine, double *cosine);
extern "C" float norm3df(float a, float b, float c);
extern "C" double norm3d(double a, double b, double c);
extern "C" float rnorm3df(float a, float b, float c);
extern "C" double rnorm3d(double a, double b, double c);
extern "C" float rhypotf(float a, float b);
extern "C" double rhypot(double a, double b);
#pragma clang force_cuda_host_device end
