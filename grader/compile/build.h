/* Builds a submission with nvcc, for the emulator or for the GPU in this machine.
 *
 * The optimisation flags are the same for both, so the emulator counts what the GPU would execute.
 * For the emulator, nvcc stops at PTX and links our runtime library. For a GPU, it continues to
 * machine code and links NVIDIA's. If a source has been built before, its program comes from
 * build/cache/. The key in the cache is the SHA-256 of the source and of everything else that the
 * program depends on. */
#ifndef COMPILE_BUILD_H
#define COMPILE_BUILD_H

#include "base/files.h"
#include "sandbox/sandbox.h"

enum grading_device { ON_EMULATOR, ON_GPU };

/* Returns "emulator" or "gpu". */
const char *grading_device_name(enum grading_device device);

struct compile_job {
    const struct text *source; /* the submission's file */
    const char *file_name;     /* the file's name in the lab, such as "parallelize.cu" */
    /* the file's name in messages, such as "labs/01-parallelize/parallelize.cu" */
    const char *shown;
    enum grading_device device;
    const char *gpu_arch; /* for ON_GPU: the architecture, such as "sm_90" */
    /* compile with -G, which keeps the names of variables and disables optimisation */
    bool debug;
    /* leave the messages as they are, and do not cache the program */
    bool hasty;
    enum sandbox_level level; /* level of the compiler's sandbox */
    /* private folder for the source, the program and its runtime library */
    const char *folder;
};

enum compile_end {
    COMPILE_DONE,
    COMPILE_REJECTED, /* the compiler found errors (see `messages`) */
    COMPILE_TOO_LONG, /* the compiler used more CPU time than COMPILE_SECONDS */
    /* the compiler, a library or disk space is missing; there is no grade, and `messages` is one
     * line */
    COMPILE_BROKEN,
    COMPILE_INTERRUPTED,
};

#define COMPILE_SECONDS 60
/* The CUDA release of the compiler that grading requires. grader/setup.sh has it, too. */
#define COMPILE_RELEASE "13."

struct compile_build {
    enum compile_end end;
    char *messages;          /* from compile_messages(): errors or, after success, warnings */
    char program[PATH_SIZE]; /* the executable, if it was built */
    double seconds;
    bool cached; /* the program came from the cache, so nvcc did not run */
};

/* Fills BUILD; the caller frees it with compile_build_free. */
void compile_build(const struct compile_job *job, struct compile_build *build);
void compile_build_free(struct compile_build *build);

/* Returns the path of nvcc: $NVCC, or the compiler found by the set-up. */
const char *compile_compiler(void);
/* Adds to HASH the names and contents of the headers that submissions may include. */
void compile_add_headers(struct base_hash *hash);

#endif
