/* Fetches from textures and surfaces: one line for each kind of fetch, with the bits that 24 threads fetched.
 *
 * textures.expected is this program's output on an NVIDIA GPU of compute capability 9.0. To record it again:
 * nvcc -o a textures.cu && ./a >textures.expected     The emulator must answer the same. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));      \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

enum { N = 24, W = 7, H = 5, D = 3 };

struct point {
    float x, y, z;
};

/* --- fetches: each thread fetches at one point --------------------------------------------------------- */

enum shape { ONE, TWO, THREE, ONE_LAYERED, TWO_LAYERED, ONE_FETCH, TWO_LOD, GATHER };

template <typename T> __device__ T fetch(cudaTextureObject_t t, shape s, point p)
{
    switch (s) {
    case ONE:
        return tex1D<T>(t, p.x);
    case TWO:
        return tex2D<T>(t, p.x, p.y);
    case THREE:
        return tex3D<T>(t, p.x, p.y, p.z);
    case ONE_LAYERED:
        return tex1DLayered<T>(t, p.x, (int)p.z);
    case TWO_LAYERED:
        return tex2DLayered<T>(t, p.x, p.y, (int)p.z);
    case TWO_LOD:
        return tex2DLod<T>(t, p.x, p.y, 0.0f);
    default:
        return tex1Dfetch<T>(t, (int)p.x);
    }
}

template <typename T>
__global__ void sample(cudaTextureObject_t t, shape s, const point *at, T *out)
{
    out[threadIdx.x] = fetch<T>(t, s, at[threadIdx.x]);
}

__global__ void gather(cudaTextureObject_t t, int component, const point *at, float4 *out)
{
    point p = at[threadIdx.x];
    out[threadIdx.x] = component == 0   ? tex2Dgather<float4>(t, p.x, p.y, 0)
                       : component == 1 ? tex2Dgather<float4>(t, p.x, p.y, 1)
                                        : tex2Dgather<float4>(t, p.x, p.y, 3);
}

/* --- printing --------------------------------------------------------------------------------------------- */

static void print(const char *name, const void *bytes, size_t count)
{
    const unsigned *words = (const unsigned *)bytes;
    printf("%s:", name);
    for (size_t i = 0; i < count; i++)
        printf(" %x", words[i]);
    printf("\n");
}

static point *upload(const point *points)
{
    point *at;
    MUST(cudaMalloc(&at, N * sizeof *at));
    MUST(cudaMemcpy(at, points, N * sizeof *at, cudaMemcpyHostToDevice));
    return at;
}

template <typename T>
static void show(const char *name, cudaTextureObject_t t, shape s, const point *points)
{
    T *out, got[N];
    point *at = upload(points);
    MUST(cudaMalloc(&out, sizeof got));
    MUST(cudaMemset(out, 0, sizeof got));
    sample<T><<<1, N>>>(t, s, at, out);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    print(name, got, sizeof got / 4);
    MUST(cudaFree(at));
    MUST(cudaFree(out));
}

/* --- textures ----------------------------------------------------------------------------------------------- */

static cudaTextureDesc describe(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                cudaTextureReadMode read, bool normalized)
{
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = mode;
    desc.filterMode = filter;
    desc.readMode = read;
    desc.normalizedCoords = normalized;
    desc.borderColor[0] = 0.25f;
    desc.borderColor[1] = 0.5f;
    desc.borderColor[2] = 2.0f;
    desc.borderColor[3] = 4.0f;
    return desc;
}

static cudaTextureObject_t bind(cudaArray_t array, cudaTextureDesc desc)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t texture;
    MUST(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

template <typename T> static T texel(int i);
template <> float texel<float>(int i)
{
    return (float)(i * i % 97) - 11.5f;
}
template <> float4 texel<float4>(int i)
{
    return make_float4(i, 0.5f * i, -3.0f * i, 100 - i);
}
template <> uchar4 texel<uchar4>(int i)
{
    return make_uchar4(i * 7, i * 13 + 1, 255 - i, i * 31);
}
template <> short texel<short>(int i)
{
    return (short)(i * 9973 - 20000);
}
template <> unsigned short texel<unsigned short>(int i)
{
    return (unsigned short)(i * 7919);
}
template <> signed char texel<signed char>(int i)
{
    return (signed char)(i * 37 - 128);
}
template <> int texel<int>(int i)
{
    return (int)(i * 123456789u);
}
template <> uint2 texel<uint2>(int i)
{
    return make_uint2(i * 2654435761u, i);
}

template <typename T> static cudaArray_t make_array(int w, int h, int d, unsigned flags)
{
    static T texels[W * H * D];
    for (int i = 0; i < W * H * D; i++)
        texels[i] = texel<T>(i);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    MUST(cudaMalloc3DArray(&array, &desc, make_cudaExtent(w, h, d), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, w * sizeof(T), w, h ? h : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h ? h : 1, d ? d : 1);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    return array;
}

/* Points inside, at edges and far outside, in texels; if NORMALIZED, in widths of the texture. */
static const point *points(bool normalized)
{
    static const float xs[N] = {0.5f,   1.5f,  2.0f,   3.25f, 6.5f,  6.99f, 7.0f,   -0.01f,
                                -0.5f,  -1.0f, 7.5f,   8.75f, 13.9f, 14.1f, -13.3f, 100.0f,
                                2.625f, 3.99f, 4.001f, 5.75f, 0.0f,  0.25f, 6.25f,  3.5f};
    static point list[N];
    for (int i = 0; i < N; i++) {
        list[i].x = xs[i];
        list[i].y = xs[(i * 5 + 3) % N] * 0.7f;
        list[i].z = xs[(i * 7 + 1) % N] * 0.4f;
        if (normalized) {
            list[i].x /= 8;
            list[i].y /= 4;
            list[i].z /= 4;
        }
    }
    return list;
}

/* Points in layers that exist. */
static const point *layered_points()
{
    static point list[N];
    memcpy(list, points(false), sizeof list);
    for (int i = 0; i < N; i++)
        list[i].z = i % D;
    return list;
}

/* Points around the edge between two texels, in steps much finer than the 8 bits of a filter's weight. */
static const point *fine_points(float from, float step, bool normalized)
{
    static point list[N];
    for (int i = 0; i < N; i++)
        list[i] = {(from + i * step) / (normalized ? 8 : 1), 0.5f, 0.5f};
    return list;
}

static const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                               cudaAddressModeMirror, cudaAddressModeBorder};
static const char *const mode_names[] = {"wrap", "clamp", "mirror", "border"};

template <typename T> static void all_modes(const char *type, cudaTextureReadMode read, bool linear)
{
    char name[100];
    cudaArray_t one = make_array<T>(W, 0, 0, 0), two = make_array<T>(W, H, 0, 0),
                three = make_array<T>(W, H, D, 0);
    for (int m = 0; m < 4; m++)
        for (int f = 0; f <= linear; f++)
            for (int normalized = 0; normalized < 2; normalized++) {
                if (!normalized && (m == 0 || m == 2))
                    continue;
                cudaTextureDesc desc = describe(
                    modes[m], f ? cudaFilterModeLinear : cudaFilterModePoint, read, normalized);
                cudaArray_t arrays[] = {one, two, three};
                for (int s = ONE; s <= THREE; s++) {
                    cudaTextureObject_t t = bind(arrays[s], desc);
                    snprintf(name, sizeof name, "%s %dd %s%s%s", type, s + 1, mode_names[m],
                             f ? " linear" : "", normalized ? " normalized" : "");
                    if (read == cudaReadModeNormalizedFloat && sizeof(T) == 4)
                        show<float4>(name, t, (shape)s, points(normalized));
                    else if (read == cudaReadModeNormalizedFloat)
                        show<float>(name, t, (shape)s, points(normalized));
                    else if (sizeof(T) >= 4)
                        show<T>(name, t, (shape)s, points(normalized));
                    MUST(cudaDestroyTextureObject(t));
                }
            }
    MUST(cudaFreeArray(one));
    MUST(cudaFreeArray(two));
    MUST(cudaFreeArray(three));
}

static void fine()
{
    cudaArray_t one = make_array<float>(8, 0, 0, 0);
    for (int f = 0; f < 2; f++)
        for (int normalized = 0; normalized < 2; normalized++) {
            cudaTextureObject_t t = bind(
                one, describe(cudaAddressModeClamp, f ? cudaFilterModeLinear : cudaFilterModePoint,
                              cudaReadModeElementType, normalized));
            char name[100];
            snprintf(name, sizeof name, "fine%s%s", f ? " linear" : "",
                     normalized ? " normalized" : "");
            show<float>(name, t, ONE, fine_points(2.99f, 0.001f, normalized));
            show<float>(name, t, ONE, fine_points(3.5f - 12.0f / 2048, 1.0f / 2048, normalized));
            show<float>(name, t, ONE, fine_points(4.9995f, 0.0000625f, normalized));
            MUST(cudaDestroyTextureObject(t));
        }
    MUST(cudaFreeArray(one));
}

static void layers()
{
    cudaArray_t one = make_array<float>(W, 0, D, cudaArrayLayered),
                two = make_array<float>(W, H, D, cudaArrayLayered);
    for (int f = 0; f < 2; f++) {
        cudaTextureDesc desc =
            describe(cudaAddressModeClamp, f ? cudaFilterModeLinear : cudaFilterModePoint,
                     cudaReadModeElementType, false);
        cudaTextureObject_t t1 = bind(one, desc), t2 = bind(two, desc);
        show<float>(f ? "layers of 1d linear" : "layers of 1d", t1, ONE_LAYERED, layered_points());
        show<float>(f ? "layers of 2d linear" : "layers of 2d", t2, TWO_LAYERED, layered_points());
        point far[N];
        memcpy(far, layered_points(), sizeof far);
        for (int i = 0; i < N; i++)
            far[i].z = i - 9;
        show<float>("layers that are not there", t2, TWO_LAYERED, far);
        MUST(cudaDestroyTextureObject(t1));
        MUST(cudaDestroyTextureObject(t2));
    }
    MUST(cudaFreeArray(one));
    MUST(cudaFreeArray(two));
}

static void gathers()
{
    cudaArray_t two = make_array<float4>(W, H, 0, cudaArrayTextureGather);
    for (int m = 1; m < 4; m += 2) {
        cudaTextureObject_t t =
            bind(two, describe(modes[m], cudaFilterModePoint, cudaReadModeElementType, false));
        for (int component = 0; component < 3; component++) {
            float4 *out, got[N];
            point *at = upload(points(false));
            MUST(cudaMalloc(&out, sizeof got));
            gather<<<1, N>>>(t, component, at, out);
            MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
            print(m == 1 ? "gather clamp" : "gather border", got, sizeof got / 4);
            MUST(cudaFree(out));
            MUST(cudaFree(at));
        }
        show<float4>("lod", t, TWO_LOD, points(false));
        MUST(cudaDestroyTextureObject(t));
    }
    MUST(cudaFreeArray(two));
}

/* Linear memory: fetched by an index, or as rows with a pitch. */
static void linear_memory()
{
    float *list, texels[64];
    for (int i = 0; i < 64; i++)
        texels[i] = texel<float>(i);
    MUST(cudaMalloc(&list, 4096));
    MUST(cudaMemcpy(list, texels, sizeof texels, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = list;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 10 * sizeof(float);
    cudaTextureDesc desc = {};
    cudaTextureObject_t t;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    show<float>("linear memory", t, ONE_FETCH, points(false));
    MUST(cudaDestroyTextureObject(t));
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    desc.readMode = cudaReadModeNormalizedFloat;
    MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    show<float4>("linear memory of bytes", t, ONE_FETCH, points(false));
    MUST(cudaDestroyTextureObject(t));
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = list;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 6;
    resource.res.pitch2D.height = 4;
    resource.res.pitch2D.pitchInBytes = 32;
    for (int f = 0; f < 2; f++) {
        desc = describe(cudaAddressModeBorder, f ? cudaFilterModeLinear : cudaFilterModePoint,
                        cudaReadModeElementType, false);
        MUST(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
        show<float>(f ? "pitched memory linear" : "pitched memory", t, TWO, points(false));
        MUST(cudaDestroyTextureObject(t));
    }
    MUST(cudaFree(list));
}

/* --- surfaces ---------------------------------------------------------------------------------------------- */

template <typename T> __global__ void shift_surface(cudaSurfaceObject_t s, int w, int h)
{
    int x = threadIdx.x, y = threadIdx.y;
    T v = surf2Dread<T>(s, (w - 1 - x) * sizeof(T), (h - 1 - y));
    __syncthreads();
    surf2Dwrite(v, s, x * sizeof(T), y);
}

__global__ void surface_edges(cudaSurfaceObject_t s, float *out)
{
    int x = threadIdx.x - 4;
    out[threadIdx.x] = surf2Dread<float>(s, x * 4, x / 2, cudaBoundaryModeClamp);
    out[threadIdx.x + N] = surf2Dread<float>(s, x * 4, x / 2, cudaBoundaryModeZero);
    __syncthreads();
    surf2Dwrite((float)x, s, x * 4, 2, cudaBoundaryModeZero);
}

__global__ void surface_shapes(cudaSurfaceObject_t one, cudaSurfaceObject_t three,
                               cudaSurfaceObject_t layers, int *out)
{
    int i = threadIdx.x;
    if (i < W) {
        surf1Dwrite(surf1Dread<int>(one, i * 4) + 5, one, i * 4);
        out[i] = surf1Dread<int>(one, i * 4);
        surf3Dwrite(1000 + i, three, i * 4, 2, 1);
        out[W + i] = surf3Dread<int>(three, i * 4, 2, 1) + surf3Dread<int>(three, i * 4, 4, 2);
        surf2DLayeredwrite(2000 + i, layers, i * 4, 3, 2);
        out[2 * W + i] = surf2DLayeredread<int>(layers, i * 4, 3, 2) +
                         surf2DLayeredread<int>(layers, i * 4, 2, 1);
    }
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    MUST(cudaCreateSurfaceObject(&surface, &resource));
    return surface;
}

template <typename T> static void shifted(const char *name)
{
    cudaArray_t array = make_array<T>(W, H, 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t s = surface_of(array);
    T got[W * H + 4] = {};
    shift_surface<T><<<1, dim3(W, H)>>>(s, W, H);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy2DFromArray(got, W * sizeof(T), array, 0, 0, W * sizeof(T), H,
                               cudaMemcpyDeviceToHost));
    print(name, got, W * H * sizeof(T) / 4);
    MUST(cudaDestroySurfaceObject(s));
    MUST(cudaFreeArray(array));
}

static void surfaces()
{
    shifted<float>("surface of float");
    shifted<float4>("surface of float4");
    shifted<uchar4>("surface of uchar4");
    shifted<short>("surface of short");
    shifted<signed char>("surface of char");
    shifted<uint2>("surface of uint2");
    cudaArray_t two = make_array<float>(W, H, 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t s = surface_of(two);
    float *out, got[2 * N], back[W * H];
    MUST(cudaMalloc(&out, sizeof got));
    surface_edges<<<1, N>>>(s, out);
    MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    print("surface clamp and zero", got, 2 * N);
    MUST(cudaMemcpy2DFromArray(back, W * 4, two, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    print("surface zero writes", back, W * H);
    cudaArray_t one = make_array<int>(W, 0, 0, cudaArraySurfaceLoadStore),
                three = make_array<int>(W, H, D, cudaArraySurfaceLoadStore),
                layers = make_array<int>(W, H, D, cudaArraySurfaceLoadStore | cudaArrayLayered);
    surface_shapes<<<1, 32>>>(surface_of(one), surface_of(three), surface_of(layers), (int *)out);
    MUST(cudaDeviceSynchronize());
    MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    print("surface shapes", got, 3 * W);
}

int main()
{
    all_modes<float>("float", cudaReadModeElementType, true);
    all_modes<float4>("float4", cudaReadModeElementType, true);
    all_modes<uchar4>("uchar4 as float", cudaReadModeNormalizedFloat, true);
    all_modes<uchar4>("uchar4", cudaReadModeElementType, false);
    all_modes<short>("short as float", cudaReadModeNormalizedFloat, true);
    all_modes<unsigned short>("ushort as float", cudaReadModeNormalizedFloat, false);
    all_modes<signed char>("char as float", cudaReadModeNormalizedFloat, false);
    all_modes<int>("int", cudaReadModeElementType, false);
    all_modes<uint2>("uint2", cudaReadModeElementType, false);
    fine();
    layers();
    gathers();
    linear_memory();
    surfaces();
    return 0;
}
