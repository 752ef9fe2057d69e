#include "CPoll.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#if defined(MSG_NOSIGNAL)
enum { quietly = MSG_NOSIGNAL };
#else
enum { quietly = 0 };  // macOS: a datagram never raises SIGPIPE
#endif

static int option(int descriptor, int level, int name) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(descriptor, level, name, &value, &length) < 0 ? -errno : value;
}

int cpoll_check_listener(int descriptor) {
    struct cpoll_address local;
    int type = option(descriptor, SOL_SOCKET, SO_TYPE);
    if (type < 0) return type;
    int code = cpoll_local(descriptor, &local);
    if (code < 0) return code;
    if (local.version == 0) return -EAFNOSUPPORT;
    if (type != SOCK_STREAM || option(descriptor, SOL_SOCKET, SO_ACCEPTCONN) != 1) return -EINVAL;
    int is_anywhere = local.words[0] == 0 && local.words[1] == 0;
    if (local.version == 6 && is_anywhere && option(descriptor, IPPROTO_IPV6, IPV6_V6ONLY) != 1) return -EADDRNOTAVAIL;
    return 0;
}

int cpoll_tell(const char *path, const char *words) {
    struct sockaddr_un to;
    size_t length = strlen(path);
    memset(&to, 0, sizeof to);
    to.sun_family = AF_UNIX;
    if (path[0] != '/' && path[0] != '@') return -EAFNOSUPPORT;
    if (length >= sizeof to.sun_path) return -ENAMETOOLONG;
    memcpy(to.sun_path, path, length);
    if (path[0] == '@') to.sun_path[0] = 0;
    int descriptor = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (descriptor < 0) return -errno;
    (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    int code = sendto(descriptor, words, strlen(words), quietly, (struct sockaddr *)&to, size) < 0 ? -errno : 0;
    close(descriptor);
    return code;
}
