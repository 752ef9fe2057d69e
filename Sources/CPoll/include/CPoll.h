// The system calls that Swift's Glibc and Darwin modules do not offer with one interface: a poll set (epoll or kqueue),
// non-blocking sockets, names, file stamps.
//
// Unless a comment differs, a function returns 0 or a count on success and a negated errno on failure, so that callers
// need not read errno afterwards.
#ifndef CPOLL_H
#define CPOLL_H

#include <errno.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

// MARK: poll set (poll_epoll.c, poll_kqueue.c)

enum {
    CPOLL_READ = 1,    // interest and readiness
    CPOLL_WRITE = 2,   // interest and readiness
    CPOLL_HANGUP = 4,  // readiness only: the peer sends no more
    CPOLL_ERROR = 8,   // readiness only: SO_ERROR is set
};

// One readiness report. `token` is the one with which the descriptor was added.
struct cpoll_event {
    uint64_t token;
    uint32_t ready;
};

// Opens a new poll set, close-on-exec; close it with close(). Registrations are level-triggered, except for bells.
int cpoll_open(void);
int cpoll_add(int set, int descriptor, uint64_t token, uint32_t interest);
// `before` is the current interest of the descriptor.
int cpoll_change(int set, int descriptor, uint64_t token, uint32_t before, uint32_t after);
int cpoll_remove(int set, int descriptor, uint32_t before);
// Reads up to `room` reports, and waits up to `milliseconds` for the first.
int cpoll_take(int set, struct cpoll_event *events, int room, int milliseconds);
// Adds a bell, with which other threads can end that wait. Stores its descriptor, -1 if the system needs none; close it
// with the set. Any number of rings makes one report, of token 0 and readiness 0 or more.
int cpoll_add_bell(int set, int *bell);
int cpoll_ring(int set, int bell);

// MARK: addresses (names.c)

// An IPv4 or IPv6 address and port. `words` contain the address in network order, IPv4 in its first four bytes.
struct cpoll_address {
    uint64_t words[2];
    uint32_t scope;
    uint16_t port;
    uint8_t version;  // 4 or 6; 0 is no address
};

// getaddrinfo for stream sockets. Returns its error code (0 is success), whose sign differs between systems.
int cpoll_lookup(const char *host, struct cpoll_address *addresses, int room, int *count);
// Stores the addresses of this machine's interfaces, up to `room`. Returns their number.
int cpoll_interface_addresses(struct cpoll_address *addresses, int room);

// MARK: sockets (sockets.c)

// Non-blocking, close-on-exec, TCP_NODELAY, never raises SIGPIPE.
int cpoll_prepare(int descriptor);
// Sockets made by the functions below have all of that from the start.
// Opens a listening socket. Ended connections do not prevent it; a socket that listens there does, also one at the
// wildcard address. A backlog above the system's limit is cut to it (macOS: kern.ipc.somaxconn, 128; listen(2)).
int cpoll_listen(const struct cpoll_address *address, int backlog);
// Checks for a listener at an address of this machine, without connecting: 1 or 0; 0 also if this process may not bind
// there.
int cpoll_is_listened_at(const struct cpoll_address *address);
// -EMFILE and -ENFILE leave the connection in the backlog.
int cpoll_accept(int descriptor, struct cpoll_address *peer);
// Starts connecting; stores the socket. Returns 1 if already connected, as on loopback, 0 if in progress.
int cpoll_connect(const struct cpoll_address *address, int *descriptor);
int cpoll_local(int descriptor, struct cpoll_address *address);
int cpoll_peer(int descriptor, struct cpoll_address *address);
// Stores the original target of an accepted connection that the system redirected, or its own local address if it was
// not redirected. -ENOTSUP except on Linux.
int cpoll_original(int descriptor, struct cpoll_address *address);
// Lets a listening socket accept connections to addresses of other machines (TPROXY). -EPERM without the privilege,
// -ENOTSUP except on Linux.
int cpoll_take_any_address(int descriptor);
// Returns and clears the pending socket error: 0 or a positive errno.
int cpoll_error(int descriptor);
long cpoll_read(int descriptor, void *bytes, long room);
// Checks for waiting bytes without reading them.
long cpoll_peek(int descriptor);
long cpoll_write(int descriptor, const void *bytes, long count);
int cpoll_finish_writing(int descriptor);
// Makes the next close() send RST instead of FIN.
int cpoll_reset_on_close(int descriptor);

// MARK: service managers (service.c)

// Checks a socket from a service manager for use as a listener: TCP, listening, and of one version of IP. -ENOTSOCK,
// -EBADF; -EAFNOSUPPORT for neither IPv4 nor IPv6; -EINVAL if it does not listen.
// -EADDRNOTAVAIL for an IPv6 socket that accepts IPv4 clients, too: address rules know those in another form.
int cpoll_check_listener(int descriptor);
// Sends one datagram to a local socket: a path, or after an @ an abstract name (unix(7)).
int cpoll_tell(const char *path, const char *words);

// MARK: splicing (splice.c): Linux only, -ENOSYS elsewhere

// Opens a pipe, non-blocking and close-on-exec: ends[0] to read, ends[1] to write. `room` is requested; returns the
// actual size in bytes.
long cpoll_pipe(int ends[2], long room);
// Moves bytes from a socket into a pipe without copying them. 0 at the end of the socket's bytes.
long cpoll_fill_pipe(int pipe_end, int socket, long room);
// Moves bytes from a pipe into a socket. Never raises SIGPIPE.
long cpoll_empty_pipe(int pipe_end, int socket, long count);
// read(2): for pipes and files.
long cpoll_read_pipe(int pipe_end, void *bytes, long room);

// MARK: files, signals and memory (files.c)

// A stamp that changes when a file is written or replaced. The time is that of the last change to the file or its
// metadata, which cannot be set back (stat(2), st_ctime).
struct cpoll_stamp {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds;
    // The last change is so recent that another one may get the same time: file system clocks tick up to 10 ms apart
    // (time(7), "The software clock, HZ, and jiffies").
    int32_t is_young;
    int32_t is_regular;
};

// Opens a file for reading, close-on-exec.
int cpoll_open_file(const char *path);
int cpoll_stamp_of(const char *path, struct cpoll_stamp *stamp);
// Raises the soft limit of descriptors to the hard one. Returns the new limit, or a negative errno.
long cpoll_raise_descriptor_limit(void);
// Keeps the memory of this process out of core files; stores the previous soft limit. Linux pipes cores to a program
// without regard to the limit (core(5), "Piping core dumps to a program"). So there the process is also made
// undumpable, until it executes another program (PR_SET_DUMPABLE(2const)).
int cpoll_refuse_core_dumps(uint64_t *before);
// Sets the soft limit of core files, which started programs inherit.
int cpoll_limit_core_dumps(uint64_t bytes);
// Lets a Dispatch source receive `number` before its default action ends the process.
void cpoll_disarm_signal(int number);
// Returns freed memory to the system, if the allocator can. Takes milliseconds.
void cpoll_trim_memory(void);

#endif
