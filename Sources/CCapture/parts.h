// Shared by the files of this target. Every function here only makes system calls: signal-safety(7).
#ifndef CCAPTURE_PARTS_H
#define CCAPTURE_PARTS_H

#include "CCapture.h"

// Adds routes to a network namespace with lo alone: every address of IPv4 or IPv6 becomes local. Returns
// -EAFNOSUPPORT or a similar error for a version of IP that the system lacks.
int ccapture_route_all(int version);
// Adds a rule that redirects every outgoing TCP connection to a port of loopback, and DNS queries to its port 53. Ports
// in host order; `port6` 0 for none.
int ccapture_redirect_all(uint16_t port4, uint16_t port6);
// Makes the whole space in the calling process. Returns the step that failed, with its errno in `code`, or 0.
int ccapture_build(const uint16_t *ports, int port_count, int wants_rule, int wants_user, struct ccapture_space *space,
                   int *code);
// Opens the sockets that receive refusals; none if that is not allowed.
void ccapture_open_refusals(struct ccapture_space *space);
void ccapture_close(struct ccapture_space *space);

#endif
