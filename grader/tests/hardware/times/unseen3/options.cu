/* Prices of options: a formula, a tree and random paths. */
#include "expect.cuh"

#define RATE       0.02f
#define VOLATILITY 0.30f
#define STEPS      255

__host__ __device__ static float normal_below(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float series =
        k * (0.31938153f +
             k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * series;
    return d > 0 ? 1 - tail : tail;
}

__host__ __device__ static void black_scholes(float spot, float strike, float years, float *call,
                                              float *put)
{
    float spread = VOLATILITY * sqrtf(years);
    float d1 = (logf(spot / strike) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * years) / spread;
    float n1 = normal_below(d1), n2 = normal_below(d1 - spread);
    float discounted = strike * expf(-RATE * years);
    *call = spot * n1 - discounted * n2;
    *put = discounted * (1 - n2) - spot * (1 - n1);
}

/* As CUDA samples' BlackScholes. */
static __global__ void price_arrays(const float *spot, const float *strike, const float *years,
                                    float *call, float *put, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        black_scholes(spot[i], strike[i], years[i], &call[i], &put[i]);
}

struct contract {
    float spot, strike, years, call, put;
};

/* The same with all of an option in one structure. */
static __global__ void price_structures(contract *contracts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    contract c = contracts[i];
    black_scholes(c.spot, c.strike, c.years, &contracts[i].call, &contracts[i].put);
}

/* A block walks one tree from the leaves to its root, as CUDA samples' binomialOptions. */
static __global__ void price_tree(const float *spot, const float *strike, float *call, float years)
{
    __shared__ float value[2][STEPS + 1];
    int node = threadIdx.x;
    float step = years / STEPS, up = expf(VOLATILITY * sqrtf(step)), growth = expf(RATE * step);
    float rise = (growth - 1 / up) / (up - 1 / up);
    float a = rise / growth, b = (1 - rise) / growth;
    float leaf = spot[blockIdx.x] * expf(VOLATILITY * sqrtf(step) * (2 * node - STEPS));
    value[0][node] = fmaxf(leaf - strike[blockIdx.x], 0);
    __syncthreads();
    for (int left = STEPS; left > 0; left--) {
        int from = (STEPS - left) & 1;
        if (node < left)
            value[!from][node] = a * value[from][node + 1] + b * value[from][node];
        __syncthreads();
    }
    if (node == 0)
        call[blockIdx.x] = value[STEPS & 1][0];
}

__device__ static unsigned next_random(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* Options on the mean price along a random path, with Box and Muller's normal numbers (textbooks on computational
 * finance). */
static __global__ void price_paths(float *payoff, float spot, float strike, float years, int steps,
                                   int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned state = i * 2654435761u + 88172645u;
    float dt = years / steps, drift = (RATE - 0.5f * VOLATILITY * VOLATILITY) * dt;
    float spread = VOLATILITY * sqrtf(dt), log_price = 0, sum = 0;
    for (int s = 0; s < steps; s++) {
        float u = (next_random(state) >> 8) / 16777216.0f + 1e-7f;
        float v = (next_random(state) >> 8) / 16777216.0f;
        log_price += drift + spread * sqrtf(-2 * logf(u)) * cosf(6.2831853f * v);
        sum += expf(log_price);
    }
    payoff[i] = fmaxf(spot * sum / steps - strike, 0);
}

static float spot_of(size_t i)
{
    return 20 + scrambled(i) % 1000 * 0.05f;
}

static float strike_of(size_t i)
{
    return 15 + scrambled(i + 77) % 1000 * 0.06f;
}

static float years_of(size_t i)
{
    return 0.25f + scrambled(i + 999) % 1000 * 0.005f;
}

int main()
{
    const int n = 1 << 20, paths = 1 << 15;
    float *spot = filled<float>(n, spot_of), *strike = filled<float>(n, strike_of);
    float *years = filled<float>(n, years_of);
    float *call = zeros<float>(n), *put = zeros<float>(n);
    contract *contracts = filled<contract>(n, [](size_t i) {
        return contract{spot_of(i), strike_of(i), years_of(i), 0, 0};
    });

    TWICE(price_arrays<<<n / 128, 128>>>(spot, strike, years, call, put, n));
    TWICE(price_arrays<<<n / 512, 512>>>(spot, strike, years, call, put, n));
    TWICE(price_arrays<<<(1 << 16) / 128, 128>>>(spot, strike, years, call, put, 1 << 16));
    TWICE(price_structures<<<n / 128, 128>>>(contracts, n));
    TWICE(price_structures<<<(1 << 16) / 128, 128>>>(contracts, 1 << 16));
    std::vector<float> calls = fetched(call, n), puts = fetched(put, n);
    std::vector<contract> priced = fetched(contracts, n);
    for (int i = 0; i < n; i += 9973) {
        float right_call, right_put;
        black_scholes(spot_of(i), strike_of(i), years_of(i), &right_call, &right_put);
        EXPECT(near(calls[i], right_call, 1e-3) && near(puts[i], right_put, 1e-3));
        EXPECT(near(priced[i].call, right_call, 1e-3) && near(priced[i].put, right_put, 1e-3));
    }

    TWICE(price_tree<<<64, STEPS + 1>>>(spot, strike, call, 1.5f));
    TWICE(price_tree<<<512, STEPS + 1>>>(spot, strike, call, 1.5f));
    calls = fetched(call, 512);
    for (int i = 0; i < 512; i++) {
        float right_call, right_put;
        black_scholes(spot_of(i), strike_of(i), 1.5f, &right_call, &right_put);
        EXPECT(near(calls[i], right_call, 0.01));
    }

    TWICE(price_paths<<<(1 << 13) / 256, 256>>>(put, 50, 50, 1, 64, 1 << 13));
    TWICE(price_paths<<<paths / 128, 128>>>(put, 50, 50, 1, 64, paths));
    puts = fetched(put, paths);
    double mean = 0;
    for (float payoff : puts)
        mean += payoff / paths;
    EXPECT(mean > 3.3 && mean < 4.1); // an option on the mean: about sqrt(1/3) of the spread
    return 0;
}
