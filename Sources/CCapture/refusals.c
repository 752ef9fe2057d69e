// Refusals by the kernel of a space. It reports datagrams without a receiver by ICMP (RFC 1122 section 3.2.2.1, RFC
// 4443 section 3.1), and raw sockets get a copy (raw(7), "ICMP_FILTER"). If only connections to some ports are
// captured, a filter also passes the first packet of each IPv4 connection.
#if defined(__linux__)
#include "parts.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <unistd.h>

static int open_raw(int version, int protocol) {
    int descriptor = socket(version == 6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    return descriptor < 0 ? -errno : descriptor;
}

static void keep(struct ccapture_space *space, int descriptor, int level, int option, const void *value, socklen_t size) {
    if (descriptor < 0) return;
    if (setsockopt(descriptor, level, option, value, size) < 0) {
        close(descriptor);
        return;
    }
    space->refusals[space->refusal_count++] = descriptor;
}

void ccapture_open_refusals(struct ccapture_space *space) {
    struct icmp_filter filter4 = {.data = ~(1u << ICMP_DEST_UNREACH)};
    keep(space, open_raw(4, IPPROTO_ICMP), SOL_RAW, ICMP_FILTER, &filter4, sizeof filter4);
    struct icmp6_filter filter6;
    ICMP6_FILTER_SETBLOCKALL(&filter6);
    ICMP6_FILTER_SETPASS(ICMP6_DST_UNREACH, &filter6);
    keep(space, open_raw(6, IPPROTO_ICMPV6), IPPROTO_ICMPV6, ICMP6_FILTER, &filter6, sizeof filter6);
    if (space->catches_all) return;
    // SYN without ACK: RFC 9293 section 3.1. A packet begins with its IP header, whose length is skipped.
    struct sock_filter begins[] = {
        BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),        BPF_STMT(BPF_LD | BPF_B | BPF_IND, 13),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 64),                 BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program = {.len = sizeof begins / sizeof *begins, .filter = begins};
    keep(space, open_raw(4, IPPROTO_TCP), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}
#endif
