// A separate network for a command, on Linux: the parts that must run between fork and exec, and in a process with one
// thread (unshare(2), setns(2)). On other systems every function returns -ENOSYS.
//
// Unless a comment differs, a function returns 0 or a count on success and a negated errno on failure.
#ifndef CCAPTURE_H
#define CCAPTURE_H

#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

// The result of getaddrinfo(3) for a name that exists without an address, if the system distinguishes that: EAI_NODATA
// of glibc's netdb.h, which is only defined with its extensions.
#if defined(__linux__)
enum { CCAPTURE_NO_ADDRESS = -5 };
#else
enum { CCAPTURE_NO_ADDRESS = EAI_NONAME };
#endif

enum {
    CCAPTURE_MOST_PORTS = 64,
    CCAPTURE_MOST_LISTENERS = 2 * CCAPTURE_MOST_PORTS,
    CCAPTURE_MOST_NAMES = 2,
    CCAPTURE_MOST_REFUSALS = 3,
};

// The step that failed. The numbers have no meaning outside of the program.
enum {
    CCAPTURE_STARTING = 1,   // fork, socketpair
    CCAPTURE_NAMESPACES,     // unshare
    CCAPTURE_IDENTITY,       // /proc/self/uid_map, gid_map and setgroups
    CCAPTURE_LOOPBACK,       // the interface lo
    CCAPTURE_ROUTES,         // routes from every address to lo
    CCAPTURE_SOCKETS,        // listening
    CCAPTURE_HANDING_OVER,   // SCM_RIGHTS
    CCAPTURE_ENTERING,       // setns, in the command's process
    CCAPTURE_EXECUTING,      // execve, in the command's process
};

// Descriptors, all close-on-exec; -1 for none. The caller closes them.
struct ccapture_space {
    int user;     // the user namespace; -1 for root, which needs none
    int network;  // the network namespace
    int proxy;    // listens on a free port of 127.0.0.1
    int name_count;
    int names[CCAPTURE_MOST_NAMES];          // UDP at port 53 of 127.0.0.1, and of ::1 if there is IPv6
    int name_listeners[CCAPTURE_MOST_NAMES]; // TCP at the same addresses
    int listener_count;
    int listeners[CCAPTURE_MOST_LISTENERS];  // accept the command's connections
    int catches_all;  // 1: a rule of nftables brings in connections to every port, and SO_ORIGINAL_DST is their target;
                      // 0: only those to `ports` arrive, and getsockname(2) is their target
    int refusal_count;  // 0 if the system allows none
    int refusals[CCAPTURE_MOST_REFUSALS];  // sockets that receive copies of refusals, see refusals.c
};

// Makes the namespaces, the interface, the routes, the rule and the sockets in a short-lived process.
//
// `ports`: those to listen on if there can be no rule. `wants_rule`: 0 to do without a rule, for tests. On failure,
// `step` is the step that failed, and nothing stays open.
int ccapture_open(const uint16_t *ports, int port_count, int wants_rule, struct ccapture_space *space, int *step);

// A command to start in a space.
struct ccapture_command {
    const char *path;  // looked up on PATH of this process unless it has a slash
    char *const *arguments;
    char *const *environment;
    const char *resolver_file;  // replaces /etc/resolv.conf for the command; NULL to keep it
    const int *ordinary_signals;  // reset to their default action
    int ordinary_signal_count;
};

// Forks, enters the namespaces and executes. The command gets SIGTERM if the calling thread ends before it.
int ccapture_spawn(const struct ccapture_space *space, const struct ccapture_command *command, pid_t *process,
                   int *step);

// Opens a datagram socket at a numeric address, close-on-exec; also on macOS. With `port` 0 the system chooses one, and
// stores it there.
int ccapture_bind(const char *host, uint16_t *port);

// The sender of a datagram.
struct ccapture_sender {
    struct sockaddr_storage address;
    socklen_t length;
};

// recvfrom(2) and sendto(2) without waiting.
long ccapture_receive(int descriptor, void *bytes, long room, struct ccapture_sender *sender);
long ccapture_answer(int descriptor, const void *bytes, long count, const struct ccapture_sender *sender);

#endif
