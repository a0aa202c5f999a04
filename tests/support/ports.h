// Ports on 127.0.0.1 for programs that cannot let the kernel choose one.
#pragma once

#include <cstdint>

namespace patchbay::test {

// A port free for UDP and TCP, below the range the kernel gives out: a socket bound to port 0 cannot take it.
uint16_t free_port();

// Whether a process has the port. They read the kernel's tables: trying the port with bind() would take it
// from the program that is about to bind it.
bool is_bound_on_udp(uint16_t port);
bool is_listening_on_tcp(uint16_t port);

}  // namespace patchbay::test
