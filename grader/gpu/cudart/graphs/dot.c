/* Writes a graph in the language of Graphviz, with the names that CUDA uses. `dot -Tsvg FILE` draws
 * it. */
#include <stdio.h>

#include "gpu/cudart/graphs/graph.h"

struct drawing {
    FILE *file;
    bool is_verbose;
    /* the highest number that a graph has; child graphs are numbered before they are drawn */
    unsigned graphs;
};

static const char *name_of(enum cudaGraphNodeType type)
{
    static const char *const names[] = {
        [cudaGraphNodeTypeMemcpy] = "MEMCPY",
        [cudaGraphNodeTypeMemset] = "MEMSET",
        [cudaGraphNodeTypeHost] = "HOST",
        [cudaGraphNodeTypeEmpty] = "EMPTY",
        [cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
        [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
        [cudaGraphNodeTypeMemFree] = "MEM_FREE",
        [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
        [cudaGraphNodeTypeConditional] = "CONDITIONAL",
    };
    return names[type];
}

/* Returns the style with which a node is drawn. */
static const char *style_of(enum cudaGraphNodeType type)
{
    return type == cudaGraphNodeTypeKernel   ? "style=\"bold\" shape=\"octagon\""
           : type == cudaGraphNodeTypeMemset ? "style=\"solid\" shape=\"invtrapezium\""
           : type == cudaGraphNodeTypeMemcpy ? "style=\"solid\" shape=\"trapezium\""
                                             : "style=\"solid\" shape=\"rectangle\"";
}

static void put_launch(const struct drawing *drawing, const struct rt_launch *launch)
{
    struct emu_device *device;
    struct rt_function *function;
    if (rt_device(&device) != cudaSuccess ||
        rt_find_function(device, launch->func, &function) != cudaSuccess)
        return;
    fprintf(drawing->file, "%s\n", function->name);
    if (drawing->is_verbose)
        fprintf(drawing->file, "grid %u x %u x %u\nblock %u x %u x %u\nshared %zu\n",
                launch->grid.x, launch->grid.y, launch->grid.z, launch->block.x, launch->block.y,
                launch->block.z, launch->shared);
}

static void put_copy(const struct drawing *drawing, const struct cudaMemcpy3DParms *copy)
{
    static const char *const kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default"};
    fprintf(drawing->file, "(%s,%zu)\n", kinds[copy->kind],
            rt_copy_width(copy) * copy->extent.height * copy->extent.depth);
    if (drawing->is_verbose)
        fprintf(drawing->file, "from %p to %p\n",
                copy->srcArray ? (void *)copy->srcArray : copy->srcPtr.ptr,
                copy->dstArray ? (void *)copy->dstArray : copy->dstPtr.ptr);
}

static void put_fill(const struct drawing *drawing, const struct cudaMemsetParams *fill)
{
    fprintf(drawing->file, "(%u,%zu)\n", fill->value,
            fill->width * fill->elementSize * fill->height);
    if (drawing->is_verbose)
        fprintf(drawing->file, "at %p\n", fill->dst);
}

/* Writes the work of a node as lines of text in its box. */
static void put_work(struct drawing *drawing, const struct rt_work *work)
{
    if (work->type == cudaGraphNodeTypeKernel) {
        put_launch(drawing, &work->kernel);
        return;
    }
    if (work->type == cudaGraphNodeTypeGraph) {
        fprintf(drawing->file, "graph_%u\n", ++drawing->graphs);
        return;
    }
    fprintf(drawing->file, "%s\n", name_of(work->type));
    if (work->type == cudaGraphNodeTypeMemcpy)
        put_copy(drawing, &work->copy);
    if (work->type == cudaGraphNodeTypeMemset)
        put_fill(drawing, &work->fill);
    for (unsigned i = 0; work->type == cudaGraphNodeTypeConditional && i < work->conditional.count;
         i++)
        fprintf(drawing->file, "graph_%u\n", ++drawing->graphs);
    if (rt_is_memory(work) && drawing->is_verbose)
        fprintf(drawing->file, "%p\n", work->memory);
}

static size_t index_of(const struct CUgraph_st *graph, const struct CUgraphNode_st *node)
{
    size_t index = 0;
    for (const struct CUgraphNode_st *at = graph->first; at && at != node; at = at->next)
        index++;
    return index;
}

/* Draws GRAPH, which has NUMBER, then its child graphs and bodies. */
static void draw(struct drawing *drawing, const struct CUgraph_st *graph, unsigned number)
{
    FILE *file = drawing->file;
    unsigned child = drawing->graphs;
    size_t index = 0;
    fprintf(file, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", number,
            number);
    for (const struct CUgraphNode_st *node = graph->first; node; node = node->next, index++) {
        fprintf(file, "\"graph_%u_node_%zu\"[%s label=\"%zu\n", number, index,
                style_of(node->work.type), index);
        put_work(drawing, &node->work);
        fprintf(file, "\"];\n\n");
    }
    for (const struct CUgraphNode_st *node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->depend_count; i++)
            fprintf(file, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\";\n", number,
                    index_of(graph, node->depends[i]), number, index_of(graph, node));
    fprintf(file, "}\n");
    for (const struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        const struct rt_work *work = &node->work;
        if (work->type == cudaGraphNodeTypeGraph)
            draw(drawing, work->child, ++child);
        for (unsigned i = 0;
             work->type == cudaGraphNodeTypeConditional && i < work->conditional.count; i++)
            draw(drawing, work->conditional.bodies[i], ++child);
    }
}

static cudaError_t print(const struct CUgraph_st *graph, const char *path, unsigned flags)
{
    struct drawing drawing = {.is_verbose = flags != 0, .graphs = 1};
    if (!graph || !path)
        return cudaErrorInvalidValue;
    if (!(drawing.file = fopen(path, "w")))
        return cudaErrorOperatingSystem;
    fprintf(drawing.file, "digraph dot {\n");
    draw(&drawing, graph, 1);
    fprintf(drawing.file, "}\n");
    return fclose(drawing.file) == 0 ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags)
{
    return rt_return(print(rt_live_graph(graph), path, flags));
}
