/* Kernels that still run when their launch returns. They wait for something that main(), a copy or a kernel in
 * another stream does later, and main() waits for them. No result depends on which side is faster. */
#include "tests/support/check.cuh"

#include <cstring>

#include <cuda/atomic>

enum { THREADS = 64, ROUNDS = 40, ITEMS = 50 };

/* --- kernels ------------------------------------------------------------------------------------------ */

__global__ void wait_for(volatile int *flag, int *out)
{
    while (!*flag)
        ;
    out[blockIdx.x * blockDim.x + threadIdx.x] = *flag + threadIdx.x;
}

/* One thread polls the flag and tells the others at a barrier, even while the flag is not set. */
__global__ void wait_at_barriers(volatile int *flag, int *out)
{
    __shared__ int seen;
    for (seen = 0;;) {
        if (threadIdx.x == 0)
            seen = *flag;
        __syncthreads();
        if (seen)
            break;
        __syncthreads();
    }
    out[threadIdx.x] = seen + threadIdx.x;
}

/* Polls by plain loads. The fence forces the compiler to load again. */
__global__ void wait_with_fences(int *flag, int *out)
{
    while (!*flag)
        __threadfence_system();
    out[threadIdx.x] = *flag + threadIdx.x;
}

/* Counts its polls and sleeps for varying times, so that no two polls are alike. */
__global__ void wait_with_patience(int *flag, int *out, long long most)
{
    unsigned pause = 8;
    for (long long looks = 0; looks < most; looks++) {
        if (atomicAdd_system(flag, 0)) {
            out[threadIdx.x] = 1 + threadIdx.x;
            return;
        }
        __nanosleep(pause);
        pause = pause < 256 ? 2 * pause : 8;
    }
}

__global__ void set(int *flag, int value)
{
    *flag = value;
}

__global__ void twice(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 2;
}

/* Answers questions until one is negative. Clears the question before it answers. */
__global__ void answer(volatile int *question, volatile int *reply)
{
    for (;;) {
        int asked;
        while ((asked = *question) == 0)
            __nanosleep(100);
        if (asked < 0)
            return;
        *question = 0;
        __threadfence_system();
        *reply = asked * 3;
    }
}

/* Two of these kernels take turns, through memory of the device. */
__global__ void play(volatile int *ball, int mine, int *count)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (*ball % 2 != mine)
            ;
        ++*count;
        __threadfence();
        ++*ball;
    }
}

struct queue {
    int head, tail, item[ITEMS], out[ITEMS];
};

/* Blocks take items as they arrive, until all items are taken. */
__global__ void serve(queue *q)
{
    __shared__ int mine;
    for (;;) {
        if (threadIdx.x == 0) {
            cuda::atomic_ref<int, cuda::thread_scope_system> head(q->head);
            mine = atomicAdd(&q->tail, 1);
            while (mine < ITEMS && head.load(cuda::memory_order_acquire) <= mine)
                __nanosleep(50);
        }
        __syncthreads();
        int item = mine;
        __syncthreads();
        if (item >= ITEMS)
            return;
        if (threadIdx.x == 0)
            q->out[item] = q->item[item] * q->item[item];
    }
}

/* --- the tests that main() runs ---------------------------------------------------------------------- */

static int *device_ints(int n)
{
    int *p;
    MUST(cudaMalloc(&p, n * sizeof *p));
    MUST(cudaMemset(p, 0, n * sizeof *p));
    MUST(cudaDeviceSynchronize());
    return p;
}

static int *pinned_ints(int n)
{
    int *p;
    MUST(cudaHostAlloc(&p, n * sizeof *p, cudaHostAllocMapped));
    memset(p, 0, n * sizeof *p);
    return p;
}

static cudaStream_t new_stream()
{
    cudaStream_t stream;
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static long long sum(const int *from, int n)
{
    int *copy = new int[n];
    long long total = 0;
    MUST(cudaMemcpy(copy, from, n * sizeof *copy, cudaMemcpyDefault));
    for (int i = 0; i < n; i++)
        total += copy[i];
    delete[] copy;
    return total;
}

static const long long ALL = THREADS * (THREADS - 1) / 2 + THREADS; /* sum of 1 to THREADS */

/* main() sets the flag by a plain store, and calls nothing until it waits. */
static void check_stores()
{
    int *flag = pinned_ints(1), *out = device_ints(4 * THREADS);
    cudaStream_t stream = new_stream();
    wait_for<<<4, THREADS, 0, stream>>>(flag, out);
    MUST(cudaGetLastError());
    expect("not ready while it waits", cudaStreamQuery(stream), cudaErrorNotReady);
    cudaGetLastError();
    *(volatile int *)flag = 1;
    MUST(cudaStreamSynchronize(stream));
    expect("ready afterwards", cudaStreamQuery(stream), cudaSuccess);
    expect("a flag in page-locked memory", sum(out, 4 * THREADS), 4 * ALL);

    int *managed;
    MUST(cudaMallocManaged(&managed, sizeof *managed));
    *managed = 0;
    MUST(cudaMemset(out, 0, THREADS * sizeof *out));
    wait_at_barriers<<<1, THREADS, 0, stream>>>(managed, out);
    *(volatile int *)managed = 1;
    MUST(cudaDeviceSynchronize());
    expect("a flag in managed memory", sum(out, THREADS), ALL);

    *flag = 0;
    MUST(cudaMemset(out, 0, THREADS * sizeof *out));
    wait_with_fences<<<1, THREADS, 0, stream>>>(flag, out);
    *(volatile int *)flag = 1;
    MUST(cudaDeviceSynchronize());
    expect("plain loads and fences", sum(out, THREADS), ALL);

    *flag = 0;
    MUST(cudaMemset(out, 0, THREADS * sizeof *out));
    wait_with_patience<<<1, THREADS, 0, stream>>>(flag, out, 1ll << 60);
    *(volatile int *)flag = 1;
    MUST(cudaDeviceSynchronize());
    expect("polls that are counted", sum(out, THREADS), ALL);
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFree(managed));
    MUST(cudaFreeHost(flag));
    MUST(cudaFree(out));
}

/* A flag on the device, which an operation in another stream sets. */
static void check_streams()
{
    int *flag = device_ints(1), *out = device_ints(THREADS), *one = pinned_ints(1);
    cudaStream_t waits = new_stream(), sets = new_stream();
    *one = 1;
    wait_for<<<1, THREADS, 0, waits>>>(flag, out);
    MUST(cudaMemcpyAsync(flag, one, sizeof *flag, cudaMemcpyHostToDevice, sets));
    MUST(cudaStreamSynchronize(waits));
    expect("a copy in another stream", sum(out, THREADS), ALL);

    MUST(cudaMemset(flag, 0, sizeof *flag));
    wait_at_barriers<<<1, THREADS, 0, waits>>>(flag, out);
    MUST(cudaMemsetAsync(flag, 1, 1, sets));
    MUST(cudaStreamSynchronize(waits));
    expect("a fill in another stream", sum(out, THREADS), ALL);

    MUST(cudaMemset(flag, 0, sizeof *flag));
    wait_for<<<1, THREADS, 0, waits>>>(flag, out);
    set<<<1, 1, 0, sets>>>(flag, 2);
    MUST(cudaStreamSynchronize(waits));
    expect("a kernel in another stream", sum(out, THREADS), ALL + THREADS);

    int *count = device_ints(2), *ball = device_ints(1);
    play<<<1, 1, 0, waits>>>(ball, 0, &count[0]);
    play<<<1, 1, 0, sets>>>(ball, 1, &count[1]);
    MUST(cudaDeviceSynchronize());
    expect("two kernels take turns", sum(count, 2), 2ll * ROUNDS);
    MUST(cudaStreamDestroy(waits));
    MUST(cudaStreamDestroy(sets));
    MUST(cudaFree(flag));
    MUST(cudaFree(out));
    MUST(cudaFree(ball));
    MUST(cudaFree(count));
    MUST(cudaFreeHost(one));
}

/* Kernel and main() exchange questions and answers. Meanwhile main() calls nothing. */
static void check_polling()
{
    int *words = pinned_ints(64);
    volatile int *question = words, *reply = words + 32;
    cudaStream_t stream = new_stream();
    long long total = 0;
    answer<<<1, 1, 0, stream>>>(question, reply);
    for (int i = 1; i <= ROUNDS; i++) {
        *reply = 0;
        *question = i;
        while (*reply == 0)
            ;
        total += *reply;
    }
    *question = -1;
    MUST(cudaStreamSynchronize(stream));
    expect("questions and answers", total, 3ll * ROUNDS * (ROUNDS + 1) / 2);

    /* The next operation in the stream begins when the kernel ends, even if main() calls nothing. */
    *question = 0;
    *reply = 0;
    answer<<<1, 1, 0, stream>>>(question, reply);
    set<<<1, 1, 0, stream>>>(words + 1, 7);
    expect("the next kernel in the stream waits", words[1], 0);
    *question = -1;
    while (((volatile int *)words)[1] != 7)
        ;
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFreeHost(words));
}

static void check_queue(queue *q, const char *name)
{
    cudaStream_t stream = new_stream();
    long long total = 0, right = 0;
    memset(q, 0, sizeof *q);
    serve<<<3, 32, 0, stream>>>(q);
    for (int i = 0; i < ITEMS; i++) {
        q->item[i] = i + 1;
        __atomic_store_n(&q->head, i + 1, __ATOMIC_RELEASE);
        right += (i + 1) * (i + 1);
    }
    MUST(cudaStreamSynchronize(stream));
    for (int i = 0; i < ITEMS; i++)
        total += q->out[i];
    expect(name, total, right);
    MUST(cudaStreamDestroy(stream));
}

static int notes;

static void CUDART_CB note(void *number)
{
    notes = notes * 10 + (int)(size_t)number;
}

static void CUDART_CB called(cudaStream_t, cudaError_t status, void *number)
{
    notes = notes * 10 + (status == cudaSuccess ? (int)(size_t)number : 0);
}

/* Every kind of operation that can follow a waiting kernel. */
static void check_order()
{
    int *flag = pinned_ints(1), *out = device_ints(THREADS), *back = pinned_ints(THREADS);
    int *pooled;
    cudaStream_t a = new_stream(), b = new_stream(), free_one = new_stream();
    cudaEvent_t begun, done;
    float ms = -1;
    MUST(cudaEventCreate(&begun));
    MUST(cudaEventCreate(&done));
    MUST(cudaMallocAsync((void **)&pooled, THREADS * sizeof *pooled, a));
    MUST(cudaEventRecord(begun, a));
    wait_for<<<1, THREADS, 0, a>>>(flag, pooled);
    twice<<<1, THREADS, 0, a>>>(pooled, THREADS);
    MUST(cudaLaunchHostFunc(a, note, (void *)1));
    MUST(cudaMemcpyAsync(out, pooled, THREADS * sizeof *out, cudaMemcpyDeviceToDevice, a));
    MUST(cudaFreeAsync(pooled, a));
    MUST(cudaEventRecord(done, a));
    MUST(cudaStreamWaitEvent(b, done, 0));
    MUST(cudaStreamAddCallback(b, called, (void *)2, 0));
    twice<<<1, THREADS, 0, b>>>(out, THREADS);
    MUST(cudaMemcpyAsync(back, out, THREADS * sizeof *out, cudaMemcpyDeviceToHost, b));
    MUST(cudaLaunchHostFunc(free_one, note, (void *)9)); /* in a stream that waits for nothing */
    MUST(cudaStreamSynchronize(free_one));
    expect("an independent stream continues", notes, 9);
    expect("the event after the kernel is not ready", cudaEventQuery(done), cudaErrorNotReady);
    expect("the event before the kernel is ready", cudaEventQuery(begun), cudaSuccess);
    expect("no elapsed time yet", cudaEventElapsedTime(&ms, begun, done), cudaErrorNotReady);
    expect("a stream that waits for the event is not ready", cudaStreamQuery(b), cudaErrorNotReady);
    cudaGetLastError();
    *(volatile int *)flag = 1;
    MUST(cudaEventSynchronize(done));
    MUST(cudaStreamSynchronize(b));
    expect("host functions ran in order", notes, 912);
    expect("operations saw each other's results", sum(back, THREADS), 4 * ALL);
    MUST(cudaEventElapsedTime(&ms, begun, done));
    expect("time goes on", ms > 0, true);
    MUST(cudaEventDestroy(begun));
    MUST(cudaEventDestroy(done));
    MUST(cudaStreamDestroy(a));
    MUST(cudaStreamDestroy(b));
    MUST(cudaStreamDestroy(free_one));
    MUST(cudaFreeHost(flag));
    MUST(cudaFreeHost(back));
    MUST(cudaFree(out));
}

/* The default stream and blocking streams wait for each other. A copy reads pageable memory before it
 * returns. */
static void check_default_stream()
{
    int *flag = pinned_ints(1), *out = device_ints(THREADS), *last = device_ints(1), number = 5;
    cudaStream_t blocking, other;
    MUST(cudaStreamCreate(&blocking));
    MUST(cudaStreamCreate(&other));
    wait_for<<<1, THREADS, 0, blocking>>>(flag, out);
    twice<<<1, THREADS>>>(out, THREADS);
    MUST(cudaMemset(last, 1, sizeof *last));
    MUST(cudaMemcpyAsync(last, &number, sizeof number, cudaMemcpyHostToDevice, other));
    number = 6;
    expect("the default stream waits", cudaStreamQuery(0), cudaErrorNotReady);
    expect("blocking streams wait for the default stream", cudaStreamQuery(other),
           cudaErrorNotReady);
    cudaGetLastError();
    *(volatile int *)flag = 1;
    expect("a synchronous copy waits, too", sum(out, THREADS), 2 * ALL);
    expect("the value at the time of the call was copied", sum(last, 1), 5ll);
    MUST(cudaStreamDestroy(blocking));
    MUST(cudaStreamDestroy(other));
    MUST(cudaFreeHost(flag));
    MUST(cudaFree(out));
    MUST(cudaFree(last));
}

/* A graph whose kernel waits: the graph's next kernel waits, too. */
static void check_graph()
{
    int *flag = pinned_ints(1), *out = device_ints(THREADS);
    cudaStream_t stream = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    wait_for<<<1, THREADS, 0, stream>>>(flag, out);
    twice<<<1, THREADS, 0, stream>>>(out, THREADS);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, stream));
    expect("a graph is not ready", cudaStreamQuery(stream), cudaErrorNotReady);
    cudaGetLastError();
    *(volatile int *)flag = 1;
    MUST(cudaStreamSynchronize(stream));
    expect("a graph waits", sum(out, THREADS), 2 * ALL);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFreeHost(flag));
    MUST(cudaFree(out));
}

/* --- waits that never end ------------------------------------------------------------------------------- */

/* The flag is never set: no operation sets it, or only one that waits for the kernel. */
static int wait_in_vain(const char *how)
{
    int *flag = strcmp(how, "shared") == 0 ? pinned_ints(1) : device_ints(1);
    int *out = device_ints(THREADS), *one = pinned_ints(1);
    cudaStream_t stream;
    *one = 1;
    MUST(cudaStreamCreate(&stream));
    wait_for<<<1, 32, 0, stream>>>(flag, out); /* IN VAIN */
    if (strcmp(how, "behind") == 0)
        MUST(cudaMemcpyAsync(flag, one, sizeof *flag, cudaMemcpyHostToDevice, stream));
    if (strcmp(how, "default") == 0)
        set<<<1, 1>>>(flag, 1);
    if (strcmp(how, "copy") == 0)
        return cudaMemcpy(flag, one, sizeof *flag, cudaMemcpyHostToDevice);
    if (strcmp(how, "free") == 0)
        return cudaFree(out);
    if (strcmp(how, "exit") == 0)
        return 0;
    return cudaStreamSynchronize(stream);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return wait_in_vain(argv[1]) == cudaErrorLaunchTimeout ? 7 : 0;
    queue *q;
    check_stores();
    check_streams();
    check_polling();
    MUST(cudaMallocManaged(&q, sizeof *q));
    check_queue(q, "a queue in managed memory");
    MUST(cudaFree(q));
    MUST(cudaHostAlloc(&q, sizeof *q, cudaHostAllocMapped));
    check_queue(q, "a queue in page-locked memory");
    MUST(cudaFreeHost(q));
    check_order();
    check_default_stream();
    check_graph();
    return summary();
}
