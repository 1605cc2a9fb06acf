/* Runs a program on the emulator, for the commands that look at what its kernels did.
 *
 *   lanewise --environment--> program + our libcudart.so.13 --record file--> a document
 *
 * The program keeps its own input and output: what it prints is as on a GPU. */
#ifndef CLI_EXECUTE_H
#define CLI_EXECUTE_H

#include <jansson.h>
#include <stdbool.h>

/* Runs PROGRAM, whose words are ARGV, with what the environment tells the runtime library besides. *STATUS
 * is waitpid's; *RECORD, the caller's, what record_read() made of it. False: there is none, and it
 * was said why, as `lanewise COMMAND` says it. */
bool cli_execute(const char *command, const char *program, char **argv, int *status,
                 json_t **record);

/* The exit code that a shell would give a program that ended with STATUS. */
int cli_exit_code(int status);

#endif
