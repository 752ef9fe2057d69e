#if defined(__APPLE__)
#include "CPoll.h"

#include <fcntl.h>
#include <sys/event.h>
#include <sys/time.h>

// kqueue treats reading and writing as two filters; this file makes them look like one registration.
//
// A descriptor that is not watched for bytes still keeps its read filter, or a reset of a paused or half-closed stream
// would be missed. epoll always reports it (epoll_ctl(2), EPOLLERR), kqueue only by EV_EOF of a filter. That filter is
// edge-triggered (EV_CLEAR), and its reports of bytes are dropped. Sources: kqueue(2); XNU 11417,
// bsd/kern/uipc_socket.c, filt_soread_common.
//
// Every call is kevent64(): a queue that was used with it rejects kevent(), and only kevent64() can return without
// sleeping, by KEVENT_FLAG_IMMEDIATE. A timeout of zero sleeps for a moment. Sources: XNU 11417,
// bsd/kern/kern_event.c; libuv/libuv#5032.

enum { most_changes = 3 };

// Makes all changes, even if one fails, and reads no reports: sys/event.h, KEVENT_FLAG_ERROR_EVENTS.
static int make(int set, struct kevent64_s *changes, int count, int ignored) {
    int failures = kevent64(set, changes, count, changes, count, KEVENT_FLAG_ERROR_EVENTS, 0);
    if (failures < 0) return -errno;
    for (int index = 0; index < failures; index++) {
        if (changes[index].data != ignored) return -(int)changes[index].data;
    }
    return 0;
}

static void add_change(struct kevent64_s *changes, int *count, int descriptor, int16_t filter, uint16_t flags,
                       uint64_t token) {
    EV_SET64(&changes[(*count)++], (uint64_t)descriptor, filter, flags, 0, 0, token, 0, 0);
}

static uint16_t reading(uint32_t interest) { return interest & CPOLL_READ ? EV_ADD : EV_ADD | EV_CLEAR; }

int cpoll_open(void) {
    int set = kqueue();
    if (set < 0) return -errno;
    (void)fcntl(set, F_SETFD, FD_CLOEXEC);
    return set;
}

int cpoll_add(int set, int descriptor, uint64_t token, uint32_t interest) {
    struct kevent64_s changes[most_changes];
    int count = 0;
    add_change(changes, &count, descriptor, EVFILT_READ, reading(interest), token);
    if (interest & CPOLL_WRITE) add_change(changes, &count, descriptor, EVFILT_WRITE, EV_ADD, token);
    return make(set, changes, count, 0);
}

int cpoll_change(int set, int descriptor, uint64_t token, uint32_t before, uint32_t after) {
    struct kevent64_s changes[most_changes];
    int count = 0;
    if ((before ^ after) & CPOLL_READ) {
        // Adding again would not change whether the filter is edge-triggered.
        add_change(changes, &count, descriptor, EVFILT_READ, EV_DELETE, token);
        add_change(changes, &count, descriptor, EVFILT_READ, reading(after), token);
    }
    if ((before ^ after) & CPOLL_WRITE) {
        add_change(changes, &count, descriptor, EVFILT_WRITE, after & CPOLL_WRITE ? EV_ADD : EV_DELETE, token);
    }
    if (count == 0) return 0;
    return make(set, changes, count, 0);
}

int cpoll_remove(int set, int descriptor, uint32_t before) {
    struct kevent64_s changes[most_changes];
    int count = 0;
    (void)before;
    add_change(changes, &count, descriptor, EVFILT_READ, EV_DELETE, 0);
    add_change(changes, &count, descriptor, EVFILT_WRITE, EV_DELETE, 0);
    return make(set, changes, count, ENOENT);
}

int cpoll_add_bell(int set, int *bell) {
    struct kevent64_s change;
    int count = 0;
    add_change(&change, &count, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 0);
    *bell = -1;
    return make(set, &change, count, 0);
}

int cpoll_ring(int set, int bell) {
    (void)bell;
    struct kevent64_s change;
    EV_SET64(&change, 0, EVFILT_USER, 0, NOTE_TRIGGER, 0, 0, 0, 0);
    return make(set, &change, 1, 0);
}

// Converts a filter's report; 0 if there is nothing to report.
static uint32_t readiness(const struct kevent64_s *report) {
    uint32_t ready = report->filter == EVFILT_WRITE ? CPOLL_WRITE : CPOLL_READ;
    // With EV_EOF, fflags is the socket's error.
    if (report->flags & EV_EOF) ready |= report->fflags != 0 ? CPOLL_HANGUP | CPOLL_ERROR : CPOLL_HANGUP;
    int is_unasked = report->filter == EVFILT_READ && report->flags & EV_CLEAR;
    return is_unasked && !(ready & CPOLL_ERROR) ? 0 : ready;
}

int cpoll_take(int set, struct cpoll_event *events, int room, int milliseconds) {
    const struct timespec patience = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    struct kevent64_s reports[128];
    int count, told = 0;
    if (room > 128) room = 128;
    do {
        if (milliseconds == 0) count = kevent64(set, 0, 0, reports, room, KEVENT_FLAG_IMMEDIATE, 0);
        else count = kevent64(set, 0, 0, reports, room, 0, &patience);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    for (int index = 0; index < count; index++) {
        uint32_t ready = readiness(&reports[index]);
        if (ready == 0) continue;
        events[told].token = reports[index].udata;
        events[told++].ready = ready;
    }
    return told;
}
#endif
