// A socket filter that accepts datagrams and connections only from given peers. Classic BPF, so that the
// kernel drops the others at no cost to this process. Any thread, no allocation.
#pragma once

#include <linux/filter.h>

#include <cstddef>

#include "rtp/address.h"

namespace patchbay::lib {

constexpr size_t kMaxFilterInstructions = BPF_MAXINSNS;

// Writes the program for `count` addresses; ports are ignored. Returns its length, or 0 if `capacity` is too
// small. It has 6 instructions, 2 more per IPv4 address and 9 more per IPv6 address.
size_t write_peer_address_filter(const SocketAddress* peers, size_t count, sock_filter* out,
                                 size_t capacity) noexcept;

// Attaches that program for at most 16 addresses, replacing an earlier one. Returns false if the kernel
// refuses it.
bool attach_peer_address_filter(int fd, const SocketAddress* peers, size_t count) noexcept;

}  // namespace patchbay::lib
