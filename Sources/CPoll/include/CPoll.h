// The system calls that Swift's own Glibc and Darwin modules do not offer in one shape: a poll set (epoll or kqueue),
// non-blocking sockets, names, file stamps.
//
// Unless a comment says otherwise a function returns 0 or a count on success and a negated errno on failure, so that no
// caller has to read errno after the fact.
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
    CPOLL_HANGUP = 4,  // readiness only: the peer will send no more
    CPOLL_ERROR = 8,   // readiness only: SO_ERROR is set
};

// One readiness report. `token` is what the descriptor was added with.
struct cpoll_event {
    uint64_t token;
    uint32_t ready;
};

// A new poll set, close-on-exec; close it with close(). Registrations are level-triggered, but for bells.
int cpoll_open(void);
int cpoll_add(int set, int descriptor, uint64_t token, uint32_t interest);
// `before` is the interest the descriptor is registered with now.
int cpoll_change(int set, int descriptor, uint64_t token, uint32_t before, uint32_t after);
int cpoll_remove(int set, int descriptor, uint32_t before);
// Takes up to `room` reports, and waits up to `milliseconds` for the first.
int cpoll_take(int set, struct cpoll_event *events, int room, int milliseconds);
// Something that other threads can end that waiting with. Stores its descriptor, -1 where the system needs none; close
// it with the set. Any number of rings makes one report, of token 0 and readiness 0 or more.
int cpoll_add_bell(int set, int *bell);
int cpoll_ring(int set, int bell);

// MARK: addresses (names.c)

// An IPv4 or IPv6 address and port. `words` hold the address in network order, IPv4 in its first four bytes.
struct cpoll_address {
    uint64_t words[2];
    uint32_t scope;
    uint16_t port;
    uint8_t version;  // 4 or 6; 0 is no address
};

// getaddrinfo for stream sockets. Returns its error code (0 is success), whose sign differs between systems.
int cpoll_lookup(const char *host, struct cpoll_address *addresses, int room, int *count);
// The addresses of this machine's interfaces, up to `room`. Returns how many.
int cpoll_interface_addresses(struct cpoll_address *addresses, int room);

// MARK: sockets (sockets.c)

// Non-blocking, close-on-exec, TCP_NODELAY, never raises SIGPIPE.
int cpoll_prepare(int descriptor);
// Sockets made by the functions below are all that from birth.
// A listening socket. What ended before is not in its way; who listens there is, also at the wildcard address.
// A backlog above the system's own is cut down to it (macOS: kern.ipc.somaxconn, 128; listen(2)).
int cpoll_listen(const struct cpoll_address *address, int backlog);
// Whether somebody listens at an address of this machine, told without connecting there: 1 or 0; 0 also where this
// process may not bind.
int cpoll_is_listened_at(const struct cpoll_address *address);
// -EMFILE and -ENFILE leave the connection in the backlog.
int cpoll_accept(int descriptor, struct cpoll_address *peer);
// Starts connecting; stores the socket. Returns 1 when connected at once, as on loopback, 0 when under way.
int cpoll_connect(const struct cpoll_address *address, int *descriptor);
int cpoll_local(int descriptor, struct cpoll_address *address);
int cpoll_peer(int descriptor, struct cpoll_address *address);
// Where the client of an accepted connection wanted to go before the system redirected it; its own address where it did
// not. -ENOTSUP but on Linux.
int cpoll_original(int descriptor, struct cpoll_address *address);
// Lets a listening socket take connections to addresses that are not this machine's (TPROXY). -EPERM without the right
// to that, -ENOTSUP but on Linux.
int cpoll_take_any_address(int descriptor);
// The pending socket error, which is cleared: 0 or a positive errno.
int cpoll_error(int descriptor);
long cpoll_read(int descriptor, void *bytes, long room);
// Looks whether bytes wait without taking any.
long cpoll_peek(int descriptor);
long cpoll_write(int descriptor, const void *bytes, long count);
int cpoll_finish_writing(int descriptor);
// Makes the next close() send RST instead of FIN.
int cpoll_reset_on_close(int descriptor);

// MARK: service managers (service.c)

// Whether clients can be accepted from a socket that somebody else has made: TCP, listening, and of one version of IP.
// -ENOTSOCK, -EBADF; -EAFNOSUPPORT for neither IPv4 nor IPv6; -EINVAL where it does not listen; -EADDRNOTAVAIL for one
// of IPv6 that takes clients of IPv4, too: rules on addresses know theirs in another form.
int cpoll_check_listener(int descriptor);
// Sends one datagram to a socket of the system: a path, or with @ in front a name that is in no folder (unix(7)).
int cpoll_tell(const char *path, const char *words);

// MARK: splicing (splice.c): Linux only, -ENOSYS elsewhere

// A pipe, non-blocking and close-on-exec: ends[0] to read, ends[1] to write. `room` is asked for; returns what was
// granted, in bytes.
long cpoll_pipe(int ends[2], long room);
// Moves bytes from a socket into a pipe without copying them. 0 is the end of the socket's bytes.
long cpoll_fill_pipe(int pipe_end, int socket, long room);
// Moves bytes from a pipe into a socket. Never raises SIGPIPE.
long cpoll_empty_pipe(int pipe_end, int socket, long count);
// read(2): for pipes and files.
long cpoll_read_pipe(int pipe_end, void *bytes, long room);

// MARK: files, signals and memory (files.c)

// What changes when a file is written or replaced. The time is that of the last change to the file or to what is known
// of it, which nobody can set back (stat(2), st_ctime).
struct cpoll_stamp {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds;
    // The last change is so recent that another one may get the same time: clocks of file systems tick up to 10 ms
    // apart (time(7), "The software clock, HZ, and jiffies").
    int32_t is_young;
    int32_t is_regular;
};

// Opens a file to read, close-on-exec.
int cpoll_open_file(const char *path);
int cpoll_stamp_of(const char *path, struct cpoll_stamp *stamp);
// Raises the soft limit of descriptors to the hard one. Returns what holds now, or a negative errno.
long cpoll_raise_descriptor_limit(void);
// Keeps the memory of this process out of core files, for itself; stores the soft limit that held before. Linux gives a
// core to a program without looking at the limit (core(5), "Piping core dumps to a program"), so there the process is
// made undumpable, too, until it runs another program (PR_SET_DUMPABLE(2const)).
int cpoll_refuse_core_dumps(uint64_t *before);
// Sets the soft limit of core files, which programs that are started inherit.
int cpoll_limit_core_dumps(uint64_t bytes);
// Lets a Dispatch source see `number` before its default action ends the process.
void cpoll_disarm_signal(int number);
// Gives memory that was freed back to the system, as far as the allocator can. Takes milliseconds.
void cpoll_trim_memory(void);

#endif
