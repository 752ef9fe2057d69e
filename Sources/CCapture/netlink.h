// Messages of netlink(7), written into memory of a fixed size.
#ifndef CCAPTURE_NETLINK_H
#define CCAPTURE_NETLINK_H

#include <linux/netlink.h>
#include <stdint.h>

enum { netlink_room = 8192 };

struct netlink_batch {
    _Alignas(4) unsigned char bytes[netlink_room];
    uint32_t length;
    uint32_t sequence;
    int overflowed;
};

// Starts a message with `size` bytes of its family's header. Returns its offset.
uint32_t netlink_begin(struct netlink_batch *batch, uint16_t type, uint16_t flags, const void *header, uint32_t size);
void netlink_end(struct netlink_batch *batch, uint32_t start);
void netlink_put(struct netlink_batch *batch, uint16_t type, const void *value, uint32_t size);
// A number in network order.
void netlink_put_number(struct netlink_batch *batch, uint16_t type, uint32_t value);
void netlink_put_text(struct netlink_batch *batch, uint16_t type, const char *text);
// Starts an attribute that contains others. Returns its offset.
uint32_t netlink_nest(struct netlink_batch *batch, uint16_t type);
void netlink_end_nest(struct netlink_batch *batch, uint32_t start);
// Sends all messages and reads answers up to that of the last message, which must request one. Returns 0 or the first
// message's negated errno.
int netlink_send(int protocol, struct netlink_batch *batch);

#endif
