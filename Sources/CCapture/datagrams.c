#include "CCapture.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>

long ccapture_receive(int descriptor, void *bytes, long room, struct ccapture_sender *sender) {
    long count;
    sender->length = sizeof sender->address;
    do count = recvfrom(descriptor, bytes, (size_t)room, MSG_DONTWAIT, (struct sockaddr *)&sender->address,
                        &sender->length);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

long ccapture_answer(int descriptor, const void *bytes, long count, const struct ccapture_sender *sender) {
    long sent;
    do sent = sendto(descriptor, bytes, (size_t)count, MSG_DONTWAIT, (const struct sockaddr *)&sender->address,
                     sender->length);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

int ccapture_bind(const char *host, uint16_t *port) {
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_DGRAM}, *found;
    char service[8];
    snprintf(service, sizeof service, "%u", *port);
    if (getaddrinfo(host, service, &hints, &found) != 0) return -EINVAL;
    int descriptor = socket(found->ai_family, SOCK_DGRAM, 0);
    int code = descriptor < 0 ? -errno : 0;
    int on = 1;
    // IPv4 clients have their own listener, as with TCP.
    if (code == 0 && found->ai_family == AF_INET6) {
        (void)setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    }
    if (code == 0 && (fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 ||
                      bind(descriptor, found->ai_addr, found->ai_addrlen) < 0)) {
        code = -errno;
        close(descriptor);
    }
    freeaddrinfo(found);
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    if (code == 0 && getsockname(descriptor, (struct sockaddr *)&own, &size) == 0) {
        *port = ntohs(own.ss_family == AF_INET ? ((struct sockaddr_in *)&own)->sin_port
                                               : ((struct sockaddr_in6 *)&own)->sin6_port);
    }
    return code == 0 ? descriptor : code;
}
