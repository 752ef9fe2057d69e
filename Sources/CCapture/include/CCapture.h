// A network of its own for a command, on Linux: what has to be done between fork and exec, and in a process with one
// thread (unshare(2), setns(2)). Elsewhere every function answers -ENOSYS.
//
// Unless a comment says otherwise a function returns 0 or a count on success and a negated errno on failure.
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

// What getaddrinfo(3) says of a name that is there and has no address, where the system tells that apart: EAI_NODATA of
// glibc's netdb.h, for which its own extensions would have to be asked for.
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

// What was being done when it failed. The numbers mean nothing outside of the program.
enum {
    CCAPTURE_STARTING = 1,   // fork, socketpair
    CCAPTURE_NAMESPACES,     // unshare
    CCAPTURE_IDENTITY,       // /proc/self/uid_map and its neighbours
    CCAPTURE_LOOPBACK,       // the interface lo
    CCAPTURE_ROUTES,         // every address leads to lo
    CCAPTURE_SOCKETS,        // listening
    CCAPTURE_HANDING_OVER,   // SCM_RIGHTS
    CCAPTURE_ENTERING,       // setns, in the command's process
    CCAPTURE_EXECUTING,      // execve, in the command's process
};

// Descriptors, all close-on-exec; -1 for none. Who asked closes them.
struct ccapture_space {
    int user;     // the user namespace; -1 for root, who needs none
    int network;  // the network namespace
    int proxy;    // listens on a free port of 127.0.0.1
    int name_count;
    int names[CCAPTURE_MOST_NAMES];          // UDP at port 53 of 127.0.0.1, and of ::1 where there is IPv6
    int name_listeners[CCAPTURE_MOST_NAMES]; // TCP at the same places
    int listener_count;
    int listeners[CCAPTURE_MOST_LISTENERS];  // where the command's connections come in
    int catches_all;  // by a rule of nftables: a connection to any port comes in, its wanted address is
                      // SO_ORIGINAL_DST; 0: those to `ports` do, and getsockname(2) tells
    int refusal_count;  // 0 where the system allows none
    int refusals[CCAPTURE_MOST_REFUSALS];  // copies of what says that something was refused, see refusals.c
};

// Makes the namespaces, the interface, the routes, the rule and the sockets in a process that ends again.
//
// `ports`: those to listen on where there can be no rule. `wants_rule`: 0 does without one, for tests. On failure `step`
// tells what was being done, and nothing stays open.
int ccapture_open(const uint16_t *ports, int port_count, int wants_rule, struct ccapture_space *space, int *step);

// A command to start in a space.
struct ccapture_command {
    const char *path;  // looked up on PATH of this process unless it has a slash
    char *const *arguments;
    char *const *environment;
    const char *resolver_file;  // what /etc/resolv.conf is to be for the command; NULL for what it is
    const int *ordinary_signals;  // get back their default action
    int ordinary_signal_count;
};

// Forks, enters the namespaces and executes. The command gets SIGTERM when the calling thread ends before it.
int ccapture_spawn(const struct ccapture_space *space, const struct ccapture_command *command, pid_t *process,
                   int *step);

// A socket for datagrams at an address in numbers, close-on-exec; on macOS, too. `port` 0 lets the system choose, and
// becomes what it chose.
int ccapture_bind(const char *host, uint16_t *port);

// Where a datagram came from.
struct ccapture_sender {
    struct sockaddr_storage address;
    socklen_t length;
};

// recvfrom(2) and sendto(2) without waiting.
long ccapture_receive(int descriptor, void *bytes, long room, struct ccapture_sender *sender);
long ccapture_answer(int descriptor, const void *bytes, long count, const struct ccapture_sender *sender);

#endif
