/* Runs a program on the emulator, for commands that report what its kernels did.
 *
 *   lanewise --environment--> program + our libcudart.so.13 --record file--> a document
 *
 * The program has its normal input and output. */
#ifndef CLI_EXECUTE_H
#define CLI_EXECUTE_H

#include <jansson.h>
#include <stdbool.h>

/* Runs PROGRAM with ARGV. Environment variables configure the runtime library. *STATUS is
 * waitpid's; *RECORD is from record_read(), and the caller owns it. False: there is no record, and
 * `lanewise COMMAND: ...` said why. */
bool cli_execute(const char *command, const char *program, char **argv, int *status,
                 json_t **record);

/* The exit code that a shell reports for STATUS. */
int cli_exit_code(int status);

#endif
