#if defined(__linux__)
#define _GNU_SOURCE  // pipe2, splice, F_SETPIPE_SZ
#endif
#include "CPoll.h"

#include <fcntl.h>
#include <time.h>

#if defined(__linux__)
long cpoll_pipe(int ends[2], long room) {
    if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) < 0) return -errno;
    // Fails with EPERM if the user's pipes are too large already; then the initial size stays: pipe(7).
    (void)fcntl(ends[1], F_SETPIPE_SZ, (int)room);
    long granted = fcntl(ends[1], F_GETPIPE_SZ);
    if (granted > 0) return granted;
    close(ends[0]);
    close(ends[1]);
    return -ENOSYS;
}

static long move(int from, int to, long count) {
    long moved;
    do moved = splice(from, NULL, to, NULL, (size_t)count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    while (moved < 0 && errno == EINTR);
    return moved < 0 ? -errno : moved;
}

long cpoll_fill_pipe(int pipe_end, int socket, long room) { return move(socket, pipe_end, room); }

// splice has no MSG_NOSIGNAL, so SIGPIPE is blocked and, if it was raised, consumed. A thread that blocks it
// permanently, like Dispatch's workers, needs no more than that.
long cpoll_empty_pipe(int pipe_end, int socket, long count) {
    sigset_t broken_pipe, before;
    const struct timespec at_once = {0};
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    if (pthread_sigmask(SIG_BLOCK, &broken_pipe, &before) != 0) return -ENOSYS;
    long moved = move(pipe_end, socket, count);
    if (!sigismember(&before, SIGPIPE)) {
        // Also raised if some bytes were moved before the connection broke; then their number is returned.
        if (moved < count) (void)sigtimedwait(&broken_pipe, NULL, &at_once);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return moved;
}
#else
long cpoll_pipe(int ends[2], long room) {
    (void)ends, (void)room;
    return -ENOSYS;
}

long cpoll_fill_pipe(int pipe_end, int socket, long room) {
    (void)pipe_end, (void)socket, (void)room;
    return -ENOSYS;
}

long cpoll_empty_pipe(int pipe_end, int socket, long count) {
    (void)pipe_end, (void)socket, (void)count;
    return -ENOSYS;
}
#endif

long cpoll_read_pipe(int pipe_end, void *bytes, long room) {
    long count;
    do count = read(pipe_end, bytes, (size_t)room);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}
