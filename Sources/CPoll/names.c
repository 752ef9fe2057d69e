#include "CPoll.h"

#include "system_address.h"

#include <arpa/inet.h>
#include <string.h>

int cpoll_lookup(const char *host, struct cpoll_address *addresses, int room, int *count) {
    struct addrinfo hints, *list = 0;
    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_protocol = IPPROTO_TCP;
    *count = 0;
    int code = getaddrinfo(host, 0, &hints, &list);
    if (code != 0) return code;
    for (struct addrinfo *next = list; next && *count < room; next = next->ai_next) {
        if (cpoll_from_system(next->ai_addr, &addresses[*count])) *count += 1;
    }
    freeaddrinfo(list);
    return *count > 0 ? 0 : EAI_NONAME;
}

int cpoll_from_system(const struct sockaddr *system, struct cpoll_address *address) {
    memset(address, 0, sizeof *address);
    if (system->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, system, sizeof v4);
        memcpy(address->words, &v4.sin_addr, sizeof v4.sin_addr);
        address->port = ntohs(v4.sin_port);
        address->version = 4;
    } else if (system->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, system, sizeof v6);
        memcpy(address->words, &v6.sin6_addr, sizeof v6.sin6_addr);
        address->port = ntohs(v6.sin6_port);
        address->scope = v6.sin6_scope_id;
        address->version = 6;
    }
    return address->version != 0;
}

socklen_t cpoll_to_system(const struct cpoll_address *address, struct sockaddr_storage *system) {
    memset(system, 0, sizeof *system);
    if (address->version == 4) {
        struct sockaddr_in v4;
        memset(&v4, 0, sizeof v4);
        v4.sin_family = AF_INET;
        v4.sin_port = htons(address->port);
        memcpy(&v4.sin_addr, address->words, sizeof v4.sin_addr);
        memcpy(system, &v4, sizeof v4);
        return sizeof v4;
    }
    struct sockaddr_in6 v6;
    memset(&v6, 0, sizeof v6);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address->port);
    v6.sin6_scope_id = address->scope;
    memcpy(&v6.sin6_addr, address->words, sizeof v6.sin6_addr);
    memcpy(system, &v6, sizeof v6);
    return sizeof v6;
}
