// The nftables rules below, sent to the kernel by netlink, because nft(8) may not be installed:
//
//   table inet atsgate { chain out { type nat hook output priority dstnat;
//     udp dport 53 redirect to :53        tcp dport 53 redirect to :53
//     ip daddr 127.0.0.0/8 accept         ip6 daddr ::1 accept
//     meta nfproto ipv4 meta l4proto tcp redirect to :PORT4
//     meta nfproto ipv6 meta l4proto tcp redirect to :PORT6 } }
//
// A redirected connection of this machine goes to 127.0.0.1 or ::1 (nft(8), "REDIRECT").
#if defined(__linux__)
#include "netlink.h"
#include "parts.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_nat.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <netinet/in.h>

static const char table[] = "atsgate";
static const char chain[] = "out";
enum { message = NFNL_SUBSYS_NFTABLES << 8, before_others = -100, name_port = 53 };

static uint32_t begin(struct netlink_batch *batch, uint16_t type, uint16_t flags, uint8_t family, uint16_t resource) {
    struct nfgenmsg head = {.nfgen_family = family, .version = NFNETLINK_V0, .res_id = htons(resource)};
    return netlink_begin(batch, type, flags, &head, sizeof head);
}

struct expression { uint32_t element, data; };

static struct expression expression(struct netlink_batch *batch, const char *name) {
    struct expression place;
    place.element = netlink_nest(batch, NFTA_LIST_ELEM);
    netlink_put_text(batch, NFTA_EXPR_NAME, name);
    place.data = netlink_nest(batch, NFTA_EXPR_DATA);
    return place;
}

static void end(struct netlink_batch *batch, struct expression place) {
    netlink_end_nest(batch, place.data);
    netlink_end_nest(batch, place.element);
}

static void compare(struct netlink_batch *batch, const void *value, uint32_t size) {
    struct expression place = expression(batch, "cmp");
    netlink_put_number(batch, NFTA_CMP_SREG, NFT_REG_1);
    netlink_put_number(batch, NFTA_CMP_OP, NFT_CMP_EQ);
    uint32_t data = netlink_nest(batch, NFTA_CMP_DATA);
    netlink_put(batch, NFTA_DATA_VALUE, value, size);
    netlink_end_nest(batch, data);
    end(batch, place);
}

static void meta_is(struct netlink_batch *batch, uint32_t key, uint8_t value) {
    struct expression place = expression(batch, "meta");
    netlink_put_number(batch, NFTA_META_DREG, NFT_REG_1);
    netlink_put_number(batch, NFTA_META_KEY, key);
    end(batch, place);
    compare(batch, &value, sizeof value);
}

static void payload_is(struct netlink_batch *batch, uint32_t base, uint32_t offset, const void *value, uint32_t size) {
    struct expression place = expression(batch, "payload");
    netlink_put_number(batch, NFTA_PAYLOAD_DREG, NFT_REG_1);
    netlink_put_number(batch, NFTA_PAYLOAD_BASE, base);
    netlink_put_number(batch, NFTA_PAYLOAD_OFFSET, offset);
    netlink_put_number(batch, NFTA_PAYLOAD_LEN, size);
    end(batch, place);
    compare(batch, value, size);
}

static void accept_it(struct netlink_batch *batch) {
    struct expression place = expression(batch, "immediate");
    netlink_put_number(batch, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
    uint32_t data = netlink_nest(batch, NFTA_IMMEDIATE_DATA);
    uint32_t verdict = netlink_nest(batch, NFTA_DATA_VERDICT);
    netlink_put_number(batch, NFTA_VERDICT_CODE, NF_ACCEPT);
    netlink_end_nest(batch, verdict);
    netlink_end_nest(batch, data);
    end(batch, place);
}

static void redirect_it(struct netlink_batch *batch, uint16_t port) {
    uint16_t ordered = htons(port);
    struct expression place = expression(batch, "immediate");
    netlink_put_number(batch, NFTA_IMMEDIATE_DREG, NFT_REG_1);
    uint32_t data = netlink_nest(batch, NFTA_IMMEDIATE_DATA);
    netlink_put(batch, NFTA_DATA_VALUE, &ordered, sizeof ordered);
    netlink_end_nest(batch, data);
    end(batch, place);
    place = expression(batch, "redir");
    netlink_put_number(batch, NFTA_REDIR_REG_PROTO_MIN, NFT_REG_1);
    netlink_put_number(batch, NFTA_REDIR_FLAGS, NF_NAT_RANGE_PROTO_SPECIFIED);
    end(batch, place);
}

struct rule { uint32_t start, list; };

static struct rule begin_rule(struct netlink_batch *batch) {
    struct rule rule;
    rule.start = begin(batch, message | NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK, NFPROTO_INET, 0);
    netlink_put_text(batch, NFTA_RULE_TABLE, table);
    netlink_put_text(batch, NFTA_RULE_CHAIN, chain);
    rule.list = netlink_nest(batch, NFTA_RULE_EXPRESSIONS);
    return rule;
}

static void end_rule(struct netlink_batch *batch, struct rule rule) {
    netlink_end_nest(batch, rule.list);
    netlink_end(batch, rule.start);
}

static void put_chain(struct netlink_batch *batch) {
    uint32_t start = begin(batch, message | NFT_MSG_NEWTABLE, NLM_F_CREATE, NFPROTO_INET, 0);
    netlink_put_text(batch, NFTA_TABLE_NAME, table);
    netlink_end(batch, start);
    start = begin(batch, message | NFT_MSG_NEWCHAIN, NLM_F_CREATE, NFPROTO_INET, 0);
    netlink_put_text(batch, NFTA_CHAIN_TABLE, table);
    netlink_put_text(batch, NFTA_CHAIN_NAME, chain);
    uint32_t hook = netlink_nest(batch, NFTA_CHAIN_HOOK);
    netlink_put_number(batch, NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT);
    netlink_put_number(batch, NFTA_HOOK_PRIORITY, (uint32_t)before_others);
    netlink_end_nest(batch, hook);
    netlink_put_text(batch, NFTA_CHAIN_TYPE, "nat");
    netlink_end(batch, start);
}

// Offsets of the destination: RFC 9293 and RFC 768 for ports, RFC 791 and RFC 8200 for addresses.
static void put_names(struct netlink_batch *batch, uint8_t protocol) {
    uint16_t port = htons(name_port);
    struct rule rule = begin_rule(batch);
    meta_is(batch, NFT_META_L4PROTO, protocol);
    payload_is(batch, NFT_PAYLOAD_TRANSPORT_HEADER, 2, &port, sizeof port);
    redirect_it(batch, name_port);
    end_rule(batch, rule);
}

static void put_own(struct netlink_batch *batch) {
    static const uint8_t own4 = 127;
    static const struct in6_addr own6 = IN6ADDR_LOOPBACK_INIT;
    struct rule rule = begin_rule(batch);
    meta_is(batch, NFT_META_NFPROTO, NFPROTO_IPV4);
    payload_is(batch, NFT_PAYLOAD_NETWORK_HEADER, 16, &own4, sizeof own4);
    accept_it(batch);
    end_rule(batch, rule);
    rule = begin_rule(batch);
    meta_is(batch, NFT_META_NFPROTO, NFPROTO_IPV6);
    payload_is(batch, NFT_PAYLOAD_NETWORK_HEADER, 24, &own6, sizeof own6);
    accept_it(batch);
    end_rule(batch, rule);
}

static void put_connections(struct netlink_batch *batch, uint8_t version, uint16_t port) {
    struct rule rule = begin_rule(batch);
    meta_is(batch, NFT_META_NFPROTO, version);
    meta_is(batch, NFT_META_L4PROTO, IPPROTO_TCP);
    redirect_it(batch, port);
    end_rule(batch, rule);
}

int ccapture_redirect_all(uint16_t port4, uint16_t port6) {
    struct netlink_batch batch = {.length = 0};
    netlink_end(&batch, begin(&batch, NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
    put_chain(&batch);
    put_names(&batch, IPPROTO_UDP);
    put_names(&batch, IPPROTO_TCP);
    put_own(&batch);
    if (port6 != 0) put_connections(&batch, NFPROTO_IPV6, port6);
    put_connections(&batch, NFPROTO_IPV4, port4);
    netlink_end(&batch, begin(&batch, NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
    return netlink_send(NETLINK_NETFILTER, &batch);
}
#endif
