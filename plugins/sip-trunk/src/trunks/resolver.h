// Resolves hosts outside the SIP thread, because sofia-sip's resolver blocks calls, and spins without a route
// to the DNS server.
#pragma once

#include <patchbay/result.h>

#include <functional>
#include <memory>

#include "dns/dns.h"

namespace patchbay::sip_trunk {

class Resolver {
 public:
  using Lookup = std::function<Result<Location>(const HostQuery& query)>;
  using Done = std::function<void(const Result<Location>&)>;

  // Asks DNS (RFC 3263); blocks, for kMaxLookupMs at most.
  static Result<Location> dns_lookup(const HostQuery& query);

  explicit Resolver(Lookup lookup = dns_lookup);
  // Drops pending callbacks. A running lookup ends on its own thread.
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Calls `done` exactly once, unless this is destroyed first: at once for a numeric host or a cached result,
  // else later on another thread, without a deadline. Never blocks; any thread. Code::exhausted: kMaxNames
  // others wait for one of the kMaxLookupThreads.
  void resolve(const HostQuery& query, Done done);
  // The same without the cache: joins a running lookup or starts one.
  void refresh(const HostQuery& query, Done done);

  // Returns what was found last, however old. Code::not_found: nothing yet.
  Result<Location> last_known(const HostQuery& query) const;

 private:
  struct State;
  void request(const HostQuery& query, bool must_refresh, Done done);
  std::shared_ptr<State> state_;  // shared with running lookups
};

}  // namespace patchbay::sip_trunk
