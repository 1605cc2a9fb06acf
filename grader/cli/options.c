/* Reads options with getopt_long(). Converts the table of options to the array of struct option
 * that getopt_long() takes. For an unknown option, suggests the most similar name in the table. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/common.h"

#define MAX_OPTIONS 32
#define MAX_WORD    32
/* getopt_long() returns FIRST plus the option's index, or the letter of its short form, which is
 * smaller */
#define FIRST         256

#define complain(...) cli_complain(syntax->command, EXIT_USAGE, __VA_ARGS__)

/* --- help ------------------------------------------------------------------------------------- */

/* Writes the option's names and argument: "-o, --output FILE". Returns the length. */
static int name_option(const struct cli_option *option, char *text, size_t size)
{
    const char letter[] = {'-', option->letter, ',', ' ', 0};
    return snprintf(text, size, "%s--%s%s%s", option->letter ? letter : "", option->name,
                    option->argument ? " " : "", option->argument ? option->argument : "");
}

void cli_print_help(const struct cli_syntax *syntax, FILE *to)
{
    char name[100];
    int width = 0;
    const struct cli_option *option = syntax->options;
    for (; option && option->name; ++option) {
        int length = name_option(option, name, sizeof name);
        width = option->help && length > width ? length : width;
    }
    fputs(syntax->usage, to);
    if (width > 0)
        fputc('\n', to);
    for (option = syntax->options; option && option->name; ++option) {
        name_option(option, name, sizeof name);
        for (const char *line = option->help; line; name[0] = 0) {
            size_t length = strcspn(line, "\n");
            fprintf(to, "  %-*s  %.*s\n", width, name, (int)length, line);
            line = line[length] ? line + length + 1 : NULL;
        }
    }
    if (syntax->end)
        fprintf(to, "\n%s", syntax->end);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The arguments for getopt_long(). */
struct table {
    struct option known[MAX_OPTIONS + 2];
    const char *names[MAX_OPTIONS];
    char letters[2 * MAX_OPTIONS + 4];
    int count;
};

static void make_table(const struct cli_syntax *syntax, struct table *table)
{
    char *letter = table->letters;
    const struct cli_option *option = syntax->options;
    letter += sprintf(letter, "%s:h", syntax->words == CLI_PROGRAM ? "+" : "");
    for (; option && option->name && table->count < MAX_OPTIONS; ++option, ++table->count) {
        table->names[table->count] = option->name;
        table->known[table->count] =
            (struct option){option->name, option->argument ? required_argument : no_argument, NULL,
                            FIRST + table->count};
        if (option->letter)
            letter += sprintf(letter, "%c%s", option->letter, option->argument ? ":" : "");
    }
    table->known[table->count] = (struct option){"help", no_argument, NULL, 'h'};
}

/* Returns the option for NUMBER, the result of getopt_long(). */
static const struct cli_option *find_option(const struct cli_syntax *syntax, int number)
{
    const struct cli_option *option = syntax->options;
    if (number >= FIRST)
        return &option[number - FIRST];
    while (option->letter != number)
        ++option;
    return option;
}

/* Returns the word on the command line that getopt_long() could not read. */
static const char *unread_word(char **argv)
{
    const char *word = argv[optind - 1];
    bool more_letters = optopt && optopt < FIRST && word[strlen(word) - 1] != optopt;
    return more_letters && argv[optind] ? argv[optind] : word;
}

static int complain_of_unknown(const struct cli_syntax *syntax, const struct table *table,
                               const char *word)
{
    char name[MAX_WORD + 1] = "";
    size_t dashes = strspn(word, "-"), length = strcspn(word + dashes, "="), matches = 0;
    const char *matching[2] = {NULL, NULL};
    snprintf(name, sizeof name, "%.*s", (int)length, word + dashes);
    for (int i = 0; i < table->count; ++i)
        if (strncmp(table->names[i], name, strlen(name)) == 0 && matches < 2)
            matching[matches++] = table->names[i];
    if (dashes == 2 && matches == 2)
        return complain("%s is ambiguous: it could be --%s or --%s", word, matching[0],
                        matching[1]);
    const char *meant = base_nearest(name, table->names, (size_t)table->count);
    if (meant)
        return complain("unknown option %.*s; did you mean --%s?", (int)(dashes + length), word,
                        meant);
    return complain("unknown option %.*s; --help lists all options", (int)(dashes + length), word);
}

static bool is_in_range(const struct cli_option *option, const char *text)
{
    char *end;
    errno = 0;
    if (option->kind == CLI_KIND_WHOLE) {
        unsigned long long number = strtoull(text, &end, 10);
        return isdigit((unsigned char)*text) && !*end && !errno && number >= option->least &&
               number <= option->most;
    }
    double number = strtod(text, &end);
    return end != text && !*end && number >= (double)option->least &&
           number <= (double)option->most;
}

static int complain_of_number(const struct cli_syntax *syntax, const struct cli_option *option)
{
    char range[80] = "";
    if (option->most < UINT_MAX - 1)
        snprintf(range, sizeof range, " from %llu to %llu", option->least, option->most);
    else if (option->least > 0)
        snprintf(range, sizeof range, " from %llu", option->least);
    return complain("--%s must be a %snumber%s, not \"%s\"", option->name,
                    option->kind == CLI_KIND_WHOLE ? "whole " : "", range, optarg);
}

static void keep(const struct cli_option *option, void *values)
{
    char *at = (char *)values + option->destination;
    if (option->kind == CLI_KIND_FLAG)
        *(bool *)at = true;
    else
        *(const char **)at = optarg;
}

/* Reports the mistake that getopt_long() has returned as FOUND. OPTION is NULL if the option is
 * unknown. */
static int complain_of(const struct cli_syntax *syntax, const struct table *table, int found,
                       const struct cli_option *option, char **argv)
{
    if (!option)
        return complain_of_unknown(syntax, table, unread_word(argv));
    if (found == '?')
        return complain("--%s takes no value", option->name);
    if (found == ':')
        return complain("--%s needs a value: --%s %s", option->name, option->name,
                        option->argument);
    return complain_of_number(syntax, option);
}

/* Reads all options, even after a mistake, because the caller removes the old outputs that they
 * name. Returns the exit code, or -1 if the command should continue. */
static int read_all(const struct cli_syntax *syntax, const struct table *table, int argc,
                    char **argv, void *values)
{
    int code = -1;
    opterr = 0;
    optind = 0; /* tell getopt_long() that ARGV is new */
    for (int found; (found = getopt_long(argc, argv, table->letters, table->known, NULL)) != -1;) {
        if (found == 'h' && code < 0) {
            cli_print_help(syntax, stdout);
            return EXIT_FULL;
        }
        bool read = found != '?' && found != ':' && found != 'h';
        bool known = read || found == ':' || (found == '?' && optopt >= FIRST);
        const struct cli_option *option = known ? find_option(syntax, read ? found : optopt) : NULL;
        if (read && (option->kind < CLI_KIND_WHOLE || is_in_range(option, optarg)))
            keep(option, values);
        else if (code < 0)
            code = complain_of(syntax, table, found, option, argv);
    }
    return code;
}

int cli_read_options(const struct cli_syntax *syntax, int argc, char **argv, void *values)
{
    struct table table = {0};
    make_table(syntax, &table);
    int code = read_all(syntax, &table, argc, argv, values);
    if (code >= 0 || syntax->words == CLI_PROGRAM || argc - optind <= syntax->words)
        return code;
    return complain("unexpected \"%s\": %s", argv[optind + syntax->words], syntax->word_advice);
}
