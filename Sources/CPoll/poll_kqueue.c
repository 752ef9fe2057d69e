#if defined(__APPLE__)
#include "CPoll.h"

#include <fcntl.h>
#include <sys/event.h>
#include <sys/time.h>

// kqueue keeps reading and writing as two filters; this file makes them look like one registration.

static int apply(int set, int descriptor, uint64_t token, uint32_t before, uint32_t after) {
    static const struct {
        uint32_t bit;
        int16_t filter;
    } filters[] = {{CPOLL_READ, EVFILT_READ}, {CPOLL_WRITE, EVFILT_WRITE}};
    struct kevent changes[2];
    int count = 0;
    for (int index = 0; index < 2; index++) {
        uint32_t had = before & filters[index].bit, wants = after & filters[index].bit;
        if (had == wants) continue;
        EV_SET(&changes[count++], descriptor, filters[index].filter, wants ? EV_ADD : EV_DELETE, 0, 0,
               (void *)(uintptr_t)token);
    }
    if (count == 0) return 0;
    return kevent(set, changes, count, 0, 0, 0) < 0 ? -errno : 0;
}

int cpoll_open(void) {
    int set = kqueue();
    if (set < 0) return -errno;
    (void)fcntl(set, F_SETFD, FD_CLOEXEC);
    return set;
}

int cpoll_add(int set, int descriptor, uint64_t token, uint32_t interest) {
    return apply(set, descriptor, token, 0, interest);
}

int cpoll_change(int set, int descriptor, uint64_t token, uint32_t before, uint32_t after) {
    return apply(set, descriptor, token, before, after);
}

int cpoll_remove(int set, int descriptor, uint32_t before) { return apply(set, descriptor, 0, before, 0); }

int cpoll_add_bell(int set, int *bell) {
    struct kevent change;
    EV_SET(&change, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, 0);
    *bell = -1;
    return kevent(set, &change, 1, 0, 0, 0) < 0 ? -errno : 0;
}

int cpoll_ring(int set, int bell) {
    (void)bell;
    struct kevent change;
    EV_SET(&change, 0, EVFILT_USER, 0, NOTE_TRIGGER, 0, 0);
    return kevent(set, &change, 1, 0, 0, 0) < 0 ? -errno : 0;
}

int cpoll_take(int set, struct cpoll_event *events, int room, int milliseconds) {
    const struct timespec patience = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    struct kevent reports[128];
    int count;
    if (room > 128) room = 128;
    do count = kevent(set, 0, 0, reports, room, &patience);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    for (int index = 0; index < count; index++) {
        uint32_t ready = reports[index].filter == EVFILT_WRITE ? CPOLL_WRITE : CPOLL_READ;
        if (reports[index].flags & EV_EOF) {
            ready |= CPOLL_HANGUP;
            if (reports[index].fflags != 0) ready |= CPOLL_ERROR;
        }
        events[index].token = (uint64_t)(uintptr_t)reports[index].udata;
        events[index].ready = ready;
    }
    return count;
}
#endif
