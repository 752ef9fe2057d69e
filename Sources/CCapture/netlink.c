#if defined(__linux__)
#include "netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static unsigned char *take(struct netlink_batch *batch, uint32_t size) {
    uint32_t whole = NLMSG_ALIGN(size);
    if (whole > netlink_room - batch->length) {
        batch->overflowed = 1;
        return 0;
    }
    unsigned char *place = batch->bytes + batch->length;
    memset(place, 0, whole);
    batch->length += whole;
    return place;
}

uint32_t netlink_begin(struct netlink_batch *batch, uint16_t type, uint16_t flags, const void *header, uint32_t size) {
    uint32_t start = batch->length;
    struct nlmsghdr head = {.nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags, .nlmsg_seq = ++batch->sequence};
    unsigned char *place = take(batch, sizeof head);
    if (place) memcpy(place, &head, sizeof head);
    place = take(batch, size);
    if (place) memcpy(place, header, size);
    return start;
}

void netlink_end(struct netlink_batch *batch, uint32_t start) {
    uint32_t length = batch->length - start;
    if (!batch->overflowed) memcpy(batch->bytes + start + offsetof(struct nlmsghdr, nlmsg_len), &length, sizeof length);
}

void netlink_put(struct netlink_batch *batch, uint16_t type, const void *value, uint32_t size) {
    struct nlattr head = {.nla_len = (uint16_t)(sizeof head + size), .nla_type = type};
    unsigned char *place = take(batch, (uint32_t)sizeof head + size);
    if (!place) return;
    memcpy(place, &head, sizeof head);
    memcpy(place + sizeof head, value, size);
}

void netlink_put_number(struct netlink_batch *batch, uint16_t type, uint32_t value) {
    uint32_t ordered = htonl(value);
    netlink_put(batch, type, &ordered, sizeof ordered);
}

void netlink_put_text(struct netlink_batch *batch, uint16_t type, const char *text) {
    netlink_put(batch, type, text, (uint32_t)strlen(text) + 1);
}

uint32_t netlink_nest(struct netlink_batch *batch, uint16_t type) {
    uint32_t start = batch->length;
    netlink_put(batch, type | NLA_F_NESTED, "", 0);
    return start;
}

void netlink_end_nest(struct netlink_batch *batch, uint32_t start) {
    uint16_t length = (uint16_t)(batch->length - start);
    if (!batch->overflowed) memcpy(batch->bytes + start, &length, sizeof length);
}

// The kernel handles a message inside the call that sends it, so its answers are already queued: netlink(7).
static int answer(int descriptor, uint32_t last) {
    _Alignas(struct nlmsghdr) unsigned char bytes[netlink_room];
    for (;;) {
        long count = recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -errno;
        int left = (int)count;
        for (struct nlmsghdr *head = (struct nlmsghdr *)bytes; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
            if (head->nlmsg_type != NLMSG_ERROR || head->nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) continue;
            int code = ((struct nlmsgerr *)NLMSG_DATA(head))->error;
            if (code != 0 || head->nlmsg_seq == last) return code;
        }
    }
}

int netlink_send(int protocol, struct netlink_batch *batch) {
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    uint32_t last = 0;
    if (batch->overflowed) return -ENOBUFS;
    int left = (int)batch->length;
    for (struct nlmsghdr *head = (struct nlmsghdr *)batch->bytes; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
        if (head->nlmsg_flags & NLM_F_ACK) last = head->nlmsg_seq;
    }
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (descriptor < 0) return -errno;
    long sent;
    do sent = sendto(descriptor, batch->bytes, batch->length, 0, (struct sockaddr *)&kernel, sizeof kernel);
    while (sent < 0 && errno == EINTR);
    int code = sent < 0 ? -errno : answer(descriptor, last);
    close(descriptor);
    return code;
}
#else
typedef int ccapture_has_no_netlink;
#endif
