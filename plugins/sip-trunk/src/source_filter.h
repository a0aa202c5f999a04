// Lets only known peers reach the SIP sockets: a classic BPF program in the kernel drops everything else, TCP
// connection attempts included, before it costs this process anything. A filter that lacks one peer would
// silence its calls, so that it holds all of them or is off. sip thread.
#pragma once

#include <patchbay/result.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rtp/address.h"

namespace patchbay::sip_trunk {

class SourceFilter {
 public:
  // Told each time the filter goes on (ok) or off (why), from inside the methods below.
  using Changed = std::function<void(const Status&)>;
  explicit SourceFilter(Changed changed = {}) : changed_(std::move(changed)) {}

  // The sockets to guard, once they are open. They outlive this object, or its last call at least.
  void guard(std::vector<int> descriptors);

  // The peers that are always known; replaces the ones given before.
  void set_permanent(std::vector<lib::SocketAddress> peers);

  // Counted: as many forbid() as allow() take a peer off again. Invalid addresses are ignored.
  void allow(const lib::SocketAddress& peer);
  void forbid(const lib::SocketAddress& peer);

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
