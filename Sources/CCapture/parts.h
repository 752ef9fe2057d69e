// What the files of this room share. Every function here only calls the system: signal-safety(7).
#ifndef CCAPTURE_PARTS_H
#define CCAPTURE_PARTS_H

#include "CCapture.h"

// Routes of a network namespace that has lo alone: every address of IPv4, then of IPv6, is local. -EAFNOSUPPORT and the
// like for a version of IP that the system lacks.
int ccapture_route_all(int version);
// A rule that leads every TCP connection that leaves the namespace to a port of loopback, and questions for names to
// its port 53. Ports in host order; `port6` 0 for none.
int ccapture_redirect_all(uint16_t port4, uint16_t port6);
// The whole of the space, in the calling process. Returns the step that failed, with its errno in `code`, or 0.
int ccapture_build(const uint16_t *ports, int port_count, int wants_rule, int wants_user, struct ccapture_space *space,
                   int *code);
// Opens what tells of refusals; none where that is not allowed.
void ccapture_open_refusals(struct ccapture_space *space);
void ccapture_close(struct ccapture_space *space);

#endif
