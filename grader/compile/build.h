/* Builds a submission with nvcc, for the emulator or for the GPU in this machine.
 *
 * Both devices get the same optimisation flags, so that what the emulator counts is the program that
 * the GPU would run. For the emulator nvcc stops at PTX and links our runtime library; for a GPU it
 * goes on to machine code and links NVIDIA's. A source that was built before comes out of
 * build/cache/, by its SHA-256 together with all that its program depends on. */
#ifndef COMPILE_BUILD_H
#define COMPILE_BUILD_H

#include "base/files.h"
#include "sandbox/sandbox.h"

enum run_device { RUN_EMULATOR, RUN_GPU };

/* "emulator" or "gpu". */
const char *run_device_name(enum run_device device);

struct run_build_job {
    const struct run_text *source; /* the submission's file */
    const char *file_name;         /* as the lab calls it, "parallelize.cu" */
    const char *shown;             /* as messages call it, "labs/01-parallelize/parallelize.cu" */
    enum run_device device;
    const char *gpu_arch; /* for RUN_GPU: "sm_90" */
    enum run_level level; /* of the sandbox that the compiler works in */
    const char *folder;   /* a private folder: source, program and its libcudart are left there */
};

enum run_build_end {
    RUN_BUILT,
    RUN_REJECTED,       /* the compiler says no: messages say why */
    RUN_BUILD_TOO_LONG, /* the compiler did not end in RUN_BUILD_SECONDS */
    RUN_BUILD_BROKEN,   /* no compiler, no library, no disk: messages is one line. Nobody's mark */
    RUN_BUILD_INTERRUPTED,
};

#define RUN_BUILD_SECONDS 60
/* Of CUDA: its compilers build what is graded (grader/setup.sh has it, too). */
#define RUN_BUILD_RELEASE "13."

struct run_build {
    enum run_build_end end;
    char
        *messages; /* the compiler's, as run_compiler_text returns them; warnings if it was built */
    char program[RUN_PATH_SIZE]; /* the executable, if it was built */
    double seconds;
    bool cached; /* nvcc was not needed */
};

/* Fills BUILD; the caller frees it with run_build_free. */
void run_build(const struct run_build_job *job, struct run_build *build);
void run_build_free(struct run_build *build);

/* The path of nvcc: $NVCC, or the one that was set up. */
const char *run_build_compiler(void);
/* Adds the names and bytes of the headers that submissions may include to HASH. */
void run_build_add_headers(struct run_hash *hash);

#endif
