/* Adds hints to calls that failed, because an error such as "invalid argument" does not say which
 * argument is invalid. */
#include "gpu/cudart/rt.h"

#include <stdatomic.h>
#include <string.h>

#define MOST_REPORTS 1000 /* a limit, because a program may poll with a call that fails */

static _Thread_local bool has_reported;

void rt_note_report(void)
{
    has_reported = true;
}

bool rt_is_reported(void)
{
    return has_reported;
}

/* Each hint is for functions whose name begins with CALL, if they return ERROR. The first hint that
 * matches is used. */
static const struct hint {
    cudaError_t error;
    const char *call, *text;
} hints[] = {
    {cudaErrorInvalidPitchValue, "",
     "the width and both pitches are in bytes: each pitch must be at least the width, n * sizeof(type), and "
     "must be the pitch of the pointer before it"},
    {cudaErrorInvalidMemcpyDirection, "",
     "the last argument must be one of cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, "
     "cudaMemcpyDeviceToDevice and cudaMemcpyDefault"},
    {cudaErrorInvalidValue, "cudaMemcpyToSymbol",
     "does the copy fit into the variable? The size and the offset are in bytes"},
    {cudaErrorInvalidValue, "cudaMemcpyFromSymbol",
     "does the copy fit into the variable? The size and the offset are in bytes"},
    {cudaErrorInvalidSymbol, "",
     "pass the __device__ or __constant__ variable itself: not its address, and not its name in quotes"},
    {cudaErrorInvalidValue, "cudaMemcpy",
     "the first argument is the destination, the second the source, and sizes are in bytes: is each pointer set, and does each point to enough memory?"},
    {cudaErrorInvalidValue, "cudaMemset",
     "the arguments are pointer, byte value and size in bytes: does the pointer come from cudaMalloc(), and is its memory "
     "large enough?"},
    {cudaErrorInvalidValue, "cudaMalloc",
     "pass the address of the pointer, as in cudaMalloc(&data, bytes)"},
    {cudaErrorMemoryAllocation, "",
     "is the size right? A negative int becomes a huge size_t. Free memory that is no longer needed"},
    {cudaErrorInvalidConfiguration, "",
     "look at the numbers between <<< and >>>: a block has at most 1,024 threads, and neither blocks nor threads may be 0"},
    {cudaErrorInvalidDevice, "", "the only device has number 0"},
    {cudaErrorInvalidDeviceFunction, "",
     "pass the kernel itself, a __global__ function of this program"},
    {cudaErrorCooperativeLaunchTooLarge, "",
     "all blocks of a cooperative launch must fit on the GPU at the same time: multiply the "
     "result of cudaOccupancyMaxActiveBlocksPerMultiprocessor() by the number of "
     "multiprocessors, and launch no more blocks"},
    {cudaErrorLaunchOutOfResources, "",
     "the kernel needs more registers or shared memory than the GPU has for such a block: use fewer threads"},
    {cudaErrorInvalidResourceHandle, "cudaEvent",
     "was the event made by cudaEventCreate(), recorded, and not yet destroyed?"},
    {cudaErrorInvalidResourceHandle, "cudaLaunch",
     "is the first argument a __global__ function of this program, and does the stream exist?"},
    {cudaErrorInvalidResourceHandle, "cudaFunc",
     "pass the kernel itself, a __global__ function of this program"},
    {cudaErrorInvalidResourceHandle, "cudaOccupancy",
     "pass the kernel itself, a __global__ function of this program"},
    {cudaErrorInvalidResourceHandle, "",
     "was the stream, event, array or graph created, and not yet destroyed?"},
    {cudaErrorHostMemoryAlreadyRegistered, "", "unregister a range before you register it again"},
    {cudaErrorHostMemoryNotRegistered, "",
     "pass the address that you gave to cudaHostRegister(); unregister each range only once"},
    {cudaErrorIllegalState, "cudaStreamBeginCapture",
     "this stream is being captured already: end that capture first"},
    {cudaErrorIllegalState, "",
     "this stream is not being captured: call cudaStreamBeginCapture() first, and end each capture only once"},
    {cudaErrorInvalidChannelDescriptor, "",
     "make the descriptor with cudaCreateChannelDesc<type>(), of a type with 1, 2 or 4 members"},
    {cudaErrorStreamCaptureUnsupported, "",
     "while a stream is captured, do not wait for it and do not call functions that wait, such as cudaMemcpy()"},
    {cudaErrorStreamCaptureInvalidated, "",
     "a call before this one broke the capture: look for its error"},
    {cudaErrorStreamCaptureUnjoined, "",
     "let the first stream wait for an event of each other stream before cudaStreamEndCapture()"},
    {cudaErrorStreamCaptureImplicit, "",
     "the default stream cannot be used while another stream is captured: pass a stream that you created"},
    {cudaErrorPeerAccessUnsupported, "", "there is only one device"},
    {cudaErrorSymbolNotFound, "",
     "is the name spelled as in the source, and declared extern \"C\"?"},
    {cudaErrorInvalidValue, "",
     "which argument can be wrong? Is a pointer NULL or not set, a size negative or 0, or a flag meant "
     "for another function?"},
};

static const char *hint_for(const char *call, cudaError_t error)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].error == error && strncmp(call, hints[i].call, strlen(hints[i].call)) == 0)
            return hints[i].text;
    return NULL;
}

/* Returns whether this error needs no hint, because correct programs also get it, or because it has
 * been reported already. */
static bool is_answer(const char *call, cudaError_t error)
{
    return error == cudaSuccess || error == cudaErrorNotReady ||
           error == cudaErrorNotSupported || /* has been reported as unsupported-call */
           strncmp(call, "cuda", 4) != 0;
}

cudaError_t rt_end_call(const char *call, cudaError_t error)
{
    static atomic_uint reports;
    struct emu_device *device = rt_device_or_null();
    bool is_known = has_reported || rt_faulted();
    has_reported = false;
    if (!is_answer(call, error) && !is_known && device && emu_has_record(device) &&
        atomic_fetch_add(&reports, 1) < MOST_REPORTS) {
        rt_finding_at("failed-call", NULL,
                      &(struct rt_places){.at = rt_caller(), .help = hint_for(call, error)}, 1,
                      "%s() returns %s: %s", call, cudaGetErrorName(error),
                      cudaGetErrorString(error));
        has_reported = false;
    }
    return rt_remember(error);
}
