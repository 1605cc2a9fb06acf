/* Tests lanewise batch --slurm. Two shell scripts simulate Slurm: sbatch runs a job's tasks
 * immediately, unless a row says otherwise, and squeue reports how they ended. `make slurm-test`
 * uses a real Slurm. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/installed_gpu.h"
#include "tests/support/shell.h"

/* Makes a class of three submissions and grades it without Slurm. */
static void slurm_init(void)
{
    shell_init();
    free(shell_must(
        "mkdir -p class/a class/b class/c bin;"
        "lab=$(dirname \"$LANEWISE\")/..; while [ ! -d \"$lab/solutions\" ]; do lab=$lab/..; done;"
        "cp $lab/solutions/02-coalesce/coalesce.cu class/a;"
        "cp $lab/labs/02-coalesce/.skeleton.cu class/b/coalesce.cu; echo 'int x( {' "
        ">class/c/coalesce.cu;"
        "printf '#!/bin/sh\\necho squeue: warning: rain >&2; for job; do case $job in [0-9]*) cat "
        "states-$job;; esac; done\\n' "
        ">bin/squeue;"
        "cat >bin/sbatch <<'END'\n"
        "#!/bin/bash\n"
        "echo \"$@\" >>calls\n"
        "echo \"${TMPDIR-none}\" >folder\n" /* tasks must not have our TMPDIR */
        "while [[ $1 == -* ]]; do\n"
        "    case $1 in --array=*) last=${1#--array=0-} ;; --output=*) log=${1#--output=} ;; esac\n"
        "    shift\n"
        "done\n"
        "job=$(wc -l <calls)\n"
        "for i in $(seq 0 $last); do\n"
        "    name=${log//%%A/$job} state=COMPLETED chunk=$3/$i.json\n"
        "    . ./trouble\n"
        "    if [ $state = COMPLETED ]; then\n"
        "        SLURM_ARRAY_TASK_ID=$i sh \"$@\" >${name//%%a/$i} 2>&1 || state=FAILED\n"
        "    fi\n"
        "    echo $i $state >>states-$job\n"
        "done\n"
        "echo $job\n"
        "END\n"
        "chmod +x bin/*;"
        "$LANEWISE batch class --labs 2 --seed 1 --device emulator --out here"));
}

TestSuite(slurm, .init = slurm_init, .fini = shell_fini, .timeout = 300);

static const struct {
    const char *name;
    const char *trouble; /* shell commands that can make task $i of job $job fail */
    int code;
    const char *said;
    int jobs;        /* the expected number of jobs */
    bool same_grade; /* whether the gradebook must be the same as without Slurm */
} rows[] = {
    {"nothing goes wrong", ":", 0, "3 to grade", 1, true},
    {"Slurm warns", "echo 'sbatch: warning: 3 days of rain' >&2", 0, "", 1, true},
    {"sbatch says nothing", "exit 1", 2, "sbatch did not accept the job: it gave no reason\n", 1,
     false},
    {"a task runs out of time", "[ $job$i = 10 ] && state=TIMEOUT", 0, "", 2, true},
    {"a node with another grader, and one with this grader",
     "[ $i$job = 01 ] && sed -i 's/\"grader\": \"/&x/' $chunk", 0, "", 2, true},
    {"one submission always runs out of time",
     "grep -q $(sha256sum <class/a/coalesce.cu | cut -c -64) $chunk && state=TIMEOUT", 3,
     "ended without a grade: TIMEOUT", 3, false},
    {"no node can", "sed -i 's/\"grader\": \"/&x/' $chunk", 2,
     "ended without a grade: FAILED: lanewise batch: Lanewise or the compiler on this machine is",
     1, false},
    {"the job is not taken", "echo 'sbatch: error: invalid partition' >&2; exit 1", 2,
     "lanewise batch: sbatch did not accept the job: sbatch: error: invalid partition\n", 1, false},
};

Test(slurm, the_next_job_does_what_is_left)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int code;
        free(shell_must("rm -rf there calls states-*; cat >trouble <<'END'\n%s\nEND\n",
                        rows[i].trouble));
        char *output =
            shell(&code, "PATH=$PWD/bin:$PATH; $LANEWISE batch class --labs 2 --seed 1 --out there "
                         "--slurm --chunk-size 1");
        cr_expect_eq(code, rows[i].code, "%s: exit code %d: %s", rows[i].name, code, output);
        cr_expect(strstr(output, rows[i].said), "%s: %s", rows[i].name, output);
        free(output);
        output = shell(
            &code, "test $(wc -l <calls) = %d; echo $?; cmp here/gradebook.csv there/gradebook.csv",
            rows[i].jobs);
        cr_expect_eq(output[0], '0', "%s: not %d jobs", rows[i].name, rows[i].jobs);
        cr_expect_eq(code == 0, rows[i].same_grade, "%s: %s", rows[i].name, output);
        free(output);
    }
}

/* The batch is killed after the job has ended, but before its results are stored. */
Test(slurm, results_of_a_killed_run_are_collected)
{
    int code;
    /* sbatch's parent is its supervisor, whose parent is the grader */
    free(shell_must(
        "cat >trouble <<'END'\n[ $i = 2 ] && grader=$(cut -d ' ' -f 4 /proc/$PPID/stat) &&"
        " trap \"kill -9 $grader\" EXIT\nEND"));
    char *output =
        shell(&code, "PATH=$PWD/bin:$PATH; run='lanewise batch'; "
                     "$LANEWISE batch class --labs 2 --seed 1 --out there --slurm --chunk-size 1");
    cr_expect_eq(code, 128 + 9, "%s", output);
    free(output);
    free(shell_must("test ! -e there/gradebook.csv"));
    free(shell_must(
        "PATH=$PWD/bin:$PATH; $LANEWISE batch class --labs 2 --seed 1 --out there --slurm && "
        "cmp here/gradebook.csv there/gradebook.csv && test $(wc -l <calls) = 1 && "
        "test \"$(cat folder)\" = \"${TMPDIR-none}\" && "
        "test ! -e there/slurm"));
}

/* A batch waits for a job that an earlier batch has left running. */
Test(slurm, a_run_waits_for_a_running_job)
{
    free(shell_must(
        "mkdir -p there/slurm/answers; printf 7 >there/slurm/job; echo : >trouble;"
        "cat >bin/squeue <<'END'\n"
        "#!/bin/sh\n"
        "echo asked \"$@\" >>asked\n"
        "[ $(wc -l <asked) -ge 2 ] && echo 0 COMPLETED || echo 0 RUNNING\n"
        "END\n"
        "PATH=$PWD/bin:$PATH; $LANEWISE batch class --labs 2 --seed 1 --out there --slurm;"
        "cmp here/gradebook.csv there/gradebook.csv &&"
        "test $(grep -c -e '--jobs 7 ' asked) = 2 && test $(wc -l <calls) = 1"));
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"class --chunk-size 3", "--chunk-size, --gres and --slurm-options need --slurm"},
    {"class --slurm --chunk-size 0",
     "--chunk-size must be a whole number from 1 to 10000, not \"0\""},
    {"class --slurm --device gpu", "name the GPUs: add --gres gpu:1"},
    {"class --slurm --device tpu", "unknown device \"tpu\""},
    {"--chunk none.json", "none.json unable to open"},
    {"--chunk calls", "calls was not written by this version of Lanewise"},
};

Test(slurm, usage_errors_are_one_line)
{
    free(shell_must("echo '{}' >calls"));
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE batch %s", refusals[i].arguments);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s",
                  refusals[i].arguments, output);
        free(output);
    }
}

/* Nodes that share one installation use different GPU locks, because each node has its own GPUs. */
Test(slurm, each_machine_has_its_own_gpu_lock)
{
    installed_gpu_unlock(installed_gpu_lock(true));
    free(shell_must("test -e \"$(dirname \"$LANEWISE\")/gpu-turns-$(uname -n)\""));
}
