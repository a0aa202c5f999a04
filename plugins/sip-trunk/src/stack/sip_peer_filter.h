// SipPeerFilter: lets only known peers reach the SIP sockets. A classic BPF program in the kernel drops
// everything else, including TCP connection attempts, at no cost to this process. The filter holds all peers
// or is off, because calls of a missing peer would be silenced. sip thread.
#pragma once

#include <patchbay/result.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rtp/address.h"

namespace patchbay::sip_trunk {

class SipPeerFilter {
 public:
  // Called with ok when the filter is switched on, and with the reason when it is switched off, from within
  // the methods below.
  using Changed = std::function<void(const Status&)>;
  explicit SipPeerFilter(Changed changed = {}) : changed_(std::move(changed)) {}

  // Sets the open sockets to filter. They must outlive the last call of this object.
  void set_sockets(std::vector<int> descriptors);

  // Sets the peers that are always allowed, replacing the earlier ones.
  void set_permanent(std::vector<lib::SocketAddress> peers);

  // Reference-counted: a peer is removed after as many forbid() as allow(). Invalid addresses are ignored.
  void allow(const lib::SocketAddress& peer);
  void forbid(const lib::SocketAddress& peer);

  // Returns whether set_permanent() has the address.
  bool is_permanent(const lib::SocketAddress& peer) const;

  bool is_on() const noexcept { return state_ == State::on; }

 private:
  enum class State { none, on, off };

  void apply();
  Status attach() const;
  void detach() const;

  const Changed changed_;
  std::vector<int> descriptors_;
  std::vector<lib::SocketAddress> permanent_;
  std::map<std::string, size_t> counted_;  // by ip_text
  State state_ = State::none;
};

}  // namespace patchbay::sip_trunk
