// TcpWatch: shuts down dead TCP connections of the SIP port, because sofia-sip never closes one that began
// with junk, nor detects a peer that vanished. sip thread.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "rtp/address.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

// An IP socket of this process.
struct OwnSocket {
  int fd = -1;
  bool is_stream = false;
  bool is_listening = false;
  lib::SocketAddress local;
  lib::SocketAddress remote;  // invalid while not connected
};

// Lists the IP sockets of this process. Keeps /proc/self/fd open, because none of the descriptors may be free
// when the list is needed most.
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
    size_t max_accepted = kMaxAcceptedTcp;
    uint32_t idle_ms = kMaxTcpIdleMs;
    uint32_t unacknowledged_ms = kMaxUnacknowledgedMs;  // until the kernel gives up sending
  };

  // Connections shut down, by reason.
  struct Shut {
    size_t peer_closed = 0;  // closed by the peer, left open by sofia-sip
    size_t idle = 0;
    size_t excess = 0;
  };

  // `ports`: those that connections are accepted on.
  TcpWatch(std::vector<uint16_t> ports, const Limits& limits) : ports_(std::move(ports)), limits_(limits) {}

  // Call it about once a second. `peers` are the targets of TCP trunks; connections to them are checked too.
  // Accepted connections from the addresses `in_use` may be idle: over TLS they are the only way to end the
  // calls that came over them. Ends a connection by shutdown(); sofia-sip, which owns the descriptor, then
  // closes it. Returns the connections that it has shut down.
  Shut sweep(const std::vector<lib::SocketAddress>& peers,
             const std::vector<lib::SocketAddress>& in_use = {});

 private:
  const OwnSockets sockets_;
  const std::vector<uint16_t> ports_;
  const Limits limits_;
  std::map<int, int> half_closed_;  // by descriptor: number of sweeps since the peer closed
};

}  // namespace patchbay::sip_trunk
