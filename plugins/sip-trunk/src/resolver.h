// Resolves host names outside the SIP thread, because sofia-sip's resolver blocks calls, and spins without a
// route to the DNS server.
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

  // Calls getaddrinfo(); blocks.
  static Result<Addresses> system_lookup(const std::string& host, int family);

  explicit Resolver(Lookup lookup = system_lookup);
  // Drops pending callbacks. A running lookup ends on its own thread.
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Calls `done` exactly once, unless this is destroyed first: at once for a numeric host or a cached result,
  // else later on another thread, without a deadline. Never blocks; any thread. Code::exhausted: kMaxNames
  // others wait for one of the kMaxLookupThreads.
  void resolve(const std::string& host, int family, Done done);
  // The same without the cache: joins a running lookup or starts one.
  void refresh(const std::string& host, int family, Done done);

  // Returns the addresses found last, however old. Code::not_found: none yet.
  Result<Addresses> last_known(const std::string& host, int family) const;

 private:
  struct State;
  void request(const std::string& host, int family, bool must_refresh, Done done);
  std::shared_ptr<State> state_;  // shared with running lookups
};

}  // namespace patchbay::sip_trunk
