#if defined(__linux__)
#define _GNU_SOURCE
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { backlog = 1024, name_port = 53 };

void ccapture_close(struct ccapture_space *space) {
    int *single[] = {&space->user, &space->network, &space->proxy};
    for (int i = 0; i < 3; i++) {
        if (*single[i] >= 0) close(*single[i]);
        *single[i] = -1;
    }
    for (int i = 0; i < space->name_count; i++) close(space->names[i]), close(space->name_listeners[i]);
    for (int i = 0; i < space->listener_count; i++) close(space->listeners[i]);
    for (int i = 0; i < space->refusal_count; i++) close(space->refusals[i]);
    space->name_count = space->listener_count = space->refusal_count = 0;
}

static int write_file(const char *path, const char *text) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    int code = write(descriptor, text, strlen(text)) < 0 ? -errno : 0;
    close(descriptor);
    return code;
}

static char *put_decimal(char *end, unsigned long value) {
    do *--end = (char)('0' + value % 10);
    while (value /= 10);
    return end;
}

// Maps an id to itself: "1000 1000 1". snprintf(3) is not allowed here, signal-safety(7).
static int map_identity(const char *path, unsigned long number) {
    char line[64];
    char *end = line + sizeof line - 1;
    *end = 0;
    *--end = '1';
    *--end = ' ';
    end = put_decimal(end, number);
    *--end = ' ';
    end = put_decimal(end, number);
    return write_file(path, end);
}

static int keep_identity(unsigned long user, unsigned long group) {
    // The group map may only be written once processes cannot drop groups any more: user_namespaces(7). Linux before
    // 3.19 has no such file.
    int code = write_file("/proc/self/setgroups", "deny");
    if (code < 0 && code != -ENOENT) return code;
    code = map_identity("/proc/self/uid_map", user);
    return code < 0 ? code : map_identity("/proc/self/gid_map", group);
}

static int raise_loopback(void) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    memcpy(request.ifr_name, "lo", sizeof "lo");
    request.ifr_flags = IFF_UP | IFF_LOOPBACK;
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -errno;
    int code = ioctl(descriptor, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
    close(descriptor);
    return code;
}

// A socket at a port of loopback, or of every address if `is_everywhere`.
static int bound(int version, int type, int is_everywhere, uint16_t port) {
    struct sockaddr_in at4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 at6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    int on = 1;
    if (!is_everywhere) at4.sin_addr.s_addr = htonl(INADDR_LOOPBACK), at6.sin6_addr = in6addr_loopback;
    int descriptor = socket(version == 6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -errno;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (version == 6) (void)setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    int code = version == 6 ? bind(descriptor, (struct sockaddr *)&at6, sizeof at6)
                            : bind(descriptor, (struct sockaddr *)&at4, sizeof at4);
    if (code == 0 && type == SOCK_STREAM) code = listen(descriptor, backlog);
    if (code == 0) return descriptor;
    code = -errno;
    close(descriptor);
    return code;
}

static uint16_t port_of(int descriptor) {
    struct sockaddr_storage local;
    socklen_t length = sizeof local;
    if (getsockname(descriptor, (struct sockaddr *)&local, &length) < 0) return 0;
    // The port is at the same place for both versions: RFC 3493 section 3.3, netinet/in.h.
    return ntohs(((struct sockaddr_in *)&local)->sin_port);
}

static int open_names(struct ccapture_space *space, int version) {
    int datagrams = bound(version, SOCK_DGRAM, 0, name_port);
    if (datagrams < 0) return datagrams;
    int listener = bound(version, SOCK_STREAM, 0, name_port);
    if (listener < 0) {
        close(datagrams);
        return listener;
    }
    space->names[space->name_count] = datagrams;
    space->name_listeners[space->name_count++] = listener;
    return 0;
}

static int open_listener(struct ccapture_space *space, int version, int is_everywhere, uint16_t port) {
    int descriptor = bound(version, SOCK_STREAM, is_everywhere, port);
    if (descriptor < 0) return descriptor;
    space->listeners[space->listener_count++] = descriptor;
    return 0;
}

static void close_listeners(struct ccapture_space *space) {
    while (space->listener_count > 0) close(space->listeners[--space->listener_count]);
}

static int open_for_all(struct ccapture_space *space, int has_v6) {
    int code = open_listener(space, 4, 0, 0);
    if (code == 0 && has_v6) code = open_listener(space, 6, 0, 0);
    if (code == 0) {
        code = ccapture_redirect_all(port_of(space->listeners[0]), has_v6 ? port_of(space->listeners[1]) : 0);
    }
    if (code < 0) close_listeners(space);
    return code;
}

static int open_for_ports(struct ccapture_space *space, int has_v6, const uint16_t *ports, int count) {
    for (int i = 0; i < count; i++) {
        int code = open_listener(space, 4, 1, ports[i]);
        if (code == 0 && has_v6) code = open_listener(space, 6, 1, ports[i]);
        if (code < 0) return code;
    }
    return 0;
}

static int open_sockets(struct ccapture_space *space, int has_v6, const uint16_t *ports, int count, int wants_rule) {
    space->proxy = bound(4, SOCK_STREAM, 0, 0);
    if (space->proxy < 0) return space->proxy;
    int code = open_names(space, 4);
    if (code == 0 && has_v6) code = open_names(space, 6);
    if (code < 0) return code;
    space->catches_all = wants_rule && open_for_all(space, has_v6) == 0;
    return space->catches_all ? 0 : open_for_ports(space, has_v6, ports, count);
}

int ccapture_build(const uint16_t *ports, int port_count, int wants_rule, int wants_user, struct ccapture_space *space,
                   int *code) {
    unsigned long user = geteuid(), group = getegid();
    if (unshare(CLONE_NEWNET | (wants_user ? CLONE_NEWUSER : 0)) < 0) return *code = -errno, CCAPTURE_NAMESPACES;
    // The files in /proc of an undumpable process are not its own: proc(5), "/proc/pid".
    (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (wants_user && (*code = keep_identity(user, group)) < 0) return CCAPTURE_IDENTITY;
    if ((*code = raise_loopback()) < 0) return CCAPTURE_LOOPBACK;
    if ((*code = ccapture_route_all(4)) < 0) return CCAPTURE_ROUTES;
    int has_v6 = ccapture_route_all(6) == 0;
    if ((*code = open_sockets(space, has_v6, ports, port_count, wants_rule)) < 0) return CCAPTURE_SOCKETS;
    ccapture_open_refusals(space);
    if (wants_user) space->user = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    space->network = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (space->network < 0 || (wants_user && space->user < 0)) return *code = -errno, CCAPTURE_HANDING_OVER;
    return 0;
}
#endif
