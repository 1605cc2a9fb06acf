/* Random numbers and what is made of them. The CPU draws the same numbers. */
#include "common.cuh"

static __host__ __device__ unsigned xorshift(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static __host__ __device__ unsigned seed_of(unsigned i)
{
    i = (i ^ 61) ^ i >> 16;
    i *= 9;
    i ^= i >> 4;
    i *= 0x27d4eb2d;
    return (i ^ i >> 15) | 1;
}

/* Needles on a floor of boards: how many cross a line. */
__global__ void buffon(int *out, int throws)
{
    int i = own_index(), hits = 0;
    unsigned state = seed_of(i);
    for (int k = 0; k < throws; k++) {
        float y = xorshift(state) * (1 / 4294967296.0f),
              angle = xorshift(state) * (1 / 4294967296.0f);
        hits += y + 0.5f * sinpif(angle) >= 1.0f;
    }
    out[i] = hits;
}

/* Philox 4x32: ten rounds of wide products. */
static __host__ __device__ void philox(unsigned c[4], unsigned k0, unsigned k1)
{
    for (int r = 0; r < 10; r++) {
        unsigned long long a = (unsigned long long)c[0] * 0xd2511f53u,
                           b = (unsigned long long)c[2] * 0xcd9e8d57u;
        unsigned c1 = c[1], c3 = c[3];
        c[0] = (unsigned)(b >> 32) ^ c1 ^ k0;
        c[1] = (unsigned)b;
        c[2] = (unsigned)(a >> 32) ^ c3 ^ k1;
        c[3] = (unsigned)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
}

__global__ void philoxNumbers(uint4 *out, unsigned key, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    unsigned c[4] = {(unsigned)i, 0, 0, 0};
    philox(c, key, 1);
    out[i] = make_uint4(c[0], c[1], c[2], c[3]);
}

/* Normal numbers by Box and Muller, two at a time. */
__global__ void boxMuller(float2 *out, int n)
{
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) {
        unsigned state = seed_of(i);
        float u = (xorshift(state) >> 8) * (1 / 16777216.0f) + 1e-9f,
              v = (xorshift(state) >> 8) * (1 / 16777216.0f), s, c;
        float r = sqrtf(-2 * logf(u));
        sincospif(2 * v, &s, &c);
        out[i] = make_float2(r * c, r * s);
    }
}

/* Prices by a binomial tree, a block per option, in shared memory. */
__global__ void binomial(float *out, const float *stock, const float *strike, int steps, float up,
                         float p, float discount)
{
    extern __shared__ float value[];
    float s = stock[blockIdx.x], x = strike[blockIdx.x];
    for (int k = threadIdx.x; k <= steps; k += blockDim.x)
        value[k] = fmaxf(s * powf(up, 2.0f * k - steps) - x, 0);
    __syncthreads();
    for (int n = steps; n > 0; n--) {
        for (int first = 0; first < n; first += blockDim.x) {
            int k = first + threadIdx.x;
            float v = k < n ? discount * (p * value[k + 1] + (1 - p) * value[k]) : 0;
            __syncthreads();
            if (k < n)
                value[k] = v;
            __syncthreads();
        }
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = value[0];
}

/* Calls and puts by the formula; the normal distribution by a polynomial or by erfc. */
static __host__ __device__ float normal_polynomial(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float c =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - c : c;
}

template <bool ERFC>
__global__ void blackScholes(float2 *out, const float *stock, const float *strike,
                             const float *years, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    float s = stock[i], x = strike[i], t = years[i], root = 0.3f * sqrtf(t);
    float d1 = (logf(s / x) + (0.02f + 0.045f) * t) / root, d2 = d1 - root;
    float n1 = ERFC ? 0.5f * erfcf(-d1 * 0.70710678f) : normal_polynomial(d1);
    float n2 = ERFC ? 0.5f * erfcf(-d2 * 0.70710678f) : normal_polynomial(d2);
    float e = expf(-0.02f * t);
    out[i] = make_float2(s * n1 - x * e * n2, x * e * (1 - n2) - s * (1 - n1));
}

/* Diffusion in a box until a wall is met. */
__global__ void escape(int *steps, int half, int most)
{
    int i = own_index(), x = 0, y = 0, z = 0, k = 0;
    unsigned state = seed_of(i);
    for (; k < most && abs(x) < half && abs(y) < half && abs(z) < half; k++) {
        unsigned r = xorshift(state) % 6;
        if (r < 2)
            x += 2 * (int)r - 1;
        else if (r < 4)
            y += 2 * (int)r - 5;
        else
            z += 2 * (int)r - 9;
    }
    steps[i] = k;
}

/* Lehmer's generator by 64 bits and modulo; a mean of a function in doubles. */
__global__ void integral(double *out, int draws)
{
    int i = own_index();
    unsigned long long state = seed_of(i) % 2147483647u;
    double sum = 0;
    for (int k = 0; k < draws; k++) {
        state = state * 48271 % 2147483647u;
        double x = state * (1 / 2147483647.0);
        sum += 1 / (1 + x * x);
    }
    out[i] = sum / draws;
}

int main()
{
    const int threads = 40 * 1024;
    int *hits = zeros<int>(threads);
    auto needles = [](int throws) {
        return [=](size_t i) {
            unsigned state = seed_of((unsigned)i);
            int sum = 0;
            for (int k = 0; k < throws; k++) {
                float y = xorshift(state) * (1 / 4294967296.0f),
                      angle = xorshift(state) * (1 / 4294967296.0f);
                sum += y + 0.5f * (float)std::sin(M_PI * angle) >= 1.0f;
            }
            return sum;
        };
    };
    TWICE(buffon<<<threads / 256, 256>>>(hits, 200));
    expect("buffon", hits, threads, needles(200), 0.1, 97);
    TWICE(buffon<<<20, 64>>>(hits, 1000));
    expect("buffon, few", hits, 20 * 64, needles(1000), 0.1, 97);

    const int n = 400000;
    unsigned *words = zeros<unsigned>(4 * n);
    TWICE(philoxNumbers<<<blocks_for(n, 256), 256>>>((uint4 *)words, 42, n));
    expect(
        "philoxNumbers", words, 4 * n,
        [](size_t i) {
            unsigned c[4] = {(unsigned)(i / 4), 0, 0, 0};
            philox(c, 42, 1);
            return c[i % 4];
        },
        0, 13);
    float *floats = zeros<float>(2 * n);
    auto normal = [](size_t j) {
        unsigned state = seed_of((unsigned)(j / 2));
        double u = (xorshift(state) >> 8) / 16777216.0 + 1e-9,
               v = (xorshift(state) >> 8) / 16777216.0;
        return std::sqrt(-2 * std::log(u)) *
               (j % 2 ? std::sin(2 * M_PI * v) : std::cos(2 * M_PI * v));
    };
    TWICE(boxMuller<<<264, 256>>>((float2 *)floats, n));
    expect("boxMuller", floats, 2 * n, normal, 1e-3, 13);
    TWICE(boxMuller<<<8, 128>>>((float2 *)floats, n / 20));

    auto stock = random_between<float>(n, 5, 30), strike = random_between<float>(n, 1, 100, 1),
         years = random_between<float>(n, 0.25, 10, 2);
    for (int steps : {200, 1000}) {
        int options = steps == 200 ? 600 : 40;
        float up = 1.01f, p = 0.52f, discount = 0.9999f;
        TWICE(binomial<<<options, steps == 200 ? 64 : 256, (steps + 1) * 4>>>(
            floats, stock.device, strike.device, steps, up, p, discount));
        expect(
            "binomial", floats, options,
            [&](size_t o) {
                std::vector<double> v(steps + 1);
                for (int k = 0; k <= steps; k++)
                    v[k] =
                        std::max(stock[o] * std::pow((double)up, 2.0 * k - steps) - strike[o], 0.0);
                for (int m = steps; m > 0; m--)
                    for (int k = 0; k < m; k++)
                        v[k] = discount * (p * v[k + 1] + (1.0 - p) * v[k]);
                return v[0];
            },
            1e-2, 13);
    }
    auto price = [&](size_t j) {
        size_t i = j / 2;
        double s = stock[i], x = strike[i], t = years[i], root = 0.3 * std::sqrt(t);
        double d1 = (std::log(s / x) + 0.065 * t) / root, d2 = d1 - root, e = std::exp(-0.02 * t);
        double n1 = 0.5 * std::erfc(-d1 * M_SQRT1_2), n2 = 0.5 * std::erfc(-d2 * M_SQRT1_2);
        return j % 2 ? x * e * (1 - n2) - s * (1 - n1) : s * n1 - x * e * n2;
    };
    TWICE(blackScholes<false><<<blocks_for(n, 128), 128>>>((float2 *)floats, stock.device,
                                                           strike.device, years.device, n));
    expect("blackScholes", floats, 2 * n, price, 1e-3, 13);
    TWICE(blackScholes<true><<<blocks_for(n, 128), 128>>>((float2 *)floats, stock.device,
                                                          strike.device, years.device, n));
    expect("blackScholes, erfc", floats, 2 * n, price, 1e-3, 13);
    TWICE(blackScholes<false>
          <<<30, 32>>>((float2 *)floats, stock.device, strike.device, years.device, 950));

    auto walk = [](int half, int most) {
        return [=](size_t i) {
            int at[3] = {}, k = 0;
            unsigned state = seed_of((unsigned)i);
            for (; k < most && std::abs(at[0]) < half && std::abs(at[1]) < half &&
                   std::abs(at[2]) < half;
                 k++) {
                unsigned r = xorshift(state) % 6;
                at[r / 2] += r % 2 ? 1 : -1;
            }
            return k;
        };
    };
    TWICE(escape<<<160, 128>>>(hits, 12, 1000));
    expect("escape", hits, 160 * 128, walk(12, 1000), 0, 97);
    TWICE(escape<<<160, 128>>>(hits, 1000, 300));
    expect("escape, not", hits, 160 * 128, walk(1000, 300), 0, 97);
    double *means = zeros<double>(threads);
    TWICE(integral<<<100, 128>>>(means, 300));
    expect(
        "integral", means, 100 * 128,
        [](size_t i) {
            unsigned long long state = seed_of((unsigned)i) % 2147483647u;
            double sum = 0;
            for (int k = 0; k < 300; k++) {
                state = state * 48271 % 2147483647u;
                double x = state * (1 / 2147483647.0);
                sum += 1 / (1 + x * x);
            }
            return sum / 300;
        },
        1e-10, 97);
    return 0;
}
