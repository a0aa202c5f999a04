// Ports on 127.0.0.1 for programs that cannot let the kernel choose one.
#pragma once

#include <cstdint>

namespace patchbay::test {

// Returns a port that is free for UDP and TCP, below the kernel's range of ephemeral ports, so that no socket
// bound to port 0 gets it.
uint16_t free_port();

// Whether a process has bound the port. They read the kernel's tables, because a bind() of the test could
// collide with that of the program.
bool is_bound_on_udp(uint16_t port);
bool is_listening_on_tcp(uint16_t port);

}  // namespace patchbay::test
