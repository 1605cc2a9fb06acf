/* read_only.h: the input of lab 15, and textures.
 *
 *     struct job job = lab_job(&lab);                  // numbers from the grader, or made up
 *     const float *data = upload(job.data, n);         // on the GPU; NULL stays NULL
 *     cudaTextureObject_t texture = new_texture(job.data, width, height,
 *                                               cudaFilterModePoint, cudaAddressModeClamp);
 *     wrong_results(&job, result)                      // compares with the CPU
 *
 * All numbers are whole numbers, small enough for sums to be exact in float in any order. */
#ifndef READ_ONLY_H
#define READ_ONLY_H

#include <initializer_list>

#include "lab.h"

enum { FILTER = 1, CURVE, SLOPES, ROTATE, DEVELOP }; /* rungs */

#define FILTERS     8
#define TAPS        15 /* number of weights of a filter */
#define GREYS       256
#define SLOPES_EACH 4 /* number of results of rung 3 for each pixel */
#define MASK        5 /* number of columns of the mask of rung 5, which has three rows */
#define MASK_SUM    32

/* The input, in the CPU's memory. Arrays that a rung does not need are NULL. */
struct job {
    int rung, width, height;
    float cosine, sine; /* cosine and sine of the angle of rung 4 */
    const float *data;  /* rung 1: numbers; rung 3: a picture with a frame; rung 4: a picture */
    const unsigned char *pixels; /* rungs 2 and 5 */
    const float *weights;        /* rung 1: FILTERS x TAPS */
    const float *curve;          /* rungs 2 and 5: a number for each grey level */
    const int *mask;             /* rung 5: MASK x 3 weights, whose sum is MASK_SUM */
};

/* data_of() returns the number of elements of `data`, results_of() the number of results. */
static inline int data_of(const struct job *job)
{
    int n = job->width * job->height;
    return job->rung == FILTER   ? n + TAPS - 1
           : job->rung == SLOPES ? (job->width + 2) * (job->height + 2)
                                 : n;
}

static inline int results_of(const struct job *job)
{
    int each = job->rung == FILTER ? FILTERS : job->rung == SLOPES ? SLOPES_EACH : 1;
    return each * job->width * job->height;
}

/* --- the input ---------------------------------------------------------------------------------- */

/* Returns the COUNT floats NAME of the case. By hand, returns whole numbers from 0 to 255. */
static inline const float *lab_greys(struct lab *lab, const char *name, int count)
{
    if (!lab_by_hand(lab))
        return (const float *)lab_find(lab, name, LAB_FLOAT, count);
    float *values = (float *)malloc(((size_t)count + 1) * sizeof *values);
    for (int i = 0; i < count; ++i)
        values[i] = (float)(i * 7919ll % 256);
    return values;
}

static inline const unsigned char *lab_pixels(struct lab *lab, const char *name, int count)
{
    if (!lab_by_hand(lab))
        return (const unsigned char *)lab_find(lab, name, LAB_BYTE, count);
    unsigned char *values = (unsigned char *)malloc((size_t)count + 1);
    for (int i = 0; i < count; ++i)
        values[i] = (unsigned char)(i * 7919ll % 251);
    return values;
}

static inline const int *lab_mask(struct lab *lab)
{
    static const int by_hand[3 * MASK] = {1, 1, 3, 1, 1, 2, 3, 8, 3, 2, 1, 1, 3, 1, 1};
    return lab_by_hand(lab) ? by_hand : lab_ints(lab, "mask", 3 * MASK);
}

static inline struct job lab_job(struct lab *lab)
{
    struct job job = {};
    job.rung = lab_int(lab, "rung", FILTER);
    job.width = lab_int(lab, "width", 128);
    job.height = lab_int(lab, "height", 64);
    double angle = lab_int(lab, "degrees", 30) * 3.14159265358979324 / 180;
    job.cosine = (float)cos(angle);
    job.sine = (float)sin(angle);
    if (job.rung < FILTER || job.rung > DEVELOP)
        lab_fail("rung must be from 1 to 5", NULL);
    if (job.width < 1 || job.height < 1 || job.width > 1 << 14 || job.height > 1 << 11)
        lab_fail("width must be from 1 to 16,384, and height from 1 to 2,048", NULL);
    lab_end_list(lab);
    if (job.rung == FILTER || job.rung == SLOPES || job.rung == ROTATE)
        job.data = lab_greys(lab, "data", data_of(&job));
    else
        job.pixels = lab_pixels(lab, "pixels", job.width * job.height);
    if (job.rung == FILTER)
        job.weights = lab_greys(lab, "weights", FILTERS * TAPS);
    if (job.rung == CURVE || job.rung == DEVELOP)
        job.curve = lab_greys(lab, "curve", GREYS);
    if (job.rung == DEVELOP)
        job.mask = lab_mask(lab);
    return job;
}

/* --- the GPU's memory --------------------------------------------------------------------------- */

/* Copies COUNT values to the GPU. NULL stays NULL. */
template <typename T> static inline T *upload(const T *values, size_t count)
{
    T *on_gpu = NULL;
    if (!values)
        return NULL;
    CHECK_CUDA(cudaMalloc(&on_gpu, count * sizeof(T)));
    CHECK_CUDA(cudaMemcpy(on_gpu, values, count * sizeof(T), cudaMemcpyHostToDevice));
    return on_gpu;
}

/* Copies a picture of WIDTH x HEIGHT floats into an array on the GPU, and makes a texture of it.
 * Kernels get the texture as an argument, and read it with tex2D<float>(texture, x, y). The centre
 * of the first pixel is at 0.5, 0.5. FILTER says whether kernels read the nearest pixel, or a
 * weighted mean of the nearest four. OUTSIDE says which value kernels read outside of the
 * picture. */
static inline cudaTextureObject_t new_texture(const float *picture, int width, int height,
                                              cudaTextureFilterMode filter,
                                              cudaTextureAddressMode outside)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc memory = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    size_t bytes = width * sizeof(float); // of a row
    memory.resType = cudaResourceTypeArray;
    CHECK_CUDA(cudaMallocArray(&memory.res.array.array, &format, width, height));
    CHECK_CUDA(cudaMemcpy2DToArray(memory.res.array.array, 0, 0, picture, bytes, bytes, height,
                                   cudaMemcpyHostToDevice));
    how.filterMode = filter;
    how.addressMode[0] = how.addressMode[1] = outside;
    how.readMode = cudaReadModeElementType; // kernels read the floats unchanged
    CHECK_CUDA(cudaCreateTextureObject(&texture, &memory, &how, NULL));
    return texture;
}

/* Frees memory that upload() or cudaMalloc() allocated. */
static inline void free_memory(std::initializer_list<const void *> all)
{
    for (const void *memory : all)
        CHECK_CUDA(cudaFree((void *)memory));
}

/* Frees a texture and its array. */
static inline void free_texture(cudaTextureObject_t texture)
{
    cudaResourceDesc memory;
    CHECK_CUDA(cudaGetTextureObjectResourceDesc(&memory, texture));
    CHECK_CUDA(cudaDestroyTextureObject(texture));
    CHECK_CUDA(cudaFreeArray(memory.res.array.array));
}

/* --- the CPU's results -------------------------------------------------------------------------- */

/* Returns the pixel at (X, Y), or 0 if the point is outside of the picture. */
static inline double pixel_of(const struct job *job, int x, int y)
{
    if (x < 0 || x >= job->width || y < 0 || y >= job->height)
        return 0;
    return job->data ? job->data[y * job->width + x] : job->pixels[y * job->width + x];
}

/* Returns result I of rung 3. */
static inline double slope_on_cpu(const struct job *job, int i)
{
    int n = job->width * job->height, pitch = job->width + 2;
    int x = i % n % job->width, y = i % n / job->width;
    const float *p = job->data + (y + 1) * pitch + x + 1;
    double mean = ((double)p[1] + p[-1] + p[pitch] + p[-pitch]) / 4;
    double each[SLOPES_EACH] = {(double)p[1] - p[-1], (double)p[pitch] - p[-pitch], mean,
                                2 * (double)p[0] - mean};
    return each[i / n];
}

/* Returns result I of rung 4. */
static inline double rotated_on_cpu(const struct job *job, int i)
{
    double dx = i % job->width + 0.5 - job->width / 2.0,
           dy = i / job->width + 0.5 - job->height / 2.0;
    double u = job->cosine * dx - job->sine * dy + job->width / 2.0 - 0.5;
    double v = job->sine * dx + job->cosine * dy + job->height / 2.0 - 0.5;
    int left = (int)floor(u), top = (int)floor(v);
    double right = u - left, below = v - top;
    return (1 - below) *
               ((1 - right) * pixel_of(job, left, top) + right * pixel_of(job, left + 1, top)) +
           below * ((1 - right) * pixel_of(job, left, top + 1) +
                    right * pixel_of(job, left + 1, top + 1));
}

static inline double result_on_cpu(const struct job *job, int i)
{
    double sum = 0;
    int n = job->width * job->height;
    if (job->rung == CURVE)
        return job->curve[job->pixels[i]];
    if (job->rung == SLOPES)
        return slope_on_cpu(job, i);
    if (job->rung == ROTATE)
        return rotated_on_cpu(job, i);
    for (int k = 0; k < TAPS && job->rung == FILTER; ++k)
        sum += (double)job->weights[i / n * TAPS + k] * job->data[i % n + k];
    for (int k = 0; k < 3 * MASK && job->rung == DEVELOP; ++k)
        sum += job->mask[k] *
               pixel_of(job, i % job->width + k % MASK - MASK / 2, i / job->width + k / MASK - 1);
    return job->rung == FILTER ? sum : job->curve[(int)sum / MASK_SUM];
}

/* Returns the number of wrong results. In rung 4, errors up to 2 are allowed, because the weights
 * with which a texture computes means have only 8 bits. */
static inline int wrong_results(const struct job *job, const float *result)
{
    int wrong = 0;
    for (int i = 0; i < results_of(job); ++i)
        wrong += !(fabs(result[i] - result_on_cpu(job, i)) <= (job->rung == ROTATE ? 2 : 0));
    return wrong;
}

#endif
