// Keeps order among the TCP connections of the SIP port, which sofia-sip leaves open: it never closes one
// that began with junk, nor notices a peer that is gone without a word. sip thread.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "rtp/address.h"

namespace patchbay::sip_trunk {

// An IP socket of this process.
struct OwnSocket {
  int fd = -1;
  bool is_stream = false;
  bool is_listening = false;
  lib::SocketAddress local;
  lib::SocketAddress remote;  // invalid while not connected
};

// Lists them. Keeps the folder of descriptors open: opening it needs a descriptor, and none may be left when
// the list is needed most.
class OwnSockets {
 public:
  OwnSockets();
  ~OwnSockets();
  OwnSockets(const OwnSockets&) = delete;
  OwnSockets& operator=(const OwnSockets&) = delete;

  std::vector<OwnSocket> list() const;

 private:
  DIR* const folder_;
};

class TcpWatch {
 public:
  struct Limits {
    size_t max_accepted = 64;            // beyond, the ones silent for longest are shut down
    uint32_t idle_ms = 120'000;          // of an accepted connection
    uint32_t unacknowledged_ms = 4'000;  // until the kernel gives a connection up that does not take our data
  };

  // Connections that were ended, by reason.
  struct Shut {
    size_t peer_closed = 0;  // by the peer, and left open by sofia-sip
    size_t idle = 0;
    size_t excess = 0;
  };

  TcpWatch(uint16_t sip_port, const Limits& limits) : sip_port_(sip_port), limits_(limits) {}

  // To be called about once a second. `peers` are the targets of TCP trunks: connections to them count as
  // ours too. A connection is ended by shutdown(): sofia-sip, which owns the descriptor, then closes it.
  // Returns what it has ended.
  Shut sweep(const std::vector<lib::SocketAddress>& peers);

 private:
  const OwnSockets sockets_;
  const uint16_t sip_port_;
  const Limits limits_;
  std::map<int, int> half_closed_;  // descriptor: how many sweeps have seen the peer gone
};

}  // namespace patchbay::sip_trunk
