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

/* The functions below that return bool print the reason before they return false. */

/* Sets *DEVICE to the device that TEXT names: "auto" (or NULL), "gpu" or "emulator". If *DEVICE is
 * a GPU, NAME (SIZE bytes) gets the GPU's name. */
bool cli_choose_device(const char *command, const char *text, enum grading_device *device,
                       char *name, size_t size);

/* Sets the seed to the number in TEXT, or to a random number if TEXT is NULL. */
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

/* Removes the output files of an earlier execution, so that nobody takes them for the output of
 * this one if it fails. Returns false if one of them cannot be written, or if an input or a source
 * would be overwritten. */
bool cli_clear_outputs(const char *command, const struct cli_files *files);

/* Does the same as cli_clear_outputs(), but prints nothing. This is for use after a mistake on the
 * command line, which has already been reported. Returns CODE. */
int cli_clear_after_mistake(int code, const struct cli_files *files);

/* Reads the key in the file PATH. If PATH is NULL, uses the file that $LANEWISE_KEY names, if any.
 * *HAS_KEY becomes true if one of the two is given. Returns false if the key cannot be read. */
bool cli_read_key(const char *command, const char *path, struct seal_key *key, bool *has_key);

/* Returns the exit code for a grading of LAB that ended with END. If there is no grade, prints
 * ERROR. */
int cli_complain_end(const char *command, enum grade_end end, const char *lab, const char *error);

/* After this call, SIGINT, SIGTERM and SIGHUP end running gradings. They do not end this process,
 * which then cleans up. */
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
