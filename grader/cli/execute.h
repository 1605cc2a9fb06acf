/* Runs a program on the emulator, for commands that report on its kernels.
 *
 *   lanewise --environment--> program + our libcudart.so.13 --record file--> a JSON document
 *
 * The program inherits lanewise's standard input and standard output. */
#ifndef CLI_EXECUTE_H
#define CLI_EXECUTE_H

#include <jansson.h>
#include <stdbool.h>

/* The tools that are active by default, and the limit of their work. Racecheck and initcheck stop
 * at this limit (struct emu_options). They reach it in less than 1 s on a server, and in less than
 * 2 s on a slow laptop. */
#define CLI_ALL_TOOLS    "racecheck,initcheck"
#define CLI_WATCH_BUDGET "8000000"

/* Passes an option to the runtime library in the environment. VALUE is NULL if the user did not
 * give the option. */
bool cli_pass(const char *variable, const char *value);

/* Runs PROGRAM with ARGV. Environment variables configure the runtime library. *STATUS gets the
 * status from waitpid(); *RECORD gets the document of record_take(), which the caller owns. If
 * there is no record, prints the reason as `lanewise COMMAND: ...` and returns false. */
bool cli_execute(const char *command, const char *program, char **argv, int *status,
                 json_t **record);

/* Returns the exit code that a shell reports for STATUS. */
int cli_exit_code(int status);

#endif
