#if defined(__linux__)
#define _GNU_SOURCE
#include "CPoll.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

static int result(int answer) { return answer < 0 ? -errno : answer; }

static struct epoll_event wanted(uint64_t token, uint32_t interest) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    // EPOLLRDHUP reports the end directly, and saves the read after a short read that would find it.
    if (interest & CPOLL_READ) event.events |= EPOLLIN | EPOLLRDHUP;
    if (interest & CPOLL_WRITE) event.events |= EPOLLOUT;
    event.data.u64 = token;
    return event;
}

int cpoll_open(void) { return result(epoll_create1(EPOLL_CLOEXEC)); }

int cpoll_add(int set, int descriptor, uint64_t token, uint32_t interest) {
    struct epoll_event event = wanted(token, interest);
    return result(epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event));
}

int cpoll_change(int set, int descriptor, uint64_t token, uint32_t before, uint32_t after) {
    (void)before;
    struct epoll_event event = wanted(token, after);
    return result(epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event));
}

int cpoll_remove(int set, int descriptor, uint32_t before) {
    (void)before;
    struct epoll_event event;  // kernels before 2.6.9 need a pointer; epoll_ctl(2), BUGS
    memset(&event, 0, sizeof event);
    return result(epoll_ctl(set, EPOLL_CTL_DEL, descriptor, &event));
}

int cpoll_add_bell(int set, int *bell) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    // Edge-triggered: every ring is a separate event, so the counter never has to be read. epoll(7)
    event.events = EPOLLIN | EPOLLET;
    *bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (*bell < 0) return -errno;
    if (epoll_ctl(set, EPOLL_CTL_ADD, *bell, &event) == 0) return 0;
    int code = -errno;
    close(*bell);
    return code;
}

int cpoll_ring(int set, int bell) {
    (void)set;
    uint64_t once = 1;
    return write(bell, &once, sizeof once) < 0 ? -errno : 0;
}

int cpoll_take(int set, struct cpoll_event *events, int room, int milliseconds) {
    struct epoll_event reports[128];
    int count;
    if (room > 128) room = 128;
    do count = epoll_wait(set, reports, room, milliseconds);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    for (int index = 0; index < count; index++) {
        uint32_t seen = reports[index].events, ready = 0;
        if (seen & EPOLLIN) ready |= CPOLL_READ;
        if (seen & EPOLLOUT) ready |= CPOLL_WRITE;
        if (seen & (EPOLLHUP | EPOLLRDHUP)) ready |= CPOLL_HANGUP;
        if (seen & EPOLLERR) ready |= CPOLL_ERROR;
        events[index].token = reports[index].data.u64;
        events[index].ready = ready;
    }
    return count;
}
#endif
