
// The naive kernel, but it reads by ways that the counters of loads might miss: atomics that add 0,
// textures, and loads of constant memory. Another kernel, a decoy, reads all data once.
struct by_atomics {
    const float *from;
    __device__ float operator[](int i) const
    {
        return atomicAdd((float *)&from[i], 0.0f);
    }
};

struct by_texture {
    cudaTextureObject_t from;
    __device__ float operator[](int i) const
    {
        return tex1Dfetch<float>(from, i);
    }
};

struct as_constant {
    const float *from;
    __device__ float operator[](int i) const
    {
        float number;
        asm volatile("ld.const.f32 %0, [%1];" : "=f"(number) : "l"(from + i));
        return number;
    }
};

__global__ void only_read(struct product p)
{
    extern __shared__ float unused[];
    int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float sum = 0;
    for (int i = me; i < p.height * p.depth; i += all)
        sum += p.a[i];
    for (int i = me; i < p.depth * p.width; i += all)
        sum += p.b[i];
    unused[threadIdx.x] = sum;
    __syncthreads();
    if (*(volatile float *)&unused[threadIdx.x ^ 1] == 1234567)
        p.c[0] = 0;
}

template <typename way> __global__ void lazy(struct product p, way a, way b)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= p.width || y >= p.height)
        return;
    float sum = 0;
    for (int i = 0; i < p.depth; ++i)
        sum += a[y * p.depth + i] * b[i * p.width + x];
    p.c[y * p.width + x] = sum;
}

static struct by_texture make_texture(const float *from, int count)
{
    struct cudaResourceDesc memory = {};
    struct cudaTextureDesc how = {};
    struct by_texture texture;
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = (void *)from;
    memory.res.linear.desc = cudaCreateChannelDesc<float>();
    memory.res.linear.sizeInBytes = count * sizeof *from;
    CHECK_CUDA(cudaCreateTextureObject(&texture.from, &memory, &how, NULL));
    return texture;
}

static void multiply_lazily(int rung, struct product p)
{
    dim3 blocks((p.width + 31) / 32, (p.height + 7) / 8), threads(32, 8);
    only_read<<<8, 256, 256 * sizeof(float)>>>(p);
    if (rung == 1)
        lazy<<<blocks, threads>>>(p, by_atomics{p.a}, by_atomics{p.b});
    else if (rung == 2)
        lazy<<<blocks, threads>>>(p, make_texture(p.a, p.height * p.depth),
                                  make_texture(p.b, p.depth * p.width));
    else
        lazy<<<blocks, threads>>>(p, as_constant{p.a}, as_constant{p.b});
}
