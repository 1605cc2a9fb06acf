/* Builds a submission with nvcc, for the emulator or for the GPU in this machine.
 *
 * Both devices get the same optimisation flags, so the emulator counts the program that the GPU
 * would run. For the emulator nvcc stops at PTX and links our runtime library; for a GPU it
 * continues to machine code and links NVIDIA's. If a source was built before, its program comes
 * from build/cache/. The key of the cache is the SHA-256 of the source and of everything else that
 * the program depends on. */
#ifndef COMPILE_BUILD_H
#define COMPILE_BUILD_H

#include "base/files.h"
#include "sandbox/sandbox.h"

enum grading_device { ON_EMULATOR, ON_GPU };

/* Returns "emulator" or "gpu". */
const char *grading_device_name(enum grading_device device);

struct compile_job {
    const struct text *source; /* the submission's file */
    const char *file_name;     /* the file's name in the lab, "parallelize.cu" */
    /* the file's name in messages, "labs/01-parallelize/parallelize.cu" */
    const char *shown;
    enum grading_device device;
    const char *gpu_arch; /* for ON_GPU, such as "sm_90" */
    /* compile with -G, which keeps names of variables and disables optimisation */
    bool debug;
    /* do not optimise main(), leave the messages as they are, and do not cache the program */
    bool hasty;
    enum sandbox_level level; /* the level of protection of the compiler's sandbox */
    /* private folder for the source, the program and the program's libcudart */
    const char *folder;
};

enum compile_end {
    COMPILE_DONE,
    COMPILE_REJECTED, /* the compiler found errors (see `messages`) */
    COMPILE_TOO_LONG, /* the compiler took more than COMPILE_SECONDS of CPU time */
    /* the compiler, a library or disk space is missing; there is no grade, and `messages` is one
     * line */
    COMPILE_BROKEN,
    COMPILE_INTERRUPTED,
};

#define COMPILE_SECONDS 60
/* The CUDA release of the compilers that grading accepts. It is also in grader/setup.sh. */
#define COMPILE_RELEASE "13."

struct compile_build {
    enum compile_end end;
    char *messages;          /* from compile_messages(): errors, or warnings after success */
    char program[PATH_SIZE]; /* the executable, if it was built */
    double seconds;
    bool cached; /* the program came from the cache; nvcc did not run */
};

/* Fills BUILD; the caller frees it with compile_build_free. */
void compile_build(const struct compile_job *job, struct compile_build *build);
void compile_build_free(struct compile_build *build);

/* Returns the path of nvcc: $NVCC, or the compiler that the set-up found. */
const char *compile_compiler(void);
/* Adds to HASH the names and contents of the headers that submissions may include. */
void compile_add_headers(struct base_hash *hash);

#endif
