/* A command declares its options in one table. This module uses the table to read the command line
 * and to print --help. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

enum cli_option_kind {
    CLI_KIND_FLAG,   /* for a bool, which is set to true */
    CLI_KIND_TEXT,   /* for a const char *: the value as typed */
    CLI_KIND_WHOLE,  /* for a const char *: a whole number in digits, from LEAST to MOST */
    CLI_KIND_NUMBER, /* for a const char *: a number from LEAST to MOST */
};

struct cli_option {
    const char *name;     /* "seed" for --seed */
    const char *argument; /* the value's name in --help, such as "N", or NULL for a flag */
    enum cli_option_kind kind;
    size_t destination; /* offset of the member in the command's struct options */
    /* the option's text in --help, or NULL if it is not shown; '\n' starts another line */
    const char *help;
    unsigned long long least, most;
    char letter; /* the short form, such as 'o' for -o, or 0 if there is none */
};

/* A row of a table, for a command that stores its options in its own `struct options`. */
#define CLI_ROW(member_, name_, argument_, kind_, help_, ...)                                      \
    {                                                                                              \
        .name = (name_), .argument = (argument_), .kind = (kind_), .help = (help_),                \
        .destination = offsetof(struct options, member_), __VA_ARGS__                              \
    }
#define CLI_FLAG(member, name, help)           CLI_ROW(member, name, NULL, CLI_KIND_FLAG, help)
#define CLI_TEXT(member, name, argument, help) CLI_ROW(member, name, argument, CLI_KIND_TEXT, help)
#define CLI_WHOLE(member, name, argument, least_, most_, help)                                     \
    CLI_ROW(member, name, argument, CLI_KIND_WHOLE, help, .least = (least_), .most = (most_))
#define CLI_NUMBER(member, name, argument, least_, most_, help)                                    \
    CLI_ROW(member, name, argument, CLI_KIND_NUMBER, help, .least = (least_), .most = (most_))
#define CLI_END                                                                                    \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* For cli_syntax.words: the first word that is not an option names a program, and the words after
 * it are the program's arguments. */
enum { CLI_PROGRAM = -1 };

struct cli_syntax {
    const char *command; /* the command's name, "grade" */
    const char *usage;   /* the text of --help before the options */
    /* the table of options, which ends with CLI_END; NULL if --help is the only option */
    const struct cli_option *options;
    /* the text of --help after the options, or NULL if there is none */
    const char *end;
    int words; /* maximum number of words that are not options, or CLI_PROGRAM */
    /* the advice in the message about a surplus word: "key takes one file name" */
    const char *word_advice;
};

/* Help texts that several commands share. */
#define CLI_HELP_LAB    "the lab, such as 01-parallelize"
#define CLI_HELP_DEVICE "emulator, gpu, or auto (the default: a GPU if there is one)"
#define CLI_HELP_SEED   "the seed for the random inputs (default: a random seed)"
#define CLI_HELP_UNSAFE "grade without a sandbox if there is none: only for code you trust"
#define CLI_HELP_KEY    "sign with this key (default: the file that $LANEWISE_KEY names)"
#define CLI_HELP_FILE   "the student's file or its folder (default: your own copy)"

/* Reads ARGV with getopt_long() into the struct at VALUES; argv[optind] is then the first word that
 * is not an option. Returns -1 if the command should continue. Otherwise returns the exit code,
 * after printing --help or a complaint of one line. After a complaint, the struct contains the
 * values that could be read. */
int cli_read_options(const struct cli_syntax *syntax, int argc, char **argv, void *values);

/* Writes the output of --help. */
void cli_print_help(const struct cli_syntax *syntax, FILE *to);

#endif
