#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CCapture.h"

#include <errno.h>

#if defined(__linux__)
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct failure { int step, code; };

// Changes to the copy of the mounts must not reach the system's own: mount_namespaces(7), "SHARED SUBTREES". Without
// the file, DNS queries go to the old resolver's address, and the rule of nftables redirects them.
static void replace_resolver(const char *file) {
    if (!file || unshare(CLONE_NEWNS) < 0) return;
    if (mount("none", "/", 0, MS_REC | MS_SLAVE, 0) < 0) return;
    (void)mount(file, "/etc/resolv.conf", 0, MS_BIND, 0);
}

static int enter(const struct ccapture_space *space, const struct ccapture_command *command, pid_t parent) {
    if (space->user >= 0 && setns(space->user, CLONE_NEWUSER) < 0) return -errno;
    if (setns(space->network, CLONE_NEWNET) < 0) return -errno;
    replace_resolver(command->resolver_file);
    // After entering the user namespace, which may clear it: PR_SET_PDEATHSIG(2const).
    if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0) return -errno;
    return getppid() == parent ? 0 : -ESRCH;
}

static void run(const struct ccapture_space *space, const struct ccapture_command *command, pid_t parent, int report) {
    struct failure failure = {.step = CCAPTURE_ENTERING};
    failure.code = enter(space, command, parent);
    if (failure.code == 0) {
        struct sigaction usual = {.sa_handler = SIG_DFL};
        for (int i = 0; i < command->ordinary_signal_count; i++) {
            (void)sigaction(command->ordinary_signals[i], &usual, 0);
        }
        sigset_t none;
        sigemptyset(&none);
        (void)sigprocmask(SIG_SETMASK, &none, 0);
        // glibc's version does not allocate memory (posix/execvpe.c, since 2.24).
        execvpe(command->path, command->arguments, command->environment);
        failure = (struct failure){.step = CCAPTURE_EXECUTING, .code = -errno};
    }
    if (write(report, &failure, sizeof failure) < 0) _exit(126);
    _exit(127);
}

int ccapture_spawn(const struct ccapture_space *space, const struct ccapture_command *command, pid_t *process,
                   int *step) {
    int report[2];
    sigset_t all, before;
    struct failure failure;
    pid_t parent = getpid();
    *step = CCAPTURE_STARTING;
    if (pipe2(report, O_CLOEXEC) < 0) return -errno;
    // No signal handler of the gate may run in the child.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    int code = child < 0 ? -errno : 0;
    if (child == 0) run(space, command, parent, report[1]);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    close(report[1]);
    long size = 0;
    if (code == 0) {
        do size = read(report[0], &failure, sizeof failure);
        while (size < 0 && errno == EINTR);
    }
    close(report[0]);
    if (code < 0) return code;
    if (size == (long)sizeof failure) {
        while (waitpid(child, 0, 0) < 0 && errno == EINTR) {}
        return *step = failure.step, failure.code;
    }
    *process = child;
    return *step = 0, 0;
}
#else
int ccapture_spawn(const struct ccapture_space *space, const struct ccapture_command *command, pid_t *process,
                   int *step) {
    (void)space, (void)command, (void)process;
    *step = CCAPTURE_ENTERING;
    return -ENOSYS;
}
#endif
