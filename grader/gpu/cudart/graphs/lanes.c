/* Decides which steps of a launched graph wait for each other. A step only waits for the steps from
 * which an edge leads to it. The emulator runs all work one step after another, but the order check
 * and the predicted time must know which steps a GPU could run at the same time. So each branch of
 * the graph has a lane, which is a stream. Lane 0 is the stream of the launch. Each other lane is a
 * stream of the library.
 *
 *     lane 0    a ------ b ------ e      e waits for b, and for the event of d
 *     lane 1       c ------ d            c waits for the event of a
 *
 * A step records an event if a step in another lane waits for it. */
#include <stdlib.h>

#include "gpu/cudart/graphs/graph.h"

/* If there are more branches, the others share lane 0, and some steps wait although they need
 * not. */
#define MOST_LANES 64

struct place {
    size_t lane;
    size_t *awaits, await_count; /* the steps in other lanes that this step waits for */
    /* no edge leads to this step, so it waits only for the start of the launch */
    bool is_root;
    cudaEvent_t done; /* recorded after this step; NULL if no other lane waits for it */
};

struct rt_lanes {
    struct place *steps;
    size_t count, lane_count;
    size_t tails[MOST_LANES]; /* index of the last step in each lane */
    cudaStream_t streams[MOST_LANES];
    cudaEvent_t start; /* recorded when the launch begins; NULL if all roots are in lane 0 */
};

/* --- making ----------------------------------------------------------------------------------- */

static size_t index_of(struct CUgraphNode_st *const *sorted, const struct CUgraphNode_st *node)
{
    size_t i = 0;
    while (sorted[i] != node)
        i++;
    return i;
}

/* Returns the lane for a step that waits for the steps DEPENDS. If one of these is the last step in
 * its lane so far, this is its lane. Otherwise it is a new lane. */
static size_t choose_lane(struct rt_lanes *lanes, const size_t *depends, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t lane = lanes->steps[depends[i]].lane;
        if (lanes->tails[lane] == depends[i])
            return lane;
    }
    return lanes->lane_count < MOST_LANES ? lanes->lane_count++ : 0;
}

static cudaError_t await(struct rt_lanes *lanes, struct place *place, size_t step)
{
    struct place *other = &lanes->steps[step];
    if (other->lane == place->lane)
        return cudaSuccess;
    place->awaits[place->await_count++] = step;
    return other->done ? cudaSuccess : rt_event_new(&other->done);
}

/* Puts the step with this INDEX into a lane. */
static cudaError_t put(struct rt_lanes *lanes, struct CUgraphNode_st *const *sorted, size_t index)
{
    const struct CUgraphNode_st *node = sorted[index];
    struct place *place = &lanes->steps[index];
    size_t *depends = calloc(2 * node->depend_count + 1, sizeof *depends);
    cudaError_t error = depends ? cudaSuccess : cudaErrorMemoryAllocation;
    for (size_t i = 0; i < node->depend_count && depends; i++)
        depends[i] = index_of(sorted, node->depends[i]);
    *place = (struct place){.awaits = depends, .is_root = node->depend_count == 0};
    if (depends)
        place->lane = choose_lane(lanes, depends, node->depend_count);
    for (size_t i = 0; i < node->depend_count && error == cudaSuccess; i++)
        error = await(lanes, place, depends[i]);
    lanes->tails[place->lane] = index;
    if (place->is_root && place->lane > 0 && !lanes->start && error == cudaSuccess)
        error = rt_event_new(&lanes->start);
    return error;
}

cudaError_t rt_lanes_new(struct CUgraphNode_st *const *sorted, size_t count,
                         struct rt_lanes **result)
{
    struct rt_lanes *lanes = calloc(1, sizeof *lanes);
    struct place *steps = lanes ? calloc(count + 1, sizeof *steps) : NULL;
    cudaError_t error = steps ? cudaSuccess : cudaErrorMemoryAllocation;
    if (lanes)
        *lanes = (struct rt_lanes){.steps = steps, .count = count};
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = put(lanes, sorted, i);
    for (size_t i = 1; error == cudaSuccess && i < lanes->lane_count; i++) {
        cudaEvent_t *done = &lanes->steps[lanes->tails[i]].done;
        error = *done ? cudaSuccess : rt_event_new(done);
        if (error == cudaSuccess)
            error = rt_stream_new(&lanes->streams[i]);
    }
    *result = lanes;
    return error;
}

void rt_lanes_free(struct rt_lanes *lanes)
{
    for (size_t i = 0; lanes && lanes->steps && i < lanes->count; i++) {
        free(lanes->steps[i].awaits);
        if (lanes->steps[i].done)
            rt_event_free(lanes->steps[i].done);
    }
    for (size_t i = 1; lanes && i < lanes->lane_count; i++)
        if (lanes->streams[i])
            rt_stream_free(lanes->streams[i]);
    if (lanes && lanes->start)
        rt_event_free(lanes->start);
    if (lanes)
        free(lanes->steps);
    free(lanes);
}

/* --- a launch --------------------------------------------------------------------------------- */

cudaError_t rt_lanes_begin(struct rt_lanes *lanes, cudaStream_t stream)
{
    lanes->streams[0] = stream;
    return lanes->start ? rt_event_record_in(lanes->start, stream) : cudaSuccess;
}

cudaError_t rt_lanes_enter(const struct rt_lanes *lanes, size_t step, cudaStream_t *stream)
{
    const struct place *place = &lanes->steps[step];
    cudaError_t error = cudaSuccess;
    *stream = lanes->streams[place->lane];
    if (place->is_root && place->lane > 0)
        error = rt_stream_waits(*stream, lanes->start);
    for (size_t i = 0; i < place->await_count && error == cudaSuccess; i++)
        error = rt_stream_waits(*stream, lanes->steps[place->awaits[i]].done);
    return error;
}

cudaError_t rt_lanes_leave(const struct rt_lanes *lanes, size_t step)
{
    const struct place *place = &lanes->steps[step];
    return place->done ? rt_event_record_in(place->done, lanes->streams[place->lane]) : cudaSuccess;
}

cudaError_t rt_lanes_end(const struct rt_lanes *lanes)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 1; i < lanes->lane_count && error == cudaSuccess; i++)
        error = rt_stream_waits(lanes->streams[0], lanes->steps[lanes->tails[i]].done);
    return error;
}
