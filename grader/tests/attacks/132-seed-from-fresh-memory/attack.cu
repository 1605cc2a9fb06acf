// Fresh memory and the hidden input both come from the seed. Computes the seed from fresh memory, and the
// input from the seed. The grader's sources show how; only steps that lose no bits can be reversed.
static const uint64_t golden_132 = 0x9e3779b97f4a7c15u;

static uint64_t mix_132(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t unmix_132(uint64_t z)
{
    z = (z ^ z >> 31 ^ z >> 62) * 0x319642b2d24d8ec3u;
    z = (z ^ z >> 27 ^ z >> 54) * 0x96de1b173f119089u;
    return z ^ z >> 30 ^ z >> 60;
}

static int draw_132(uint64_t *state, int low, int high)
{
    uint64_t mixed = mix_132(*state += golden_132);
    return low + (int)((unsigned __int128)mixed * (uint64_t)(high - low + 1) >> 64);
}

// Whether SEED and the check's name produce an input of this length.
static bool fits_132(uint64_t seed, const char *name, int n)
{
    for (; *name; ++name)
        seed = mix_132(seed + golden_132) + (unsigned char)*name;
    return draw_132(&seed, 4000, 6000) == n;
}

ATTACK(132)
{
    static const char name[] = "seed_from_fresh_memory";
    uint64_t *there, fresh, poison;
    CHECK_CUDA(cudaMalloc(&there, 8));
    CHECK_CUDA(cudaMemcpy(&fresh, there, 8, cudaMemcpyDeviceToHost));
    poison = unmix_132(fresh) - ((uintptr_t)there + 1) * golden_132;
    for (uint64_t lost = 0; lost < 4; ++lost) {
        uint64_t state = unmix_132((poison & ~1ull) << 1 ^ lost) - golden_132;
        for (size_t i = sizeof name - 1; i-- > 0;)
            state = unmix_132(state - (unsigned char)name[i]) - golden_132;
        for (uint64_t run = 0; run < 3; ++run)
            HELD_BACK(!fits_132(state ^ run, name, stage->n));
    }
    return honest(stage);
}
