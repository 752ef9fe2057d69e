#include "CCapture.h"

#include <errno.h>

#if defined(__linux__)
#include "parts.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_descriptors = 3 + 2 * CCAPTURE_MOST_NAMES + CCAPTURE_MOST_LISTENERS + CCAPTURE_MOST_REFUSALS };

// The builder's result. Descriptors come with it in this order: network, proxy, pairs of names, listeners, sockets for
// refusals, and the user namespace if there is one.
struct news { int step, code, has_user, name_count, listener_count, refusal_count, catches_all; };

static int hand_over(int channel, const struct ccapture_space *space, const struct news *news) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(most_descriptors * sizeof(int))] = {0};
    int descriptors[most_descriptors], count = 0;
    struct iovec part = {.iov_base = (void *)news, .iov_len = sizeof *news};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (news->step == 0) {
        descriptors[count++] = space->network;
        descriptors[count++] = space->proxy;
        for (int i = 0; i < space->name_count; i++) {
            descriptors[count++] = space->names[i];
            descriptors[count++] = space->name_listeners[i];
        }
        for (int i = 0; i < space->listener_count; i++) descriptors[count++] = space->listeners[i];
        for (int i = 0; i < space->refusal_count; i++) descriptors[count++] = space->refusals[i];
        if (news->has_user) descriptors[count++] = space->user;
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
        memcpy(CMSG_DATA(head), descriptors, (size_t)count * sizeof(int));
    }
    return sendmsg(channel, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static void unpack(const int *descriptors, const struct news *news, struct ccapture_space *space) {
    space->network = *descriptors++;
    space->proxy = *descriptors++;
    space->name_count = news->name_count;
    for (int i = 0; i < news->name_count; i++) {
        space->names[i] = *descriptors++;
        space->name_listeners[i] = *descriptors++;
    }
    space->listener_count = news->listener_count;
    for (int i = 0; i < news->listener_count; i++) space->listeners[i] = *descriptors++;
    space->refusal_count = news->refusal_count;
    for (int i = 0; i < news->refusal_count; i++) space->refusals[i] = *descriptors++;
    space->user = news->has_user ? *descriptors : -1;
    space->catches_all = news->catches_all;
}

static int take_over(int channel, struct ccapture_space *space, int *step) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(most_descriptors * sizeof(int))];
    int descriptors[most_descriptors] = {0}, count = 0;
    struct news news;
    struct iovec part = {.iov_base = &news, .iov_len = sizeof news};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    long size;
    do size = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    *step = CCAPTURE_HANDING_OVER;
    if (size < 0) return -errno;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS) {
        count = (int)((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(descriptors, CMSG_DATA(head), (size_t)count * sizeof(int));
    }
    int is_whole = size == (long)sizeof news && !(message.msg_flags & MSG_CTRUNC);
    if (is_whole && news.step != 0) return *step = news.step, news.code;
    if (is_whole && count == 2 + 2 * news.name_count + news.listener_count + news.refusal_count + news.has_user) {
        unpack(descriptors, &news, space);
        return *step = 0, 0;
    }
    // Too few descriptors were free for all of them, or the builder was killed.
    for (int i = 0; i < count; i++) close(descriptors[i]);
    return message.msg_flags & MSG_CTRUNC ? -EMFILE : -EPIPE;
}

static void build_and_tell(int channel, const uint16_t *ports, int port_count, int wants_rule, int wants_user) {
    struct ccapture_space space = {.user = -1, .network = -1, .proxy = -1};
    struct news news = {.has_user = wants_user};
    news.step = ccapture_build(ports, port_count, wants_rule, wants_user, &space, &news.code);
    news.name_count = space.name_count;
    news.listener_count = space.listener_count;
    news.refusal_count = space.refusal_count;
    news.catches_all = space.catches_all;
    if (hand_over(channel, &space, &news) == 0 || news.step != 0) _exit(0);
    news.step = CCAPTURE_HANDING_OVER;
    news.code = -errno;
    (void)hand_over(channel, &space, &news);
    _exit(0);
}

// Builds in a process with one thread, as namespaces require, which ends when everything is made.
static int build_elsewhere(const uint16_t *ports, int port_count, int wants_rule, int wants_user,
                           struct ccapture_space *space, int *step) {
    int channel[2];
    sigset_t all, before;
    *step = CCAPTURE_STARTING;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0) return -errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t builder = fork();
    int code = builder < 0 ? -errno : 0;
    if (builder == 0) build_and_tell(channel[1], ports, port_count, wants_rule, wants_user);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    close(channel[1]);
    if (code == 0) {
        code = take_over(channel[0], space, step);
        while (waitpid(builder, 0, 0) < 0 && errno == EINTR) {}
    }
    close(channel[0]);
    return code;
}

int ccapture_open(const uint16_t *ports, int port_count, int wants_rule, struct ccapture_space *space, int *step) {
    if (port_count < 0 || port_count > CCAPTURE_MOST_PORTS) return *step = CCAPTURE_SOCKETS, -E2BIG;
    memset(space, 0, sizeof *space);
    space->user = space->network = space->proxy = -1;
    // Real root keeps all of its users this way. A root without the right to do it gets a user namespace.
    if (geteuid() == 0 && build_elsewhere(ports, port_count, wants_rule, 0, space, step) == 0) return 0;
    return build_elsewhere(ports, port_count, wants_rule, 1, space, step);
}
#else
int ccapture_open(const uint16_t *ports, int port_count, int wants_rule, struct ccapture_space *space, int *step) {
    (void)ports, (void)port_count, (void)wants_rule, (void)space;
    *step = CCAPTURE_NAMESPACES;
    return -ENOSYS;
}
#endif
