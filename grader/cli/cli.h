/* Declares the commands of build/lanewise. Each command is in its own file, cmd_NAME.c.
 *
 * argv[0] is the command's name. Each function returns the exit code of lanewise: 0 for success, 1
 * for less than full marks, 2 for wrong usage or environment, and 3 if the grader failed. Each
 * function reports a usage error as one line on stderr. */
#ifndef CLI_H
#define CLI_H

int cmd_grade(int argc, char **argv);
int cmd_batch(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_occupancy(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_step(int argc, char **argv);
int cmd_hint(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_reset(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_lab_check(int argc, char **argv);
int cmd_new_lab(int argc, char **argv);
int cmd_key(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_audit(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif
