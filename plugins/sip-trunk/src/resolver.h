// Host names to addresses, outside the SIP thread: sofia-sip's own resolver blocks calls and spins when the
// route to the DNS server is gone.
#pragma once

#include <patchbay/result.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rtp/address.h"

namespace patchbay::sip_trunk {

using Addresses = std::vector<lib::SocketAddress>;  // port 0

class Resolver {
 public:
  using Lookup = std::function<Result<Addresses>(const std::string& host, int family)>;
  using Done = std::function<void(const Result<Addresses>&)>;

  static constexpr size_t kMaxAddresses = 4;
  static constexpr int64_t kFreshMs = 60'000;        // getaddrinfo() tells no TTL
  static constexpr int64_t kFailureFreshMs = 2'000;  // how long a failure is not asked again

  // getaddrinfo().
  static Result<Addresses> system_lookup(const std::string& host, int family);

  explicit Resolver(Lookup lookup = system_lookup);
  // Drops the callbacks that wait. A lookup that is under way ends by itself, on a thread of its own.
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // `done` comes exactly once unless this is destroyed before: at once for a numeric host or a fresh result,
  // else later from another thread, without a deadline. Never blocks; any thread. Code::exhausted when 8
  // 1000 other names wait for one of the 8 lookups at a time.
  void resolve(const std::string& host, int family, Done done);
  // The same, but never with a fresh result: a lookup that is under way counts, else it is made anew.
  void refresh(const std::string& host, int family, Done done);

  // The latest addresses that were found, however old. Code::not_found when there are none.
  Result<Addresses> last_known(const std::string& host, int family) const;

 private:
  struct State;
  void ask(const std::string& host, int family, bool anew, Done done);
  std::shared_ptr<State> state_;  // shared with the lookups under way
};

}  // namespace patchbay::sip_trunk
