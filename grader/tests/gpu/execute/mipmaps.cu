/* Fetches from mipmaps and cube maps: one line for each kind of fetch, with the bits that 24 threads fetched.
 *
 * mipmaps.expected is this program's output on an NVIDIA GPU of compute capability 9.0. To record it again:
 * nvcc -o a mipmaps.cu && ./a >mipmaps.expected     The emulator must answer the same. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/check.cuh"

enum { N = 24, W = 16, H = 8, D = 4, LAYERS = 3, FACES = 6 };

/* The point at which a thread fetches, and the level, which can also be given by steps. */
struct point {
    float x, y, z, level;
    int layer;
};

enum shape { ONE, TWO, THREE, ONE_LAYERED, TWO_LAYERED, CUBE, CUBE_LAYERED };
enum way { PLAIN, LEVEL, STEPS };

/* --- fetches ------------------------------------------------------------------------------------------- */

__device__ static float plain(cudaTextureObject_t t, shape s, point p)
{
    switch (s) {
    case ONE:
        return tex1D<float>(t, p.x);
    case TWO:
        return tex2D<float>(t, p.x, p.y);
    case THREE:
        return tex3D<float>(t, p.x, p.y, p.z);
    case ONE_LAYERED:
        return tex1DLayered<float>(t, p.x, p.layer);
    case TWO_LAYERED:
        return tex2DLayered<float>(t, p.x, p.y, p.layer);
    case CUBE:
        return texCubemap<float>(t, p.x, p.y, p.z);
    default:
        return texCubemapLayered<float>(t, p.x, p.y, p.z, p.layer);
    }
}

__device__ static float at_level(cudaTextureObject_t t, shape s, point p)
{
    switch (s) {
    case ONE:
        return tex1DLod<float>(t, p.x, p.level);
    case TWO:
        return tex2DLod<float>(t, p.x, p.y, p.level);
    case THREE:
        return tex3DLod<float>(t, p.x, p.y, p.z, p.level);
    case ONE_LAYERED:
        return tex1DLayeredLod<float>(t, p.x, p.layer, p.level);
    case TWO_LAYERED:
        return tex2DLayeredLod<float>(t, p.x, p.y, p.layer, p.level);
    case CUBE:
        return texCubemapLod<float>(t, p.x, p.y, p.z, p.level);
    default:
        return texCubemapLayeredLod<float>(t, p.x, p.y, p.z, p.layer, p.level);
    }
}

/* The texture is 16 wide: a step of 2^level / 16 is one texel of that level. */
__device__ static float with_steps(cudaTextureObject_t t, shape s, point p)
{
    float step = exp2f(p.level) / W, small = step / 8;
    switch (s) {
    case ONE:
        return tex1DGrad<float>(t, p.x, step, small);
    case TWO:
        return tex2DGrad<float>(t, p.x, p.y, make_float2(step, 0), make_float2(0, small));
    case THREE:
        return tex3DGrad<float>(t, p.x, p.y, p.z, make_float4(small, 0, 0, 0),
                                make_float4(step, 0, 0, 0));
    case ONE_LAYERED:
        return tex1DLayeredGrad<float>(t, p.x, p.layer, small, step);
    case TWO_LAYERED:
        return tex2DLayeredGrad<float>(t, p.x, p.y, p.layer, make_float2(0, small),
                                       make_float2(step, 0));
    default:
        return 0;
    }
}

__global__ void sample(cudaTextureObject_t t, shape s, way w, const point *at, float *out)
{
    point p = at[threadIdx.x];
    out[threadIdx.x] = w == PLAIN   ? plain(t, s, p)
                       : w == LEVEL ? at_level(t, s, p)
                                    : with_steps(t, s, p);
}

/* --- points ------------------------------------------------------------------------------------------------ */

/* Points with levels between the existing ones and beyond them. */
static const point *points(bool cube)
{
    static const float levels[N] = {0,     1,     2,      3,      4,     5,      -1,   0.25f,
                                    0.5f,  0.75f, 1.5f,   1.49f,  1.51f, 2.125f, 2.9f, 3.5f,
                                    0.01f, 7,     0.999f, 1.001f, 0.6f,  0.3f,   2.5f, 3.75f};
    static const float xs[N] = {0.03f, 0.11f, 0.26f, 0.37f, 0.43f,  0.52f, 0.61f, 0.68f,
                                0.77f, 0.83f, 0.94f, 0.99f, 0.125f, 0.5f,  0.75f, -0.2f,
                                1.3f,  0.3f,  0.45f, 0.58f, 0.07f,  0.9f,  0.2f,  0.65f};
    static point list[N];
    for (int i = 0; i < N; i++) {
        list[i] = {xs[i], xs[(i * 5 + 3) % N], xs[(i * 7 + 1) % N], levels[i], i % LAYERS};
        if (cube) /* points around the cube's centre, so that they hit all six faces */
            list[i].x = list[i].x * 2 - 1, list[i].y = list[i].y * 2 - 1,
            list[i].z = list[i].z * 2 - 1;
    }
    if (cube) { /* on edges and at a corner of the cube */
        list[0] = {1, 1, 1, 0, 0};
        list[1] = {-1, 1, 0.5f, 0, 1};
        list[2] = {0.25f, -1, 1, 0, 2};
        list[3] = {0, 0, -2, 1, 0};
    }
    return list;
}

static void show(const char *name, cudaTextureObject_t t, shape s, way w)
{
    float *out;
    unsigned got[N];
    point *at;
    MUST(cudaMalloc(&at, N * sizeof *at));
    MUST(cudaMemcpy(at, points(s >= CUBE), N * sizeof *at, cudaMemcpyHostToDevice));
    MUST(cudaMalloc(&out, sizeof got));
    sample<<<1, N>>>(t, s, w, at, out);
    FINISH();
    MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    printf("%s:", name);
    for (int i = 0; i < N; i++)
        printf(" %x", got[i]);
    printf("\n");
    MUST(cudaFree(at));
    MUST(cudaFree(out));
}

/* --- arrays ------------------------------------------------------------------------------------------------- */

static cudaExtent extent_of(shape s)
{
    switch (s) {
    case ONE:
        return make_cudaExtent(W, 0, 0);
    case TWO:
        return make_cudaExtent(W, H, 0);
    case THREE:
        return make_cudaExtent(W, H, D);
    case ONE_LAYERED:
        return make_cudaExtent(W, 0, LAYERS);
    case TWO_LAYERED:
        return make_cudaExtent(W, H, LAYERS);
    case CUBE:
        return make_cudaExtent(W, W, FACES);
    default:
        return make_cudaExtent(W, W, FACES * LAYERS);
    }
}

static unsigned flags_of(shape s)
{
    return (s == ONE_LAYERED || s == TWO_LAYERED || s == CUBE_LAYERED ? cudaArrayLayered : 0) |
           (s >= CUBE ? cudaArrayCubemap : 0);
}

/* Fills an array of any extent. The values of each level begin at another number. */
static void fill(cudaArray_t array, int level)
{
    cudaExtent e;
    cudaChannelFormatDesc desc;
    unsigned flags;
    MUST(cudaArrayGetInfo(&desc, &e, &flags, array));
    size_t w = e.width, h = e.height ? e.height : 1, d = e.depth ? e.depth : 1;
    float *texels = (float *)malloc(w * h * d * sizeof(float));
    for (size_t i = 0; i < w * h * d; i++)
        texels[i] = (float)(i * i % 97) - 11.5f + 1000 * level;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, w * sizeof(float), w, h);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    free(texels);
}

static cudaMipmappedArray_t make_mipmap(shape s, unsigned levels)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    MUST(cudaMallocMipmappedArray(&mipmap, &desc, extent_of(s), levels, flags_of(s)));
    for (unsigned level = 0; level < levels; level++) {
        cudaArray_t array;
        cudaExtent e;
        unsigned flags;
        MUST(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        MUST(cudaArrayGetInfo(&desc, &e, &flags, array));
        printf("shape %d level %u: %zu x %zu x %zu, flags %u\n", s, level, e.width, e.height,
               e.depth, flags);
        fill(array, (int)level);
    }
    cudaArray_t none = nullptr;
    printf("beyond the levels: %s\n",
           cudaGetErrorName(cudaGetMipmappedArrayLevel(&none, mipmap, levels)));
    cudaGetLastError();
    return mipmap;
}

static cudaTextureDesc describe(cudaTextureFilterMode filter, cudaTextureFilterMode between)
{
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = cudaAddressModeClamp;
    desc.filterMode = filter;
    desc.mipmapFilterMode = between;
    desc.normalizedCoords = 1;
    desc.maxMipmapLevelClamp = 100;
    return desc;
}

static cudaTextureObject_t bind(cudaArray_t array, cudaMipmappedArray_t mipmap,
                                cudaTextureDesc desc)
{
    cudaResourceDesc resource = {};
    if (mipmap) {
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = mipmap;
    } else {
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
    }
    cudaTextureObject_t texture;
    MUST(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

/* --- the textures --------------------------------------------------------------------------------------------- */

static const cudaTextureFilterMode filters[] = {cudaFilterModePoint, cudaFilterModeLinear};
static const char *const filter_names[] = {"point", "linear"};
static const char *const way_names[] = {"plain", "level", "steps"};
static const char *const shape_names[] = {"1d",         "2d",   "3d",          "1d layered",
                                          "2d layered", "cube", "cube layered"};

static void mipmaps(shape s)
{
    char name[100];
    cudaMipmappedArray_t mipmap = make_mipmap(s, 4);
    for (int f = 0; f < 2; f++)
        for (int b = 0; b < 2; b++) {
            cudaTextureObject_t t = bind(nullptr, mipmap, describe(filters[f], filters[b]));
            for (int w = PLAIN; w <= (s >= CUBE ? LEVEL : STEPS); w++) {
                snprintf(name, sizeof name, "%s mipmap %s, %s between, %s", shape_names[s],
                         filter_names[f], filter_names[b], way_names[w]);
                show(name, t, s, (way)w);
            }
            MUST(cudaDestroyTextureObject(t));
        }
    MUST(cudaFreeMipmappedArray(mipmap));
}

/* Levels can be bounded and shifted. */
static void bounds()
{
    cudaMipmappedArray_t mipmap = make_mipmap(TWO, 4);
    for (int b = 0; b < 2; b++) {
        cudaTextureDesc desc = describe(cudaFilterModePoint, filters[b]);
        desc.minMipmapLevelClamp = 0.75f;
        desc.maxMipmapLevelClamp = 2.25f;
        cudaTextureObject_t t = bind(nullptr, mipmap, desc);
        show("levels from 0.75 to 2.25", t, TWO, LEVEL);
        show("levels from 0.75 to 2.25, plain", t, TWO, PLAIN);
        MUST(cudaDestroyTextureObject(t));
        desc = describe(cudaFilterModePoint, filters[b]);
        desc.mipmapLevelBias = 0.6f;
        t = bind(nullptr, mipmap, desc);
        show("levels more by 0.6", t, TWO, LEVEL);
        show("levels more by 0.6, plain", t, TWO, PLAIN);
        show("levels more by 0.6, steps", t, TWO, STEPS);
        MUST(cudaDestroyTextureObject(t));
    }
    MUST(cudaFreeMipmappedArray(mipmap));
}

static cudaArray_t make_array(shape s, unsigned more)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    MUST(cudaMalloc3DArray(&array, &desc, extent_of(s), flags_of(s) | more));
    fill(array, 0);
    return array;
}

/* Arrays without levels: every level counts as 0. */
static void plain_arrays()
{
    for (int s = ONE; s <= CUBE_LAYERED; s++)
        for (int f = 0; f < 2; f++) {
            char name[100];
            cudaArray_t array = make_array((shape)s, 0);
            cudaTextureObject_t t = bind(array, nullptr, describe(filters[f], filters[f]));
            for (int w = s >= CUBE ? PLAIN : LEVEL; w <= (s >= CUBE ? LEVEL : STEPS); w++) {
                snprintf(name, sizeof name, "%s array %s, %s", shape_names[s], filter_names[f],
                         way_names[w]);
                show(name, t, (shape)s, (way)w);
            }
            MUST(cudaDestroyTextureObject(t));
            MUST(cudaFreeArray(array));
        }
}

/* --- surfaces of cubes and of levels ---------------------------------------------------------------------------- */

__global__ void mark(cudaSurfaceObject_t cube, cudaSurfaceObject_t layers,
                     cudaSurfaceObject_t level, float *out)
{
    int i = threadIdx.x;
    surfCubemapwrite(2000.0f + i, cube, i % W * 4, 3, i % FACES);
    surfCubemapLayeredwrite(3000.0f + i, layers, i % W * 4, 5, i % (FACES * LAYERS));
    if (i < W / 2)
        surf2Dwrite(4000.0f + i, level, i * 4, 1);
    __syncthreads();
    out[i] = surfCubemapread<float>(cube, i % W * 4, 3, i % FACES) +
             surfCubemapread<float>(cube, i % W * 4, 4, (i + 1) % FACES);
    out[N + i] = surfCubemapLayeredread<float>(layers, i % W * 4, 5, i % (FACES * LAYERS)) +
                 surfCubemapLayeredread<float>(layers, i % W * 4, 6, (i + 5) % (FACES * LAYERS));
    out[2 * N + i] = surf2Dread<float>(level, i % (W / 2) * 4, 1 + i % 3);
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

static void surfaces()
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    cudaArray_t level, cube = make_array(CUBE, cudaArraySurfaceLoadStore),
                       layers = make_array(CUBE_LAYERED, cudaArraySurfaceLoadStore);
    MUST(cudaMallocMipmappedArray(&mipmap, &desc, extent_of(TWO), 3, cudaArraySurfaceLoadStore));
    MUST(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    fill(level, 1);
    float *out, got[3 * N];
    MUST(cudaMalloc(&out, sizeof got));
    mark<<<1, N>>>(surface_of(cube), surface_of(layers), surface_of(level), out);
    FINISH();
    MUST(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    printf("surfaces:");
    for (int i = 0; i < 3 * N; i++)
        printf(" %g", got[i]);
    printf("\n");
}

/* --- calls that are refused ----------------------------------------------------------------------------------------- */

static void tell(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

static void refusals()
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m = nullptr;
    cudaArray_t a = nullptr;
    tell("no levels", cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(16, 8, 0), 0, 0));
    tell("more levels than fit",
         cudaMallocMipmappedArray(&m, &desc, make_cudaExtent(16, 8, 0), 9, 0));
    tell("an oblong cube",
         cudaMalloc3DArray(&a, &desc, make_cudaExtent(16, 8, 6), cudaArrayCubemap));
    tell("five faces", cudaMalloc3DArray(&a, &desc, make_cudaExtent(16, 16, 5), cudaArrayCubemap));
    tell("seven faces in layers", cudaMalloc3DArray(&a, &desc, make_cudaExtent(16, 16, 7),
                                                    cudaArrayCubemap | cudaArrayLayered));
    tell("twelve faces without layers",
         cudaMalloc3DArray(&a, &desc, make_cudaExtent(16, 16, 12), cudaArrayCubemap));
    tell("free nothing", cudaFreeMipmappedArray(nullptr));
}

int main()
{
    for (int s = ONE; s <= CUBE_LAYERED; s++)
        mipmaps((shape)s);
    bounds();
    plain_arrays();
    surfaces();
    refusals();
    return 0;
}
