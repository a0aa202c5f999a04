// Lets only known peers reach the SIP sockets: a classic BPF program in the kernel drops everything else, TCP
// connection attempts included, before it costs this process anything. sip thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rtp/address.h"

namespace patchbay::sip_trunk {

class SourceFilter {
 public:
  // The sockets to guard, once they are open. False when the kernel does not take the filter.
  bool guard(std::vector<int> descriptors);

  // The peers that are always known; replaces the ones given before.
  void set_permanent(std::vector<lib::SocketAddress> peers);

  // Counted: as many forbid() as allow() take a peer off again. Invalid addresses are ignored.
  void allow(const lib::SocketAddress& peer);
  void forbid(const lib::SocketAddress& peer);

 private:
  bool apply();

  std::vector<int> descriptors_;
  std::vector<lib::SocketAddress> permanent_;
  std::map<std::string, size_t> counted_;  // by ip_text
};

}  // namespace patchbay::sip_trunk
