#if defined(__linux__)
#include "netlink.h"
#include "parts.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>

// lo is the first interface of every network namespace (network_namespaces(7)).
static const uint32_t loopback_index = 1;

int ccapture_route_all(int version) {
    struct netlink_batch batch = {.length = 0};
    struct in_addr own4 = {.s_addr = htonl(INADDR_LOOPBACK)};
    struct in6_addr own6 = IN6ADDR_LOOPBACK_INIT;
    struct rtmsg route = {
        .rtm_family = version == 6 ? AF_INET6 : AF_INET,
        .rtm_table = RT_TABLE_LOCAL,
        .rtm_protocol = RTPROT_BOOT,
        .rtm_scope = version == 6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_HOST,
        .rtm_type = RTN_LOCAL,
    };
    uint32_t start = netlink_begin(&batch, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK, &route, sizeof route);
    netlink_put(&batch, RTA_OIF, &loopback_index, sizeof loopback_index);
    // Without it, the source address of a connection would be its target.
    if (version == 6) {
        netlink_put(&batch, RTA_PREFSRC, &own6, sizeof own6);
    } else {
        netlink_put(&batch, RTA_PREFSRC, &own4, sizeof own4);
    }
    netlink_end(&batch, start);
    return netlink_send(NETLINK_ROUTE, &batch);
}
#endif
