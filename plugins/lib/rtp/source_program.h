// A socket filter that only lets datagrams and connections from some addresses through: classic BPF, so that
// the kernel drops the others before they cost this process anything. Any thread, no allocation.
#pragma once

#include <linux/filter.h>

#include <cstddef>

#include "rtp/address.h"

namespace patchbay::lib {

constexpr size_t kMaxSourceInstructions = BPF_MAXINSNS;

// The program for `count` addresses; ports are not looked at. Returns its length, 0 if `capacity` is too
// small: 6 instructions, 2 for each IPv4 address, 9 for each IPv6 address.
size_t write_source_program(const SocketAddress* peers, size_t count, sock_filter* out,
                            size_t capacity) noexcept;

// Attaches that program, at most of 16 addresses, in place of an earlier one. False when the kernel refuses
// it.
bool filter_sources(int fd, const SocketAddress* peers, size_t count) noexcept;

}  // namespace patchbay::lib
