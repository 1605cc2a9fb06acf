/* A child's answer comes back in an unnamed temporary file, which both have open. */
#include "run/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    pid_t pid; /* 0: none */
    size_t index;
    FILE *answer;
};

static void start(struct child *child, size_t index, json_t *(*work)(size_t, void *), void *context)
{
    *child = (struct child){.index = index, .answer = tmpfile()};
    fflush(NULL); /* or the child would write it again */
    if (child->answer)
        child->pid = fork();
    if (child->answer && child->pid == 0) {
        json_t *answer = work(index, context);
        int failed = !answer || json_dumpf(answer, child->answer, JSON_ENCODE_ANY) != 0 ||
                     fflush(child->answer) != 0;
        _exit(failed);
    }
}

static json_t *finish(struct child *child, int status)
{
    json_t *answer = NULL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        rewind(child->answer);
        answer = json_loadf(child->answer, JSON_DECODE_ANY, NULL);
    }
    fclose(child->answer);
    child->pid = 0;
    return answer;
}

/* Waits until a child ends and takes its answer. */
static struct child *wait_for_one(struct child *children, unsigned jobs, json_t **answers)
{
    for (;;) {
        int status;
        pid_t pid = wait(&status);
        if (pid < 0 && errno != EINTR)
            return NULL;
        for (unsigned i = 0; pid > 0 && i < jobs; ++i) {
            if (children[i].pid != pid)
                continue;
            answers[children[i].index] = finish(&children[i], status);
            return &children[i];
        }
    }
}

static struct child *find_free(struct child *children, unsigned jobs)
{
    for (unsigned i = 0; i < jobs; ++i)
        if (children[i].pid <= 0)
            return &children[i];
    return NULL;
}

void run_pool(size_t count, unsigned jobs, json_t *(*work)(size_t i, void *context), void *context,
              json_t **answers)
{
    struct child *children = calloc(jobs, sizeof *children);
    for (size_t i = 0; i < count; ++i)
        answers[i] = NULL;
    for (size_t i = 0; children && i < count; ++i) {
        struct child *child = find_free(children, jobs);
        if (!child && !(child = wait_for_one(children, jobs, answers)))
            break;
        start(child, i, work, context);
        if (child->pid <= 0 && child->answer)
            fclose(child->answer);
    }
    while (children && wait_for_one(children, jobs, answers))
        ;
    free(children);
}
