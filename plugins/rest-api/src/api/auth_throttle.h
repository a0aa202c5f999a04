// Limits the checks of unknown bearers of an address, because each costs a signature check or a query of the
// store: kMaxUnknownBearers at once, then kUnknownBearersPerSec (16 times as many of an IPv6 /48). Further
// ones wait, a few of one address at a time; more are refused. A bearer is known while it is among the last
// valid ones. On the main strand.
#pragma once

#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "crypto/recent_digests.h"
#include "rate/address_limiter.h"

namespace patchbay::rest_api {

class AuthThrottle {
 public:
  explicit AuthThrottle(const Host& host);

  // The name of a bearer in the two functions below: its SHA-256.
  std::string name_of(std::string_view bearer) { return digests_.sha256_of(bearer); }
  // Runs `check` now or in a second; not after this is destroyed. False: drops `check`, because too many of
  // the address wait already.
  bool run(std::string_view address, const std::string& name, Function<void()> check);
  // Records the result of a check.
  void record(const std::string& name, bool is_valid);

 private:
  struct Waiting {
    int64_t due_ns = 0;
    std::string key;  // of the address
    Function<void()> check;
  };
  bool is_known(const std::string& name);
  void remember(const std::string& name);
  void arm();
  void run_due();

  const Host* host_;
  lib::AddressLimiter limiter_;
  lib::RecentDigests digests_;
  // Names of valid bearers. `newer_` becomes `older_` when it is full.
  std::unordered_set<std::string> newer_, older_;
  std::deque<Waiting> queue_;                        // in order, because all wait equally long
  std::unordered_map<std::string, size_t> waiting_;  // in queue_, by key
  Timer timer_;
  const Metric waiting_gauge_;
};

}  // namespace patchbay::rest_api
