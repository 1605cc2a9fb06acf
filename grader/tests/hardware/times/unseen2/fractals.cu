/* Fractals and automata: loops whose lengths differ. */
#include "common.cuh"

template <typename T, int POWER> static __host__ __device__ int iterations(T cx, T cy, int most)
{
    T x = 0, y = 0;
    int k = 0;
    for (; k < most && x * x + y * y <= 4; k++) {
        T nx = x * x - y * y, ny = 2 * x * y;
        if (POWER == 3) {
            T t = nx * x - ny * y;
            ny = nx * y + ny * x;
            nx = t;
        }
        x = nx + cx;
        y = ny + cy;
    }
    return k;
}

template <typename T, int POWER> __global__ void escapeTime(int *out, int w, int h, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px < w && py < h)
        out[py * w + px] =
            iterations<T, POWER>((T)-2 + (T)3 * px / w, (T)-1.25 + (T)2.5 * py / h, most);
}

__global__ void burningShip(unsigned char *out, int w, int h, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h)
        return;
    float cx = -2.2f + 3.2f * px / w, cy = -2 + 2.6f * py / h, x = 0, y = 0;
    int k = 0;
    while (k < most && x * x + y * y < 16) {
        float t = x * x - y * y + cx;
        y = fabsf(2 * x * y) + cy;
        x = t;
        k++;
    }
    out[py * w + px] = k;
}

/* To which root of z^3 = 1 does Newton's rule lead? */
__global__ void newtonBasins(unsigned char *out, int side, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float x = -2 + 4 * (px + 0.5f) / side, y = -2 + 4 * (py + 0.5f) / side;
    int root = 3;
    for (int k = 0; k < most && root == 3; k++) {
        float x2 = x * x - y * y, y2 = 2 * x * y, d = 3 * (x2 * x2 + y2 * y2);
        float x3 = x2 * x - y2 * y - 1, y3 = x2 * y + y2 * x;
        float nx = x - (x3 * x2 + y3 * y2) / d, ny = y - (y3 * x2 - x3 * y2) / d;
        x = nx;
        y = ny;
        for (int r = 0; r < 3; r++) {
            const float rx[3] = {1, -0.5f, -0.5f}, ry[3] = {0, 0.8660254f, -0.8660254f};
            if ((x - rx[r]) * (x - rx[r]) + (y - ry[r]) * (y - ry[r]) < 1e-4f)
                root = r;
        }
    }
    out[py * side + px] = root;
}

/* Several generations of a rule of three neighbours, 32 cells per word, in shared memory. */
__global__ void ruleBits(unsigned *out, const unsigned *in, int rule, int generations)
{
    __shared__ unsigned s[2][256];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[blockIdx.x * 256 + t];
    for (int g = 0; g < generations; g++, now ^= 1) {
        __syncthreads();
        unsigned c = s[now][t], l = s[now][(t + 255) % 256], r = s[now][(t + 1) % 256], next = 0;
        unsigned left = c << 1 | l >> 31, right = c >> 1 | r << 31;
#pragma unroll
        for (int k = 0; k < 8; k++)
            if (rule >> k & 1)
                next |= (k & 4 ? left : ~left) & (k & 2 ? c : ~c) & (k & 1 ? right : ~right);
        s[now ^ 1][t] = next;
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[now][t];
}

/* Life on a torus: a tile in shared memory or all from global memory. */
__global__ void lifeTile(unsigned char *next, const unsigned char *now, int n)
{
    __shared__ unsigned char s[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 324; k += 256)
        s[k / 18][k % 18] = now[(blockIdx.y * 16 + k / 18 - 1 + n) % n * n +
                                (blockIdx.x * 16 + k % 18 - 1 + n) % n];
    __syncthreads();
    int count = 0, tx = threadIdx.x, ty = threadIdx.y;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            count += s[ty + dy][tx + dx];
    next[y * n + x] = count == 3 || (count == 4 && s[ty + 1][tx + 1]);
}

__global__ void lifeTorus(unsigned char *next, const unsigned char *now, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        count = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            count += now[(y + dy + n) % n * n + (x + dx + n) % n];
    next[y * n + x] = count == 3 || (count == 4 && now[y * n + x]);
}

/* Langton's ants, a board of 64 x 64 bits each. */
__global__ void ants(int *out, int steps)
{
    unsigned long long board[64];
    for (int k = 0; k < 64; k++)
        board[k] = 0;
    int x = 32, y = 32, way = own_index() % 4, black = 0;
    int stop = steps + own_index() % 64;
    for (int k = 0; k < stop; k++) {
        bool set = board[y] >> x & 1;
        board[y] ^= 1ull << x;
        black += set ? -1 : 1;
        way = (way + (set ? 3 : 1)) % 4;
        x = (x + (way == 1) - (way == 3)) & 63;
        y = (y + (way == 2) - (way == 0)) & 63;
    }
    out[own_index()] = black;
}

static int few_wrong(const char *what, int wrong, int n)
{
    if (comparing() && wrong > n / 50) {
        fprintf(stderr, "%s: %d wrong numbers instead of few\n", what, wrong);
        exit(4);
    }
    return printf("%s: right\n", what);
}

int main()
{
    const int w = 640, h = 480, n = w * h;
    int *out = zeros<int>(n);
    auto compare = [&](const char *what, auto want, int count) { // a float's rounding may decide
        auto got = fetched(out, count);
        int wrong = 0;
        for (int i = 0; i < count && comparing(); i += 3)
            wrong += got[i] != want(i);
        few_wrong(what, wrong, count);
    };
    auto at = [](int width, int height, int most, auto zero, auto power) {
        return [=](int i) {
            typedef decltype(zero) T;
            return iterations<T, decltype(power)::value>(
                (T)-2 + (T)3 * (i % width) / width, (T)-1.25 + (T)2.5 * (i / width) / height, most);
        };
    };
    std::integral_constant<int, 2> square;
    std::integral_constant<int, 3> cube;
    TWICE(escapeTime<float, 2><<<dim3(40, 30), dim3(16, 16)>>>(out, w, h, 300));
    compare("escapeTime", at(w, h, 300, 0.0f, square), n);
    TWICE(escapeTime<float, 2><<<dim3(3, 480), dim3(256, 1)>>>(out, w, h, 300));
    compare("escapeTime, rows", at(w, h, 300, 0.0f, square), n);
    TWICE(escapeTime<float, 3><<<dim3(20, 60), dim3(32, 8)>>>(out, w, h, 100));
    compare("escapeTime, cube", at(w, h, 100, 0.0f, cube), n);
    TWICE(escapeTime<double, 2><<<dim3(20, 15), dim3(16, 16)>>>(out, w / 2, h / 2, 200));
    compare("escapeTime, double", at(w / 2, h / 2, 200, 0.0, square), n / 4);
    TWICE(escapeTime<float, 2><<<dim3(4, 4), dim3(16, 16)>>>(out, 64, 64, 2000));
    compare("escapeTime, small", at(64, 64, 2000, 0.0f, square), 64 * 64);

    unsigned char *bytes = zeros<unsigned char>(1 << 20);
    TWICE(burningShip<<<dim3(20, 60), dim3(32, 8)>>>(bytes, w, h, 120));
    int wrong = 0;
    auto ship = fetched(bytes, n);
    for (int i = 0; i < n && comparing(); i++) {
        float cx = -2.2f + 3.2f * (i % w) / w, cy = -2 + 2.6f * (i / w) / h, x = 0, y = 0;
        int k = 0;
        for (; k < 120 && x * x + y * y < 16; k++) {
            float t = x * x - y * y + cx;
            y = std::fabs(2 * x * y) + cy;
            x = t;
        }
        wrong += k != ship[i];
    }
    few_wrong("burningShip", wrong, n);
    TWICE(newtonBasins<<<dim3(32, 64), dim3(16, 8)>>>(bytes, 512, 60));
    auto basins = fetched(bytes, 512 * 512);
    wrong = 0;
    for (int i = 0; i < 512 * 512 && comparing(); i += 5) {
        double x = -2 + 4 * (i % 512 + 0.5) / 512, y = -2 + 4 * (i / 512 + 0.5) / 512;
        for (int k = 0; k < 60; k++) {
            double x2 = x * x - y * y, y2 = 2 * x * y, d = 3 * (x2 * x2 + y2 * y2),
                   x3 = x2 * x - y2 * y - 1, y3 = x2 * y + y2 * x;
            double nx = x - (x3 * x2 + y3 * y2) / d;
            y -= (y3 * x2 - x3 * y2) / d;
            x = nx;
        }
        wrong += basins[i] != (x > 0 ? 0 : y > 0 ? 1 : 2);
    }
    few_wrong("newtonBasins", wrong, 512 * 512);

    auto cells = made<unsigned>(256 * 400, [](size_t i) { return scrambled(i); });
    unsigned *after = zeros<unsigned>(256 * 400);
    for (int generations : {20, 200}) {
        int blocks = generations == 20 ? 400 : 40;
        TWICE(ruleBits<<<blocks, 256>>>(after, cells.device, 30, generations));
        expect("ruleBits", after, 256, [&, done = std::vector<char>()](size_t word) mutable {
            if (done.empty()) {
                done.resize(8192);
                for (int i = 0; i < 8192; i++)
                    done[i] = cells[i / 32] >> i % 32 & 1;
                for (int g = 0; g < generations; g++) {
                    auto old = done;
                    for (int i = 0; i < 8192; i++)
                        done[i] =
                            30 >> (old[(i + 8191) % 8192] * 4 + old[i] * 2 + old[(i + 1) % 8192]) &
                            1;
                }
            }
            unsigned mask = 0;
            for (int k = 0; k < 32; k++)
                mask |= (unsigned)done[word * 32 + k] << k;
            return mask;
        });
    }
    const int side = 800;
    auto board = made<unsigned char>(
        side * side, [](size_t i) { return (unsigned char)(scrambled(i) % 3 == 0); });
    auto alive = [&](int length) {
        return [&, length](size_t i) {
            int count = 0, x = i % length, y = i / length;
            for (int k = 0; k < 9; k++)
                count += board[(y + k / 3 - 1 + length) % length * length +
                               (x + k % 3 - 1 + length) % length];
            return count == 3 || (count == 4 && board[i]);
        };
    };
    TWICE(lifeTile<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(bytes, board.device, side));
    expect("lifeTile", bytes, side * side, alive(side));
    TWICE(lifeTorus<<<dim3(side / 16, side / 16), dim3(16, 16)>>>(bytes, board.device, side));
    expect("lifeTorus", bytes, side * side, alive(side));
    TWICE(lifeTorus<<<dim3(2, 8), dim3(32, 8)>>>(bytes, board.device, 64));
    expect("lifeTorus, small", bytes, 64 * 64, alive(64));
    TWICE(ants<<<32, 64>>>(out, 300));
    expect(
        "ants", out, 32 * 64,
        [](size_t i) {
            std::vector<char> grid(4096);
            int x = 32, y = 32, way = i % 4, black = 0;
            for (int k = 0; k < 300 + (int)i % 64; k++) {
                bool set = grid[y * 64 + x];
                grid[y * 64 + x] ^= 1;
                black += set ? -1 : 1;
                way = (way + (set ? 3 : 1)) % 4;
                x = (x + (way == 1) - (way == 3)) & 63;
                y = (y + (way == 2) - (way == 0)) & 63;
            }
            return black;
        },
        0, 17);
    return 0;
}
