/* The results when lanes of one warp access the same place in memory: one line of TSV for each result.
 *
 *   store   type space lanes places   for each place, the lane whose value stayed; "." if no lane wrote
 *   atomic  type space lanes places   for each lane, the value that it found, in hex; "." if it was not active
 *   sum     type space lanes places   for each place, the sum in hex; its rounding shows the order of the lanes
 *
 * CUDA promises no order, but programs rely on what GPUs do, often without knowing it. collisions.tsv
 * holds the answers of an NVIDIA GPU (record_collisions.sh); test_hardware_collisions.c compares them
 * with the emulator's. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { WARP = 32 };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error) {                                                                               \
            printf("%s: %s\n", #call, cudaGetErrorString(error));                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// A collision: the active lanes, and the place that each of them accesses.
struct meeting {
    const char *lanes_name, *places_name;
    uint32_t lanes;
    int place[WARP];
    bool shared;
};

static char *device;

// --- stores ---

// Returns a value whose bytes are all LANE + 1.
template <class T> __device__ T named(int lane)
{
    T value;
    memset(&value, lane + 1, sizeof value);
    return value;
}

template <class T> __global__ void store(T *out, meeting meeting)
{
    __shared__ T places[WARP];
    int lane = threadIdx.x;
    memset(&places[lane], 0, sizeof(T));
    __syncwarp();
    if (meeting.lanes >> lane & 1) {
        if (meeting.shared)
            places[meeting.place[lane]] = named<T>(lane);
        else
            out[meeting.place[lane]] = named<T>(lane);
    }
    __syncwarp();
    if (meeting.shared)
        out[lane] = places[lane];
}

// --- atomics ---

enum turn { TURN_ADD, TURN_OR, TURN_EXCH, TURN_CAS, TURN_MAX };

template <class T> __device__ T take_turn(turn turn, T *place, int lane)
{
    switch (turn) {
    case TURN_ADD:
        return atomicAdd(place, (T)1 << lane);
    case TURN_OR:
        return atomicOr(place, (T)1 << lane);
    case TURN_EXCH:
        return atomicExch(place, (T)(lane + 1));
    case TURN_CAS:
        return atomicCAS(place, (T)0, (T)(lane + 1));
    default:
        return atomicMax(place, (T)(lane % 7 + 1));
    }
}

template <class T> __global__ void atomics(T *out, meeting meeting, turn turn)
{
    __shared__ T places[WARP];
    int lane = threadIdx.x;
    T old = 0;
    places[lane] = 0;
    __syncwarp();
    if (meeting.lanes >> lane & 1)
        old = meeting.shared ? take_turn(turn, &places[meeting.place[lane]], lane)
                             : take_turn(turn, &out[meeting.place[lane]], lane);
    __syncwarp();
    out[lane] = old;
}

template <class T> __global__ void sums(T *out, meeting meeting, const T *value)
{
    __shared__ T places[WARP];
    int lane = threadIdx.x;
    places[lane] = 0;
    __syncwarp();
    if (meeting.lanes >> lane & 1) {
        if (meeting.shared)
            atomicAdd(&places[meeting.place[lane]], value[lane]);
        else
            atomicAdd(&out[meeting.place[lane]], value[lane]);
    }
    __syncwarp();
    if (meeting.shared)
        out[lane] = places[lane];
}

// --- rows ---

static void start_row(const char *what, const char *type, const meeting &meeting)
{
    printf("%s\t%s\t%s\t%s\t%s\t", what, type, meeting.shared ? "shared" : "global",
           meeting.lanes_name, meeting.places_name);
}

// Ends a row with values in hex: those in MASK; "." for the others.
template <class T> static void end_row(const T *values, uint32_t mask)
{
    for (int l = 0; l < WARP; l++) {
        uint64_t bits = 0;
        memcpy(&bits, &values[l], sizeof values[l]);
        mask >> l & 1 ? printf(" %llx", (unsigned long long)bits) : printf(" .");
    }
    printf("\n");
}

template <class T> static void show_stores(const char *type, const meeting &meeting)
{
    T out[WARP];
    CHECK(cudaMemset(device, 0, sizeof out));
    store<<<1, WARP>>>((T *)device, meeting);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    start_row("store", type, meeting);
    for (const T &value : out) {
        int lane = *(const unsigned char *)&value - 1;
        lane < 0 ? printf(" .") : printf(" %d", lane);
    }
    printf("\n");
}

template <class T> static void show_turns(const char *type, turn turn, const meeting &meeting)
{
    T out[WARP];
    CHECK(cudaMemset(device, 0, sizeof out));
    atomics<<<1, WARP>>>((T *)device, meeting, turn);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    start_row("atomic", type, meeting);
    end_row(out, meeting.lanes);
}

template <class T> static void show_sums(const char *type, const meeting &meeting)
{
    T out[WARP], value[WARP], *values = (T *)(device + sizeof out);
    uint32_t places = 0;
    for (int l = 0; l < WARP; l++) {
        value[l] = (T)(l % 3 ? 1.0f / (l + 1) : 1000.0f / (l + 7)) * (l % 5 == 4 ? -3 : 1);
        places |= (meeting.lanes >> l & 1) << meeting.place[l];
    }
    CHECK(cudaMemset(device, 0, sizeof out));
    CHECK(cudaMemcpy(values, value, sizeof value, cudaMemcpyHostToDevice));
    sums<<<1, WARP>>>((T *)device, meeting, values);
    CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    start_row("sum", type, meeting);
    end_row(out, places);
}

static void show(const meeting &meeting)
{
    show_stores<uint8_t>("u8", meeting);
    show_stores<uint16_t>("u16", meeting);
    show_stores<uint32_t>("u32", meeting);
    show_stores<uint64_t>("u64", meeting);
    show_stores<uchar4>("v4.u8", meeting);
    show_stores<ushort4>("v4.u16", meeting);
    show_stores<uint2>("v2.u32", meeting);
    show_stores<uint4>("v4.u32", meeting);
    show_stores<ulonglong2>("v2.u64", meeting);
    show_turns<unsigned>("add.u32", TURN_ADD, meeting);
    show_turns<unsigned>("or.b32", TURN_OR, meeting);
    show_turns<unsigned>("exch.b32", TURN_EXCH, meeting);
    show_turns<unsigned>("cas.b32", TURN_CAS, meeting);
    show_turns<unsigned>("max.u32", TURN_MAX, meeting);
    show_turns<unsigned long long>("add.u64", TURN_ADD, meeting);
    show_turns<unsigned long long>("exch.b64", TURN_EXCH, meeting);
    show_turns<unsigned long long>("cas.b64", TURN_CAS, meeting);
    show_sums<float>("f32", meeting);
    show_sums<double>("f64", meeting);
}

// --- which lanes meet, and where

static const struct {
    const char *name;
    uint32_t lanes;
} GROUPS[] = {{"all", ~0u}, {"odd", 0xaaaaaaaau}, {"middle", 0x001fffe0u}, {"some", 0x9a3c5d72u}};

static const struct {
    const char *name;
    int (*place)(int lane);
} PLACES[] = {
    {"same", [](int) { return 3; }},
    {"halves", [](int lane) { return lane / 16; }},
    {"pairs", [](int lane) { return lane / 2; }},
    {"fours", [](int lane) { return (WARP - 1 - lane) / 4; }},
    {"rows", [](int lane) { return lane % 16; }},
    {"near rows", [](int lane) { return lane % 16 + lane / 16 * 3; }},
    {"mod8", [](int lane) { return lane % 8; }},
    {"mod11", [](int lane) { return lane * 5 % 11; }},
    {"mixed", [](int lane) { return (lane * lane * 7 + lane * 3 + lane / 5) % 13; }},
};

int main()
{
    CHECK(cudaMalloc(&device, 4096));
    for (bool shared : {false, true})
        for (const auto &group : GROUPS)
            for (const auto &places : PLACES) {
                meeting meeting = {group.name, places.name, group.lanes, {0}, shared};
                for (int l = 0; l < WARP; l++)
                    meeting.place[l] = places.place(l);
                show(meeting);
            }
    return 0;
}
