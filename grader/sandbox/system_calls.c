/* Makes the seccomp filter. It refuses system calls that an honest compiler or program does not
 * need here, but with which a hostile program could attack the kernel, reach other processes, or
 * leave something behind.
 *
 * A refused call fails with EPERM, or with ENOSYS if the C library then tries another call. The
 * filter has a list of refused calls, not of allowed calls, because the calls that programs,
 * compilers and a GPU's driver need differ from system to system. Namespaces or Landlock limit what
 * the allowed calls can do. */
#include "sandbox/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Bits that say to which programs a rule applies. */
enum {
    ALWAYS = 0,   /* all programs */
    RUNNING = 1,  /* programs that may not start processes */
    EMULATED = 2, /* programs that see no GPU; a GPU's driver needs more calls */
    /* programs without a process namespace, which could address other processes by their ids */
    SAME_TABLE = 4,
    ALONE = 8, /* programs that may not create shared memory */
};

static const struct {
    int call;
    unsigned when;
    int error;
} refused[] = {
    /* calls that reach other processes */
    {SCMP_SYS(ptrace), ALWAYS, EPERM},
    {SCMP_SYS(process_vm_readv), ALWAYS, EPERM},
    {SCMP_SYS(process_vm_writev), ALWAYS, EPERM},
    {SCMP_SYS(process_madvise), ALWAYS, EPERM},
    {SCMP_SYS(kcmp), ALWAYS, EPERM},
    {SCMP_SYS(pidfd_getfd), ALWAYS, EPERM},
    {SCMP_SYS(pidfd_send_signal), ALWAYS, EPERM},
    {SCMP_SYS(migrate_pages), ALWAYS, EPERM},
    {SCMP_SYS(move_pages), ALWAYS, EPERM},
    {SCMP_SYS(tkill), SAME_TABLE, EPERM},
    {SCMP_SYS(rt_sigqueueinfo), SAME_TABLE, EPERM},
    {SCMP_SYS(rt_tgsigqueueinfo), SAME_TABLE, EPERM},
    /* calls that leave the process group; the grader kills programs by their group */
    {SCMP_SYS(setsid), ALWAYS, EPERM},
    {SCMP_SYS(setpgid), ALWAYS, EPERM},
    /* calls that start processes */
    {SCMP_SYS(fork), RUNNING, EPERM},
    {SCMP_SYS(vfork), RUNNING, EPERM},
    {SCMP_SYS(clone3), ALWAYS, ENOSYS}, /* its flags are in memory, which a filter cannot read */
    {SCMP_SYS(execveat), ALWAYS, EPERM},
    /* calls that change mounts and namespaces */
    {SCMP_SYS(mount), ALWAYS, EPERM},
    {SCMP_SYS(umount2), ALWAYS, EPERM},
    {SCMP_SYS(pivot_root), ALWAYS, EPERM},
    {SCMP_SYS(chroot), ALWAYS, EPERM},
    {SCMP_SYS(open_tree), ALWAYS, EPERM},
    {SCMP_SYS(move_mount), ALWAYS, EPERM},
    {SCMP_SYS(fsopen), ALWAYS, EPERM},
    {SCMP_SYS(fsconfig), ALWAYS, EPERM},
    {SCMP_SYS(fsmount), ALWAYS, EPERM},
    {SCMP_SYS(fspick), ALWAYS, EPERM},
    {SCMP_SYS(mount_setattr), ALWAYS, EPERM},
    {SCMP_SYS(unshare), ALWAYS, EPERM},
    {SCMP_SYS(setns), ALWAYS, EPERM},
    /* calls that open files without a path, or make special files */
    {SCMP_SYS(name_to_handle_at), ALWAYS, EPERM},
    {SCMP_SYS(open_by_handle_at), ALWAYS, EPERM},
    {SCMP_SYS(mknod), ALWAYS, EPERM},
    {SCMP_SYS(mknodat), ALWAYS, EPERM},
    {SCMP_SYS(memfd_create), RUNNING | EMULATED | ALONE, EPERM},
    {SCMP_SYS(memfd_secret), ALWAYS, EPERM},
    /* calls that create objects which outlive a process */
    {SCMP_SYS(shmget), ALWAYS, EPERM},
    {SCMP_SYS(msgget), ALWAYS, EPERM},
    {SCMP_SYS(semget), ALWAYS, EPERM},
    {SCMP_SYS(mq_open), ALWAYS, EPERM},
    {SCMP_SYS(add_key), ALWAYS, EPERM},
    {SCMP_SYS(request_key), ALWAYS, EPERM},
    {SCMP_SYS(keyctl), ALWAYS, EPERM},
    /* calls that configure the kernel, or that attacks on it use */
    {SCMP_SYS(io_uring_setup), ALWAYS, ENOSYS},
    {SCMP_SYS(io_uring_enter), ALWAYS, ENOSYS},
    {SCMP_SYS(io_uring_register), ALWAYS, ENOSYS},
    {SCMP_SYS(bpf), ALWAYS, EPERM},
    {SCMP_SYS(perf_event_open), ALWAYS, EPERM},
    {SCMP_SYS(userfaultfd), ALWAYS, EPERM},
    {SCMP_SYS(fanotify_init), ALWAYS, EPERM},
    {SCMP_SYS(init_module), ALWAYS, EPERM},
    {SCMP_SYS(finit_module), ALWAYS, EPERM},
    {SCMP_SYS(delete_module), ALWAYS, EPERM},
    {SCMP_SYS(kexec_load), ALWAYS, EPERM},
    {SCMP_SYS(kexec_file_load), ALWAYS, EPERM},
    {SCMP_SYS(reboot), ALWAYS, EPERM},
    {SCMP_SYS(swapon), ALWAYS, EPERM},
    {SCMP_SYS(swapoff), ALWAYS, EPERM},
    {SCMP_SYS(acct), ALWAYS, EPERM},
    {SCMP_SYS(quotactl), ALWAYS, EPERM},
    {SCMP_SYS(syslog), ALWAYS, EPERM},
    {SCMP_SYS(settimeofday), ALWAYS, EPERM},
    {SCMP_SYS(clock_settime), ALWAYS, EPERM},
    {SCMP_SYS(clock_adjtime), ALWAYS, EPERM},
    {SCMP_SYS(adjtimex), ALWAYS, EPERM},
    {SCMP_SYS(personality), ALWAYS, EPERM},
    {SCMP_SYS(iopl), ALWAYS, EPERM},
    {SCMP_SYS(ioperm), ALWAYS, EPERM},
    {SCMP_SYS(vhangup), ALWAYS, EPERM},
    {SCMP_SYS(socket), EMULATED, EPERM},
    {SCMP_SYS(socketpair), EMULATED, EPERM},
    /* calls that could pass messages through locks on files that others can open */
    {SCMP_SYS(flock), RUNNING | EMULATED, EPERM},
};

/* Calls that are refused if one argument has a certain value. The filter sees 64 bits of each
 * argument, even if the kernel uses only 32 of them. The masks ignore the upper half. Otherwise a
 * program could set bits there to hide a forbidden value. */
static const struct {
    int call;
    unsigned when;
    unsigned argument;
    enum scmp_compare compare;
    uint64_t mask, value; /* if the comparison has no mask, MASK is the value to compare with */
} refused_by_argument[] = {
    {SCMP_SYS(socket), ALWAYS, 0, SCMP_CMP_NE, AF_UNIX, 0},
    {SCMP_SYS(clone), RUNNING, 0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0},
    /* the thread that calls this would have state D, and so activity.c would take it for busy */
    {SCMP_SYS(clone), RUNNING, 0, SCMP_CMP_MASKED_EQ, CLONE_VFORK, CLONE_VFORK},
    {SCMP_SYS(clone), ALWAYS, 0, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER},
    {SCMP_SYS(clone), ALWAYS, 0, SCMP_CMP_MASKED_EQ, CLONE_NEWNS, CLONE_NEWNS},
    {SCMP_SYS(clone), ALWAYS, 0, SCMP_CMP_MASKED_EQ, CLONE_NEWPID, CLONE_NEWPID},
    {SCMP_SYS(clone), ALWAYS, 0, SCMP_CMP_MASKED_EQ, CLONE_NEWNET, CLONE_NEWNET},
    {SCMP_SYS(clone), ALWAYS, 0, SCMP_CMP_MASKED_EQ, CLONE_NEWIPC, CLONE_NEWIPC},
    {SCMP_SYS(clone), ALWAYS, 0, SCMP_CMP_MASKED_EQ, CLONE_NEWUTS, CLONE_NEWUTS},
    {SCMP_SYS(clone), ALWAYS, 0, SCMP_CMP_MASKED_EQ, CLONE_NEWCGROUP, CLONE_NEWCGROUP},
    /* these calls could let the process outlive the grader, or type into the grader's terminal */
    {SCMP_SYS(prctl), ALWAYS, 0, SCMP_CMP_MASKED_EQ, 0xffffffff, PR_SET_PDEATHSIG},
    {SCMP_SYS(ioctl), ALWAYS, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, 0x5412 /* TIOCSTI */},
    {SCMP_SYS(ioctl), ALWAYS, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, 0x541c /* TIOCLINUX */},
    /* this call would create memory that RLIMIT_DATA does not count */
    {SCMP_SYS(mmap), RUNNING | EMULATED, 3, SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS,
     MAP_SHARED | MAP_ANONYMOUS},
    {SCMP_SYS(mmap), RUNNING, 3, SCMP_CMP_MASKED_EQ, MAP_GROWSDOWN, MAP_GROWSDOWN},
    /* these calls could pass messages through locks on files */
    {SCMP_SYS(fcntl), RUNNING | EMULATED, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_GETLK},
    {SCMP_SYS(fcntl), RUNNING | EMULATED, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETLK},
    {SCMP_SYS(fcntl), RUNNING | EMULATED, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETLKW},
    {SCMP_SYS(fcntl), RUNNING | EMULATED, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_OFD_GETLK},
    {SCMP_SYS(fcntl), RUNNING | EMULATED, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_OFD_SETLK},
    {SCMP_SYS(fcntl), RUNNING | EMULATED, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_OFD_SETLKW},
    {SCMP_SYS(fcntl), RUNNING | EMULATED, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETLEASE},
    {SCMP_SYS(fcntl), RUNNING | EMULATED, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_NOTIFY},
    /* These calls change limits and priorities. They are allowed for process number 0, which means
     * the caller. They are refused for all users, because user number 0 means all processes of the
     * caller's user. */
    {SCMP_SYS(prlimit64), ALWAYS, 0, SCMP_CMP_NE, 0, 0},
    {SCMP_SYS(setpriority), ALWAYS, 0, SCMP_CMP_NE, PRIO_PROCESS, 0},
    {SCMP_SYS(setpriority), ALWAYS, 1, SCMP_CMP_NE, 0, 0},
    {SCMP_SYS(ioprio_set), ALWAYS, 0, SCMP_CMP_NE, IOPRIO_WHO_PROCESS, 0},
    {SCMP_SYS(ioprio_set), ALWAYS, 1, SCMP_CMP_NE, 0, 0},
    {SCMP_SYS(sched_setaffinity), SAME_TABLE, 0, SCMP_CMP_NE, 0, 0},
    {SCMP_SYS(sched_setscheduler), SAME_TABLE, 0, SCMP_CMP_NE, 0, 0},
    {SCMP_SYS(sched_setparam), SAME_TABLE, 0, SCMP_CMP_NE, 0, 0},
    {SCMP_SYS(sched_setattr), SAME_TABLE, 0, SCMP_CMP_NE, 0, 0},
    /* these calls make the kernel signal another process when the caller's pipe becomes readable */
    {SCMP_SYS(fcntl), SAME_TABLE, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETOWN},
    {SCMP_SYS(fcntl), SAME_TABLE, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETOWN_EX},
    {SCMP_SYS(fcntl), SAME_TABLE, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, F_SETSIG},
    {SCMP_SYS(ioctl), SAME_TABLE, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, 0x8901 /* FIOSETOWN */},
    {SCMP_SYS(ioctl), SAME_TABLE, 1, SCMP_CMP_MASKED_EQ, 0xffffffff, 0x8902 /* SIOCSPGRP */},
};

static bool holds(const struct sandbox *sandbox, unsigned when)
{
    return !((when & RUNNING) && sandbox->forks) && !((when & EMULATED) && sandbox->gpu) &&
           !((when & SAME_TABLE) && sandbox->level != SANDBOX_CONFINED) &&
           !((when & ALONE) && sandbox->shares);
}

static bool add_rules(const struct sandbox *sandbox, scmp_filter_ctx filter)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i)
        if (holds(sandbox, refused[i].when))
            failed |=
                seccomp_rule_add(filter, SCMP_ACT_ERRNO(refused[i].error), refused[i].call, 0);
    for (size_t i = 0; i < sizeof refused_by_argument / sizeof *refused_by_argument; ++i) {
        struct scmp_arg_cmp argument = {refused_by_argument[i].argument,
                                        refused_by_argument[i].compare, refused_by_argument[i].mask,
                                        refused_by_argument[i].value};
        if (holds(sandbox, refused_by_argument[i].when))
            failed |= seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM),
                                             refused_by_argument[i].call, 1, &argument);
    }
    /* without a process namespace, a program may send signals only to itself; compilers send
     * none */
    struct scmp_arg_cmp others = SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid());
    if (sandbox->level == SANDBOX_CONFINED)
        failed |=
            seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 1, &others) |
            seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), 1, &others);
    return failed == 0;
}

static scmp_filter_ctx make_filter(const struct sandbox *sandbox)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
#ifdef LANEWISE_EMULATED
    /* under qemu-user, the system calls reach a kernel of another CPU, which numbers them
     * differently */
    if (filter)
        seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);
#endif
    if (filter && add_rules(sandbox, filter))
        return filter;
    if (filter)
        seccomp_release(filter);
    errno = EOPNOTSUPP;
    return NULL;
}

bool sandbox_filter_install(const struct sandbox *sandbox)
{
    scmp_filter_ctx filter = make_filter(sandbox);
    if (!filter)
        return false;
    int error = seccomp_load(filter); /* this also sets no_new_privs */
    seccomp_release(filter);
    errno = -error;
    return error == 0;
}

bool sandbox_filter_write(const struct sandbox *sandbox)
{
    scmp_filter_ctx filter = make_filter(sandbox);
    int file = memfd_create("filter", 0);
    bool written = filter && file >= 0 && dup2(file, SANDBOX_FILTER_FD) >= 0 &&
                   seccomp_export_bpf(filter, SANDBOX_FILTER_FD) == 0 &&
                   lseek(SANDBOX_FILTER_FD, 0, SEEK_SET) == 0;
    if (file >= 0 && file != SANDBOX_FILTER_FD)
        close(file);
    if (filter)
        seccomp_release(filter);
    return written;
}
