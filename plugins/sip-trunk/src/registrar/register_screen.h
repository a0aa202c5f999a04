// RegisterScreen: decides about each REGISTER before sofia-sip makes a transaction of it. Over UDP one
// without credentials for a nonce of ours is answered here, from the socket itself, so that a flood costs a
// response each and no memory. sip thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "rate/address_limiter.h"
#include "registrar/challenges.h"
#include "stack/request_screen.h"
#include "stack/sofia.h"

namespace patchbay::sip_trunk {

class RegisterScreen {
 public:
  explicit RegisterScreen(std::shared_ptr<const Challenges> challenges);

  // The hosts whose users may register; others get 404.
  void set_realms(std::set<std::string> realms) { realms_ = std::move(realms); }
  // The UDP socket that answers are sent from; -1: none.
  void set_socket(int descriptor) noexcept { socket_ = descriptor; }

  // `request` has a Call-ID and a To. Admission::handled: it was answered here, or dropped because its sender
  // sends too many.
  Admission judge(const sip_t& request, const lib::SocketAddress& from, bool is_datagram);

  uint64_t challenged() const noexcept { return challenged_; }
  uint64_t dropped() const noexcept { return dropped_; }

 private:
  bool has_valid_nonce(const sip_t& request, const std::string& source, int64_t now_ms) const;
  Admission drop(bool is_datagram);
  void answer(const sip_t& request, const lib::SocketAddress& to, int status,
              const std::vector<std::string>& challenges) const;

  const std::shared_ptr<const Challenges> challenges_;
  std::set<std::string> realms_;
  int socket_ = -1;
  lib::AddressLimiter strangers_;
  lib::AddressLimiter authenticated_;
  PerSecondLimit total_;
  std::atomic<uint64_t> challenged_{0}, dropped_{0};
};

}  // namespace patchbay::sip_trunk
