#include "cli/student.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common.h"

int cli_read_student(struct cli_student *student, int argc, char **argv)
{
    const struct option table[] = {
        {"help", no_argument, NULL, 'h'},
        {"lab", required_argument, NULL, 'l'},
        {student->flag ? student->flag : "", no_argument, NULL, 'f'},
        {student->option ? student->option : "", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0}};
    const char *lab = NULL;
    int option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", table, NULL)) != -1) {
        switch (option) {
        case 'h':
            fputs(student->usage, stdout);
            return EXIT_FULL;
        case 'l':
            lab = optarg;
            break;
        case 'f':
            student->flagged = true;
            break;
        case 'o':
            student->value = optarg;
            break;
        default:
            return cli_complain(student->command, EXIT_USAGE, "what is \"%s\"? --help explains",
                                argv[optind - 1]);
        }
    }
    if (optind < argc)
        return cli_complain(student->command, EXIT_USAGE, "what is \"%s\"? --help explains",
                            argv[optind]);
    if (!lab) {
        char labs[PATH_SIZE];
        labs_text(labs, sizeof labs);
        return cli_complain(student->command, EXIT_USAGE,
                            "which lab? Add --lab NAME (with make: LAB=NAME), one of %s", labs);
    }
    return cli_open_lab(student->command, lab, &student->lab) ? -1 : EXIT_USAGE;
}
