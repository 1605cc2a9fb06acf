/* Tests private folders: folders of dead processes are removed, and all others stay. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"

static char folder[] = "/tmp/lanewise-test-XXXXXX";

static void enter(void)
{
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    setenv("TMPDIR", folder, 1);
}

static void leave(void)
{
    base_remove_tree(folder);
}

TestSuite(files, .init = enter, .fini = leave, .timeout = 60);

/* Starts a process that makes a private folder with a file in it, and waits to be killed. */
static pid_t start_owner(char path[PATH_SIZE])
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char own[PATH_SIZE], file[PATH_SIZE + 8];
        bool made = base_private_folder(own);
        snprintf(file, sizeof file, "%s/file", own);
        made = made && base_write_file(file, "x", 1, 0600);
        if (made && write(ends[1], own, sizeof own) == sizeof own)
            pause();
        _exit(1);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t more = 1; got < PATH_SIZE && more > 0; got += (size_t)(more > 0 ? more : 0))
        more = read(ends[0], path + got, PATH_SIZE - got);
    close(ends[0]);
    cr_assert_eq(got, PATH_SIZE);
    return pid;
}

static void end_owner(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static bool is_there(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

Test(files, folders_of_dead_processes_are_swept)
{
    char dead[PATH_SIZE], living[PATH_SIZE], own[PATH_SIZE], again[PATH_SIZE];
    pid_t first = start_owner(dead), second = start_owner(living);
    end_owner(first);
    cr_expect(is_there(dead));
    cr_expect_eq(mkdir("lanewise-work", 0700), 0);
    cr_expect_eq(mkdir("kept", 0700), 0);
    cr_expect(base_write_file("kept/file", "x", 1, 0600));
    cr_expect_eq(symlink("kept", "lanewise-work-abcdef"), 0);
    cr_expect(base_write_file("lanewise-work-ABCDEF", "x", 1, 0600));
    cr_expect_eq(mkdir("lanewise-work-others", 0700), 0);
    cr_expect(base_write_file("lanewise-work-others/file", "x", 1, 0600));
    /* This state remains if root's grading died while its sandbox owned the folder. Only root can
     * make it. */
    if (chown("lanewise-work-others", 65534, 65534) == 0)
        cr_expect_eq(chmod(".", 01777), 0);
    cr_assert(base_private_folder(own));
    cr_expect(!is_there(dead), "a dead process's folder");
    cr_expect(is_there(living), "a living process's folder");
    cr_expect(is_there("lanewise-work"), "another name");
    cr_expect(is_there("lanewise-work-abcdef") && is_there("kept/file"), "a link");
    cr_expect(is_there("lanewise-work-ABCDEF"), "a file");
    cr_expect(!is_there("lanewise-work-others"), "a dead process's folder, owned by its sandbox");
    end_owner(second);
    cr_assert(base_private_folder(again));
    cr_expect(is_there(own), "this process's own folder");
    base_remove_tree(own);
    base_remove_tree(again);
    cr_expect(!is_there(own) && !is_there(again));
}

/* A folder is in use as long as a process lives that its owner has forked. */
Test(files, folders_of_forked_processes_are_not_swept)
{
    char own[PATH_SIZE], next[PATH_SIZE];
    pid_t owner = fork();
    if (owner == 0) {
        bool made = base_private_folder(own);
        pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        FILE *file = fopen("child", "w");
        if (made && file)
            fprintf(file, "%d %s", child, own);
        fclose(file);
        _exit(0);
    }
    waitpid(owner, NULL, 0);
    int child = 0;
    FILE *file = fopen("child", "r");
    cr_assert(file && fscanf(file, "%d %4095s", &child, own) == 2);
    fclose(file);
    cr_assert(base_private_folder(next));
    cr_expect(is_there(own));
    kill(child, SIGKILL);
    base_remove_tree(next);
}

Test(files, many_folders_do_not_use_up_descriptors)
{
    char path[PATH_SIZE];
    for (int i = 0; i < 2000; ++i) {
        cr_assert(base_private_folder(path), "%d", i);
        base_remove_tree(path);
        cr_assert(!is_there(path));
    }
}
