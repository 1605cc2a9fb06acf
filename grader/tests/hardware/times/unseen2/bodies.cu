/* Bodies, particles and cloth. */
#include "common.cuh"

static __device__ float3 pull(float3 sum, float4 a, float4 b)
{
    float x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
    float r = rsqrtf(x * x + y * y + z * z + 0.01f), f = b.w * r * r * r;
    return make_float3(sum.x + f * x, sum.y + f * y, sum.z + f * z);
}

/* A leapfrog step: everyone pulls everyone. */
template <int TILE>
__global__ void leapfrog(float4 *moved, float4 *speedOut, const float4 *at, const float4 *speed,
                         float dt, int n)
{
    __shared__ float4 tile[TILE];
    int i = own_index();
    float4 me = at[i];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += TILE) {
        tile[threadIdx.x] = at[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < TILE; k++)
            sum = pull(sum, me, tile[k]);
        __syncthreads();
    }
    float4 v = speed[i];
    v.x += sum.x * dt;
    v.y += sum.y * dt;
    v.z += sum.z * dt;
    speedOut[i] = v;
    moved[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

/* The same, but bodies go round by shuffles. */
__global__ void leapfrogShuffled(float4 *moved, float4 *speedOut, const float4 *at,
                                 const float4 *speed, float dt, int n)
{
    int i = own_index(), lane = threadIdx.x % 32;
    float4 me = at[i];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += 32) {
        float4 other = at[first + lane];
#pragma unroll 8
        for (int k = 0; k < 32; k++)
            sum = pull(sum, me,
                       make_float4(__shfl_sync(~0u, other.x, k), __shfl_sync(~0u, other.y, k),
                                   __shfl_sync(~0u, other.z, k), __shfl_sync(~0u, other.w, k)));
    }
    float4 v = speed[i];
    v.x += sum.x * dt;
    v.y += sum.y * dt;
    v.z += sum.z * dt;
    speedOut[i] = v;
    moved[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

/* Density by a smooth kernel, from particles sorted into cells. */
__global__ void density(float *rho, const float2 *at, const int *cellStart, int side, float h,
                        int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float2 p = at[i];
    int cx = min((int)(p.x * side), side - 1), cy = min((int)(p.y * side), side - 1);
    float sum = 0;
    for (int y = max(cy - 1, 0); y <= min(cy + 1, side - 1); y++)
        for (int x = max(cx - 1, 0); x <= min(cx + 1, side - 1); x++)
            for (int k = cellStart[y * side + x]; k < cellStart[y * side + x + 1]; k++) {
                float dx = at[k].x - p.x, dy = at[k].y - p.y, d = h * h - dx * dx - dy * dy;
                if (d > 0)
                    sum += d * d * d;
            }
    rho[i] = sum;
}

/* Springs of a cloth to 4 neighbours, Verlet's rule. */
__global__ void cloth(float4 *next, const float4 *now, const float4 *before, int w, int h,
                      float rest)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float4 p = now[y * w + x], q = before[y * w + x];
    float fx = 0, fy = -9.8f, fz = 0;
    const int dx[4] = {-1, 1, 0, 0}, dy[4] = {0, 0, -1, 1};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int u = x + dx[k], v = y + dy[k];
        if (u < 0 || u >= w || v < 0 || v >= h)
            continue;
        float4 o = now[v * w + u];
        float ex = o.x - p.x, ey = o.y - p.y, ez = o.z - p.z,
              l = sqrtf(ex * ex + ey * ey + ez * ez);
        float f = 50 * (l - rest) / l;
        fx += f * ex;
        fy += f * ey;
        fz += f * ez;
    }
    const float dt2 = 1e-4f;
    next[y * w + x] = make_float4(2 * p.x - q.x + fx * dt2, 2 * p.y - q.y + fy * dt2,
                                  2 * p.z - q.z + fz * dt2, p.w);
}

/* Coulomb's potential on a plane of a grid; charges in constant memory. */
__constant__ float4 charges[1024];

__global__ void potential(float *out, int side, float step, int count)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float px = x * step, py = y * step, sum = 0;
    for (int k = 0; k < count; k++) {
        float4 c = charges[k];
        float dx = c.x - px, dy = c.y - py;
        sum += c.w * rsqrtf(dx * dx + dy * dy + c.z);
    }
    out[y * side + x] = sum;
}

/* Four points per thread share what they can. */
__global__ void potential4(float *out, int side, float step, int count)
{
    int x = blockIdx.x * blockDim.x * 4 + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float py = y * step, sum[4] = {};
    for (int k = 0; k < count; k++) {
        float4 c = charges[k];
        float dy = c.y - py, common = dy * dy + c.z;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float dx = c.x - (x + (int)blockDim.x * j) * step;
            sum[j] += c.w * rsqrtf(dx * dx + common);
        }
    }
    for (int j = 0; j < 4; j++)
        out[y * side + x + blockDim.x * j] = sum[j];
}

/* Kepler's equation by Newton's rule, in doubles. */
__global__ void kepler(double *out, const double *mean, const double *eccentricity, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    double m = mean[i], e = eccentricity[i], x = m;
    for (int k = 0; k < 20; k++) {
        double d = (x - e * sin(x) - m) / (1 - e * cos(x));
        x -= d;
        if (fabs(d) < 1e-12)
            break;
    }
    out[i] = x;
}

int main()
{
    const int n = 8192;
    auto at = random_between<float>(4 * n, 0, 1), speed = random_between<float>(4 * n, -1, 1, 1);
    float4 *moved = zeros<float4>(n), *faster = zeros<float4>(n);
    auto compare = [&](const char *what, int count) {
        expect(
            what, (float *)faster, 4 * count,
            [&](size_t i) {
                double sum = 0;
                const float *me = &at.host[i / 4 * 4];
                for (int k = 0; k < count; k++) {
                    double d2 = 0.01;
                    for (int c = 0; c < 3; c++)
                        d2 += (at[4 * k + c] - me[c]) * (at[4 * k + c] - me[c]);
                    sum += at[4 * k + 3] * (at[4 * k + i % 4] - me[i % 4]) / (d2 * std::sqrt(d2));
                }
                return i % 4 == 3 ? speed[i] : speed[i] + 0.001 * sum;
            },
            1e-3, 401);
    };
    float4 *p = (float4 *)at.device, *v = (float4 *)speed.device;
    TWICE(leapfrog<256><<<n / 256, 256>>>(moved, faster, p, v, 0.001f, n));
    compare("leapfrog", n);
    TWICE(leapfrog<64><<<n / 64, 64>>>(moved, faster, p, v, 0.001f, n));
    compare("leapfrog, 64", n);
    TWICE(leapfrog<64><<<8, 64>>>(moved, faster, p, v, 0.001f, 512));
    compare("leapfrog, few", 512);
    TWICE(leapfrogShuffled<<<n / 256, 256>>>(moved, faster, p, v, 0.001f, n));
    compare("leapfrogShuffled", n);

    for (int side : {80, 25}) {
        const int many = 40000;
        std::vector<std::pair<int, float2>> points;
        for (int i = 0; i < many; i++) {
            float2 q = make_float2((float)fraction(2 * i), (float)fraction(2 * i + 1));
            points.push_back({std::min((int)(q.y * side), side - 1) * side +
                                  std::min((int)(q.x * side), side - 1),
                              q});
        }
        std::stable_sort(points.begin(), points.end(),
                         [](auto &a, auto &b) { return a.first < b.first; });
        std::vector<int> cell(side * side + 1);
        for (auto &q : points)
            cell[q.first + 1]++;
        for (int i = 0; i < side * side; i++)
            cell[i + 1] += cell[i];
        auto place = made<float2>(many, [&](size_t i) { return points[i].second; });
        auto cells = sent(cell);
        float *rho = zeros<float>(many), h = 1.0f / side;
        TWICE(density<<<blocks_for(many, 128), 128>>>(rho, place.device, cells.device, side, h,
                                                      many));
        expect(
            "density", rho, many,
            [&](size_t i) {
                double sum = 0;
                for (int k = 0; k < many; k++) {
                    double dx = place[k].x - place[i].x, dy = place[k].y - place[i].y,
                           d = (double)h * h - dx * dx - dy * dy;
                    sum += d > 0 ? d * d * d : 0;
                }
                return sum;
            },
            1e-6, 401);
    }

    const int w = 600, h = 500;
    auto cloth_now = made<float4>(w * h, [=](size_t i) {
        return make_float4(i % w + 0.1f * fraction(i), i / w + 0.1f * fraction(i + 7),
                           0.1f * fraction(i + 9), 0);
    });
    auto cloth_before =
        made<float4>(w * h, [=](size_t i) { return make_float4(i % w, i / w, 0, 0); });
    float4 *cloth_next = zeros<float4>(w * h);
    auto want_cloth = [&](size_t j) {
        size_t i = j / 4;
        if (j % 4 == 3)
            return 0.0;
        auto part = [&](float4 f, int c) { return (double)(c == 0 ? f.x : c == 1 ? f.y : f.z); };
        int c = j % 4, x = i % w, y = i / w;
        double force = c == 1 ? -9.8 : 0;
        for (int k = 0; k < 4; k++) {
            int u = x + (k == 1) - (k == 0), t = y + (k == 3) - (k == 2);
            if (u < 0 || u >= w || t < 0 || t >= h)
                continue;
            float4 o = cloth_now[t * w + u], q = cloth_now[i];
            double l = std::sqrt((o.x - q.x) * (o.x - q.x) + (o.y - q.y) * (o.y - q.y) +
                                 (o.z - q.z) * (o.z - q.z));
            force += 50 * (l - 1) / l * (part(o, c) - part(q, c));
        }
        return 2 * part(cloth_now[i], c) - part(cloth_before[i], c) + force * 1e-4;
    };
    for (dim3 block : {dim3(32, 4), dim3(8, 8)}) {
        TWICE(cloth<<<dim3(blocks_for(w, block.x), blocks_for(h, block.y)), block>>>(
            cloth_next, cloth_now.device, cloth_before.device, w, h, 1));
        expect("cloth", (float *)cloth_next, 4 * w * h, want_cloth, 1e-4, 7);
    }

    const int side = 512;
    auto charge = made<float4>(1024, [](size_t i) {
        return make_float4(fraction(4 * i), fraction(4 * i + 1), 0.01f + fraction(4 * i + 2),
                           fraction(4 * i + 3) - 0.5f);
    });
    CHECK(cudaMemcpyToSymbol(charges, charge.host.data(), sizeof charges));
    float *volts = zeros<float>(side * side);
    auto sum_of = [&](int count) {
        return [&, count](size_t i) {
            double sum = 0;
            for (int k = 0; k < count; k++) {
                double dx = charge[k].x - i % side / 512.0, dy = charge[k].y - i / side / 512.0;
                sum += charge[k].w / std::sqrt(dx * dx + dy * dy + charge[k].z);
            }
            return sum;
        };
    };
    TWICE(potential<<<dim3(side / 16, side / 8), dim3(16, 8)>>>(volts, side, 1.0f / 512, 250));
    expect("potential", volts, side * side, sum_of(250), 1e-3, 997);
    TWICE(potential4<<<dim3(side / 64, side / 8), dim3(16, 8)>>>(volts, side, 1.0f / 512, 250));
    expect("potential4", volts, side * side, sum_of(250), 1e-3, 997);
    TWICE(potential<<<dim3(2, 4), dim3(16, 8)>>>(volts, side, 1.0f / 512, 1000));

    const int orbits = 30000;
    auto mean = random_between<double>(orbits, 0, 6.28),
         eccentricity = random_between<double>(orbits, 0, 0.8, 1);
    double *anomaly = zeros<double>(orbits);
    TWICE(kepler<<<blocks_for(orbits, 128), 128>>>(anomaly, mean.device, eccentricity.device,
                                                   orbits));
    if (comparing())
        expect("kepler", anomaly, orbits, [&, got = fetched(anomaly, orbits)](size_t i) {
            double error = got[i] - eccentricity[i] * std::sin(got[i]) - mean[i];
            return std::fabs(error) < 1e-9 ? got[i] : 1e30;
        });
    TWICE(kepler<<<4, 64>>>(anomaly, mean.device, eccentricity.device, 256));
    return 0;
}
