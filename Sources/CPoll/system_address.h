// Converts between our addresses and the system's. Private to this target.
#ifndef CPOLL_SYSTEM_ADDRESS_H
#define CPOLL_SYSTEM_ADDRESS_H

#include "CPoll.h"

#include <netinet/in.h>

// Returns 1, or 0 if the family is neither IPv4 nor IPv6.
int cpoll_from_system(const struct sockaddr *system, struct cpoll_address *address);
socklen_t cpoll_to_system(const struct cpoll_address *address, struct sockaddr_storage *system);

#endif
