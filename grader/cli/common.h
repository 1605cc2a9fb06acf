/* Declares functions that several commands share: messages, device, seed, sandbox, key, lab and
 * course. */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <stdint.h>
#include <stdio.h>

#include "course/course.h"
#include "course/lab.h"
#include "grade/grade.h"
#include "grade/seal.h"

/* The exit codes of commands that grade. */
enum { EXIT_FULL = 0, EXIT_NOT_YET = 1, EXIT_USAGE = 2, EXIT_GRADER = 3 };

/* Prints "lanewise COMMAND: ..." as one line on stderr. Returns CODE. Names in the message may
 * contain any byte. */
int cli_complain(const char *command, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints one line on TO. */
void cli_say(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* If one of the functions below returns false, it has printed the reason. */

/* Sets *DEVICE to the device that TEXT names: "auto" (or NULL), "gpu" or "emulator". NAME (SIZE
 * bytes) gets the name of the GPU, if *DEVICE is one. */
bool cli_choose_device(const char *command, const char *text, enum grading_device *device,
                       char *name, size_t size);

/* Sets the seed to that in TEXT, or to a random seed if TEXT is NULL. */
bool cli_choose_seed(const char *command, const char *text, struct grade_seed *seed);

/* Warns if this machine has only a weak sandbox (sandbox/sandbox.h). Returns false if it has no
 * sandbox, and UNSAFE is false. */
bool cli_check_sandbox(const char *command, bool unsafe);

/* The files that a command will write, and the files that the command reads. Unused entries are
 * NULL. */
enum { CLI_FILES = 3 };
struct cli_files {
    const char *outputs[CLI_FILES], *inputs[CLI_FILES];
};

/* Removes the outputs of an earlier run, so that nobody takes them for outputs of this run if this
 * run fails. Returns false if one of them cannot be written, or would overwrite an input or a
 * source. */
bool cli_clear_outputs(const char *command, const struct cli_files *files);

/* Does the same as cli_clear_outputs(), but prints nothing, because a mistake on the command line
 * has already been reported. Returns CODE. */
int cli_clear_after_mistake(int code, const struct cli_files *files);

/* Reads the key in the file PATH. If PATH is NULL, reads the file $LANEWISE_KEY, if that variable
 * is set. *HAS_KEY says whether the user named a file. Returns false if the key cannot be read. */
bool cli_read_key(const char *command, const char *path, struct seal_key *key, bool *has_key);

/* Returns the exit code for a grading of LAB that ended with END. Prints ERROR if the grading
 * failed. */
int cli_complain_end(const char *command, enum grade_end end, const char *lab, const char *error);

/* Makes SIGINT, SIGTERM and SIGHUP end running gradings, but not this process, which then cleans
 * up. */
void cli_catch_signals(void);

/* Opens the lab that WORD names: "02-coalesce", "coalesce", "coal" or "2". If WORD is NULL, asks
 * for --lab and returns false. */
bool cli_open_lab(const char *command, const char *word, struct lab *lab);

/* Reads the course file PATH. If PATH is NULL, all labs count with the points that their checks.c
 * files declare. */
bool cli_read_course(const char *path, struct course *course);

/* Returns how many gradings may run at the same time: one per core, and fewer on a GPU. */
unsigned cli_most_gradings(enum grading_device device);

/* Sets PAGE to the path of LAB's handout in the kit, if the student should read it first because
 * the student's file is still the skeleton. Otherwise returns false. */
bool cli_wants_handout(const struct lab *lab, char page[PATH_SIZE]);

#endif
