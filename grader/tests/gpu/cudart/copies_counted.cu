/* Copies and fills on the device, of 4,096 bytes each, through every function that makes one. A device
 * in a separate process must count them all: test_remote.c reads the record. */
#include "tests/support/check.cuh"

#include <cstring>

#define BYTES 4096
#define WIDTH 128 /* bytes of a row */
#define ROWS  (BYTES / WIDTH)
#define DEPTH 4 /* layers of a box */

__device__ char symbol[BYTES];

static char *a, *b;
static cudaStream_t stream;
static int copies, fills;

#define COUNT(call, counter)                                                                       \
    do {                                                                                           \
        MUST(call);                                                                                \
        counter++;                                                                                 \
    } while (0)
#define COPY(call) COUNT(call, copies)
#define FILL(call) COUNT(call, fills)

static void copy_bytes()
{
    COPY(cudaMemcpy(b, a, BYTES, cudaMemcpyDeviceToDevice));
    COPY(cudaMemcpy(b, a, BYTES, cudaMemcpyDefault));
    COPY(cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, stream));
    COPY(cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDefault, stream));
    COPY(cudaMemcpyPeer(b, 0, a, 0, BYTES));
    COPY(cudaMemcpyPeerAsync(b, 0, a, 0, BYTES, stream));
    COPY(cudaMemcpyToSymbol(symbol, a, BYTES, 0, cudaMemcpyDeviceToDevice));
    COPY(cudaMemcpyFromSymbol(b, symbol, BYTES, 0, cudaMemcpyDeviceToDevice));
    COPY(cudaMemcpyToSymbolAsync(symbol, a, BYTES, 0, cudaMemcpyDefault, stream));
    COPY(cudaMemcpyFromSymbolAsync(b, symbol, BYTES, 0, cudaMemcpyDefault, stream));
}

static void copy_rows()
{
    COPY(cudaMemcpy2D(b, 2 * WIDTH, a, WIDTH, WIDTH, ROWS, cudaMemcpyDeviceToDevice));
    COPY(cudaMemcpy2D(b, WIDTH, a, 2 * WIDTH, WIDTH, ROWS, cudaMemcpyDefault));
    COPY(cudaMemcpy2DAsync(b, WIDTH, a, WIDTH, WIDTH, ROWS, cudaMemcpyDeviceToDevice, stream));
}

static cudaMemcpy3DParms box()
{
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(a, WIDTH, WIDTH, ROWS / DEPTH);
    box.dstPtr = make_cudaPitchedPtr(b, 2 * WIDTH, WIDTH, ROWS / DEPTH);
    box.extent = make_cudaExtent(WIDTH, ROWS / DEPTH, DEPTH);
    box.kind = cudaMemcpyDeviceToDevice;
    return box;
}

static void copy_boxes()
{
    cudaMemcpy3DParms one = box();
    cudaMemcpy3DPeerParms peer = {};
    peer.srcPtr = one.srcPtr;
    peer.dstPtr = one.dstPtr;
    peer.extent = one.extent;
    COPY(cudaMemcpy3D(&one));
    COPY(cudaMemcpy3DAsync(&one, stream));
    COPY(cudaMemcpy3DPeer(&peer));
    COPY(cudaMemcpy3DPeerAsync(&peer, stream));
}

static void copy_arrays()
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<char>();
    cudaArray_t array, other;
    MUST(cudaMallocArray(&array, &format, WIDTH, ROWS));
    MUST(cudaMallocArray(&other, &format, WIDTH, ROWS));
    COPY(cudaMemcpy2DToArray(array, 0, 0, a, WIDTH, WIDTH, ROWS, cudaMemcpyDeviceToDevice));
    COPY(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, WIDTH, ROWS, cudaMemcpyDeviceToDevice));
    COPY(cudaMemcpy2DFromArray(b, WIDTH, other, 0, 0, WIDTH, ROWS, cudaMemcpyDeviceToDevice));
    cudaMemcpy3DParms one = {};
    one.srcArray = array;
    one.dstArray = other;
    one.extent = make_cudaExtent(WIDTH, ROWS, 1);
    one.kind = cudaMemcpyDeviceToDevice;
    COPY(cudaMemcpy3D(&one));
    MUST(cudaFreeArray(array));
    MUST(cudaFreeArray(other));
}

static void copy_batches()
{
#if CUDART_VERSION >= 13000
    const void *from[] = {a, a};
    void *to[] = {b, b};
    size_t sizes[] = {BYTES, BYTES}, first = 0;
    cudaMemcpyAttributes how = {};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    MUST(cudaMemcpyBatchAsync(to, from, sizes, 2, &how, &first, 1, stream));
    copies += 2;
#endif
}

static void fill()
{
    FILL(cudaMemset(b, 1, BYTES));
    FILL(cudaMemsetAsync(b, 2, BYTES, stream));
    FILL(cudaMemset2D(b, 2 * WIDTH, 3, WIDTH, ROWS));
    FILL(cudaMemset2DAsync(b, WIDTH, 4, WIDTH, ROWS, stream));
    cudaPitchedPtr whole = make_cudaPitchedPtr(b, WIDTH, WIDTH, ROWS / DEPTH);
    FILL(cudaMemset3D(whole, 5, make_cudaExtent(WIDTH, ROWS / DEPTH, DEPTH)));
    FILL(cudaMemset3DAsync(whole, 6, make_cudaExtent(WIDTH, ROWS / DEPTH, DEPTH), stream));
}

static void capture(cudaGraph_t *graph)
{
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    COPY(cudaMemcpyAsync(b, a, BYTES, cudaMemcpyDeviceToDevice, stream));
    FILL(cudaMemsetAsync(b, 7, BYTES, stream));
    MUST(cudaStreamEndCapture(stream, graph));
}

static void build(cudaGraph_t *graph)
{
    cudaGraphNode_t node;
    cudaMemcpy3DParms one = box();
    MUST(cudaGraphCreate(graph, 0));
    COPY(cudaGraphAddMemcpyNode(&node, *graph, nullptr, 0, &one));
    COPY(cudaGraphAddMemcpyNode1D(&node, *graph, nullptr, 0, b, a, BYTES, cudaMemcpyDefault));
    COPY(cudaGraphAddMemcpyNodeToSymbol(&node, *graph, nullptr, 0, symbol, a, BYTES, 0,
                                        cudaMemcpyDeviceToDevice));
    for (unsigned size = 1; size <= 4; size *= 2) {
        cudaMemsetParams fill = {};
        fill.dst = b;
        fill.value = 0x12345678 >> (32 - 8 * size);
        fill.elementSize = size;
        fill.width = size == 2 ? WIDTH / size : BYTES / size;
        fill.height = size == 2 ? ROWS : 1;
        fill.pitch = 2 * WIDTH;
        FILL(cudaGraphAddMemsetNode(&node, *graph, nullptr, 0, &fill));
    }
}

static void launch(void (*make)(cudaGraph_t *graph))
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    make(&graph);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

int main()
{
    MUST(cudaMalloc(&a, 2 * BYTES));
    MUST(cudaMalloc(&b, 2 * BYTES));
    MUST(cudaStreamCreate(&stream));
    copy_bytes();
    copy_rows();
    copy_boxes();
    copy_arrays();
    copy_batches();
    fill();
    launch(capture);
    launch(build);
    FINISH();
    printf("%d copies, %d fills\n", copies, fills);
    return 0;
}
