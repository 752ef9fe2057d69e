#if defined(__linux__)
#define _GNU_SOURCE  // sigaction and pthread_sigmask in addition to C11
#endif
#include "CPoll.h"

#include <fcntl.h>
#include <limits.h>
#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

int cpoll_open_file(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

int cpoll_stamp_of(const char *path, struct cpoll_stamp *stamp) {
    struct stat found;
    if (stat(path, &found) < 0) return -errno;
    stamp->device = (uint64_t)found.st_dev;
    stamp->inode = (uint64_t)found.st_ino;
    stamp->size = (uint64_t)found.st_size;
#if defined(__APPLE__)
    stamp->seconds = found.st_ctimespec.tv_sec;
    stamp->nanoseconds = found.st_ctimespec.tv_nsec;
#else
    stamp->seconds = found.st_ctim.tv_sec;
    stamp->nanoseconds = found.st_ctim.tv_nsec;
#endif
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) < 0) return -errno;
    int64_t age = (now.tv_sec - stamp->seconds) * 1000000000 + now.tv_nsec - stamp->nanoseconds;
    stamp->is_young = age < 20000000;
    stamp->is_regular = S_ISREG(found.st_mode);
    return 0;
}

long cpoll_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    rlim_t wanted = limit.rlim_max;
#if defined(__APPLE__)
    // setrlimit(2): macOS does not accept an unlimited hard limit.
    if (wanted > OPEN_MAX) wanted = OPEN_MAX;
#endif
    if (wanted <= limit.rlim_cur) return (long)limit.rlim_cur;
    limit.rlim_cur = wanted;
    return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? -errno : (long)limit.rlim_cur;
}

int cpoll_limit_core_dumps(uint64_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) < 0) return -errno;
    limit.rlim_cur = (rlim_t)bytes;
    return setrlimit(RLIMIT_CORE, &limit) < 0 ? -errno : 0;
}

int cpoll_refuse_core_dumps(uint64_t *before) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) < 0) return -errno;
    *before = (uint64_t)limit.rlim_cur;
#if defined(__linux__)
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
#endif
    return cpoll_limit_core_dumps(0);
}

#if defined(__APPLE__)
void cpoll_disarm_signal(int number) { signal(number, SIG_IGN); }
#else
// The thread that receives the signal raises it again and blocks it, until no thread accepts it and it waits for
// libdispatch's signalfd. (Linux: an ignored signal never gets there, and an unhandled one ends the process before the
// source is ready.)
static void put_back(int number) {
    int saved = errno;
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_BLOCK, &only, 0);
    kill(getpid(), number);
    errno = saved;
}

void cpoll_disarm_signal(int number) {
    struct sigaction action = {.sa_handler = put_back, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, 0);
}
#endif

void cpoll_trim_memory(void) {
#if defined(__APPLE__)
    (void)malloc_zone_pressure_relief(0, 0);
#elif defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
}
