#include "CCapture.h"

#include <errno.h>

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
