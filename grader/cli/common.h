/* What several commands need: one line of complaint, the device, signals, the lab that a word means. */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <stdint.h>

#include "course/course.h"
#include "course/lab.h"
#include "grade/grade.h"
#include "grade/seal.h"

/* Exit codes of the commands that grade. */
enum { EXIT_FULL = 0, EXIT_NOT_YET = 1, EXIT_USAGE = 2, EXIT_GRADER = 3 };

/* Writes "lanewise COMMAND: ..." as one line on stderr; returns CODE. */
int cli_complain(const char *command, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The device that TEXT ("auto", "gpu", "emulator"; NULL is auto) means; NAME (SIZE bytes) gets the
 * GPU's. False: the complaint was made. */
bool cli_choose_device(const char *command, const char *text, enum grading_device *device,
                       char *name, size_t size);

/* The seed that TEXT is, or, if that is NULL, a random one of more bits than a submission can try, as it
 * knows how inputs are made of seeds. False: the complaint was made. */
bool cli_choose_seed(const char *command, const char *text, uint64_t *seed);

/* Finds the level of the sandbox (sandbox/sandbox.h) and says so loudly if it is a weak one. False: there is
 * none, and it was not said to be UNSAFE; the complaint was made. */
bool cli_check_sandbox(const char *command, bool unsafe);

/* Reads the key in file PATH, or, if that is NULL, in the one that $LANEWISE_KEY names. *HAS_KEY: there is
 * one. False: it is no good; the complaint was made. */
bool cli_read_key(const char *command, const char *path, struct seal_key *key, bool *has_key);

/* What a grading of LAB that ended so means for the command: 0, or, once the complaint was made, its exit
 * code. */
int cli_complain_end(const char *command, enum grade_end end, const char *lab, const char *error);

/* Ctrl-C and its like end what is running, and then all is tidied up as always. */
void cli_catch_signals(void);

/* Opens the lab that WORD means: "02-coalesce", "coalesce", "coal", "2". False: the complaint was
 * made. */
bool cli_open_lab(const char *command, const char *word, struct lab *lab);

/* Reads the course file PATH; NULL: without one, all labs count as they are declared. False: the
 * complaints, a line each, were made. */
bool cli_read_course(const char *path, struct course *course);

#endif
