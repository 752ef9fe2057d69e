#if defined(__linux__)
#define _GNU_SOURCE  // accept4
#endif
#include "CPoll.h"

#include "system_address.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>

#if defined(MSG_NOSIGNAL)
enum { quietly = MSG_NOSIGNAL };
#else
enum { quietly = 0 };  // macOS: SO_NOSIGPIPE is set on the socket instead
#endif

static int close_with(int descriptor, int code) {
    close(descriptor);
    return code;
}

// Fails on sockets that are not TCP, which do not need it.
static void send_at_once(int descriptor) {
    int on = 1;
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int cpoll_prepare(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) return -errno;
    if (!(flags & O_NONBLOCK) && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return -errno;
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0) return -errno;
#if defined(SO_NOSIGPIPE)
    int on = 1;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    send_at_once(descriptor);
    return 0;
}

static int new_socket(const struct cpoll_address *address) {
    int family = address->version == 6 ? AF_INET6 : AF_INET;
#if defined(__linux__)
    int descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (descriptor < 0) return -errno;
    // Accepted sockets inherit it from the listening socket.
    send_at_once(descriptor);
    return descriptor;
#else
    int descriptor = socket(family, SOCK_STREAM, IPPROTO_TCP);
    if (descriptor < 0) return -errno;
    int code = cpoll_prepare(descriptor);
    return code < 0 ? close_with(descriptor, code) : descriptor;
#endif
}

#if defined(__APPLE__)
// True if a listener accepts connections there, or at least does not refuse them.
static int is_served(const struct cpoll_address *address) {
    enum { patience_ms = 200 };
    int descriptor;
    int answer = cpoll_connect(address, &descriptor);
    if (answer < 0) return 0;
    struct pollfd asked = {.fd = descriptor, .events = POLLOUT};
    int is_refused = poll(&asked, 1, patience_ms) > 0 && cpoll_error(descriptor) != 0;
    close(descriptor);
    return !is_refused;
}

// On macOS, SO_REUSEADDR allows an address in addition to another process's wildcard of the same port, and takes its
// clients. Without it, connections that have just ended prevent binding: so it is set only if there is no listener.
// Source: XNU 11417, bsd/netinet/in_pcb.c, in_pcbbind.
static int bind_to(int descriptor, const struct cpoll_address *address, struct sockaddr *system, socklen_t length) {
    int on = 1;
    if (bind(descriptor, system, length) == 0) return 0;
    if (errno != EADDRINUSE) return -errno;
    if (is_served(address)) return -EADDRINUSE;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return bind(descriptor, system, length) < 0 ? -errno : 0;
}
#else
static int bind_to(int descriptor, const struct cpoll_address *address, struct sockaddr *system, socklen_t length) {
    int on = 1;
    (void)address;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return bind(descriptor, system, length) < 0 ? -errno : 0;
}
#endif

int cpoll_listen(const struct cpoll_address *address, int backlog) {
    struct sockaddr_storage system;
    socklen_t length = cpoll_to_system(address, &system);
    int on = 1;
    int descriptor = new_socket(address);
    if (descriptor < 0) return descriptor;
    if (address->version == 6) (void)setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    int code = bind_to(descriptor, address, (struct sockaddr *)&system, length);
    if (code < 0) return close_with(descriptor, code);
    if (listen(descriptor, backlog) < 0) return close_with(descriptor, -errno);
    return descriptor;
}

// With SO_REUSEADDR only a listening socket prevents binding: ended connections do not. Source: socket(7).
static int is_in_the_way(const struct cpoll_address *address) {
    struct sockaddr_storage system;
    socklen_t length = cpoll_to_system(address, &system);
    int on = 1;
    int descriptor = new_socket(address);
    if (descriptor < 0) return 0;
    if (address->version == 6) (void)setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    int is_taken = bind(descriptor, (struct sockaddr *)&system, length) < 0 && errno == EADDRINUSE;
    close(descriptor);
    return is_taken;
}

int cpoll_is_listened_at(const struct cpoll_address *address) {
#if defined(__APPLE__)
    // On macOS the address of a listening socket must match exactly: the wildcard is another one. Source: XNU 11417,
    // bsd/netinet/in_pcb.c, in_pcbbind.
    struct cpoll_address any = {.port = address->port, .version = address->version};
    if (is_in_the_way(&any)) return 1;
#endif
    return is_in_the_way(address);
}

#if defined(__linux__)
static int accept_next(int descriptor, struct sockaddr *system, socklen_t *length) {
    return accept4(descriptor, system, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
#else
// Without a free descriptor XNU closes the connection instead of leaving it in the backlog, so this checks for one
// first. Another thread may use it up in between; then that connection is lost. Source: XNU 11417,
// bsd/kern/uipc_syscalls.c, accept_nocancel.
static int accept_next(int descriptor, struct sockaddr *system, socklen_t *length) {
    int spare = dup(descriptor);
    if (spare < 0) return -1;
    close(spare);
    return accept(descriptor, system, length);
}
#endif

int cpoll_accept(int descriptor, struct cpoll_address *peer) {
    struct sockaddr_storage system = {0};
    socklen_t length = sizeof system;
    int accepted;
    do accepted = accept_next(descriptor, (struct sockaddr *)&system, &length);
    while (accepted < 0 && errno == EINTR);
    if (accepted < 0) return -errno;
    // XNU may return a connection that is already closed, without an address, where other systems return ECONNABORTED.
    // Source: golang/go, src/syscall/syscall_bsd.go, Accept.
    if (length == 0 || !cpoll_from_system((struct sockaddr *)&system, peer)) {
        return close_with(accepted, -ECONNABORTED);
    }
#if !defined(__linux__)
    int code = cpoll_prepare(accepted);
    if (code < 0) return close_with(accepted, code);
#endif
    return accepted;
}

// On one machine the peer's half of the handshake is done before connect(2) returns. A second call reports it: 0 on
// Linux, EISCONN by POSIX. That saves waiting for writability.
static int is_connected_already(int descriptor, const struct cpoll_address *address, struct sockaddr *system,
                                socklen_t length) {
    const unsigned char *bytes = (const unsigned char *)address->words;
    static const unsigned char loopback6[16] = {[15] = 1};
    int is_loopback = address->version == 4 ? bytes[0] == 127 : memcmp(bytes, loopback6, sizeof loopback6) == 0;
    if (!is_loopback) return 0;
    if (connect(descriptor, system, length) == 0 || errno == EISCONN) return 1;
    return errno == EALREADY || errno == EINPROGRESS || errno == EINTR ? 0 : -errno;
}

int cpoll_connect(const struct cpoll_address *address, int *descriptor) {
    struct sockaddr_storage system;
    socklen_t length = cpoll_to_system(address, &system);
    int made = new_socket(address);
    if (made < 0) return made;
    if (connect(made, (struct sockaddr *)&system, length) == 0) {
        *descriptor = made;
        return 1;
    }
    // After EINTR the attempt continues, as with EINPROGRESS: connect(2), POSIX.
    if (errno != EINPROGRESS && errno != EINTR) return close_with(made, -errno);
    int answer = is_connected_already(made, address, (struct sockaddr *)&system, length);
    if (answer < 0) return close_with(made, answer);
    *descriptor = made;
    return answer;
}

int cpoll_local(int descriptor, struct cpoll_address *address) {
    struct sockaddr_storage system = {0};
    socklen_t length = sizeof system;
    if (getsockname(descriptor, (struct sockaddr *)&system, &length) < 0) return -errno;
    return cpoll_from_system((struct sockaddr *)&system, address) ? 0 : -EAFNOSUPPORT;
}

int cpoll_peer(int descriptor, struct cpoll_address *address) {
    struct sockaddr_storage system = {0};
    socklen_t length = sizeof system;
    if (getpeername(descriptor, (struct sockaddr *)&system, &length) < 0) return -errno;
    return cpoll_from_system((struct sockaddr *)&system, address) ? 0 : -EAFNOSUPPORT;
}

#if defined(__linux__)
// Source: Linux, include/uapi/linux/netfilter_ipv4.h, netfilter_ipv6/ip6_tables.h, in.h and in6.h; the C library's
// headers leave some of them out.
enum { original_destination = 80, version6_level = 41, transparent4 = 19, transparent6 = 75 };

int cpoll_original(int descriptor, struct cpoll_address *address) {
    struct sockaddr_storage system = {0};
    socklen_t length = sizeof system;
    int code = cpoll_local(descriptor, address);
    if (code < 0) return code;
    int level = address->version == 6 ? version6_level : IPPROTO_IP;
    // For a connection that was not redirected this returns its own address, or ENOENT without connection tracking.
    if (getsockopt(descriptor, level, original_destination, &system, &length) < 0) return 0;
    struct cpoll_address original;
    if (cpoll_from_system((struct sockaddr *)&system, &original)) *address = original;
    return 0;
}

int cpoll_take_any_address(int descriptor) {
    struct cpoll_address own;
    int on = 1;
    int code = cpoll_local(descriptor, &own);
    if (code < 0) return code;
    code = own.version == 6 ? setsockopt(descriptor, version6_level, transparent6, &on, sizeof on)
                            : setsockopt(descriptor, IPPROTO_IP, transparent4, &on, sizeof on);
    return code < 0 ? -errno : 0;
}
#else
int cpoll_original(int descriptor, struct cpoll_address *address) {
    (void)descriptor;
    (void)address;
    return -ENOTSUP;
}

int cpoll_take_any_address(int descriptor) {
    (void)descriptor;
    return -ENOTSUP;
}
#endif

int cpoll_error(int descriptor) {
    int code = 0;
    socklen_t length = sizeof code;
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) < 0 ? errno : code;
}

long cpoll_read(int descriptor, void *bytes, long room) {
    long count;
    do count = recv(descriptor, bytes, (size_t)room, 0);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

long cpoll_peek(int descriptor) {
    char byte;
    long count;
    do count = recv(descriptor, &byte, 1, MSG_PEEK);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

long cpoll_write(int descriptor, const void *bytes, long count) {
    long written;
    do written = send(descriptor, bytes, (size_t)count, quietly);
    while (written < 0 && errno == EINTR);
#if defined(__APPLE__)
    // XNU returns this for a moment while a connection is torn down. Source: libuv/libuv, src/unix/stream.c.
    if (written < 0 && errno == EPROTOTYPE) return -EPIPE;
#endif
    return written < 0 ? -errno : written;
}

int cpoll_finish_writing(int descriptor) { return shutdown(descriptor, SHUT_WR) < 0 ? -errno : 0; }

int cpoll_reset_on_close(int descriptor) {
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    return setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once) < 0 ? -errno : 0;
}
