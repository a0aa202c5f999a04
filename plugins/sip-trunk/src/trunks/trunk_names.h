// TrunkNames: keeps the addresses of trunks that are configured by name, for the peer filter, which drops a
// carrier's requests while its address is unknown. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <map>
#include <vector>

#include "metrics.h"
#include "trunks/resolver.h"

namespace patchbay::sip_trunk {

class TrunkNames {
 public:
  // Calls changed() when addresses() may have changed. The resolver and the metrics outlive this.
  TrunkNames(const Host& host, Resolver& resolver, const Metrics& metrics, Function<void()> changed);

  // Replaces the names. Resolves them now, every minute, and 5 s after a failure, and keeps the addresses
  // found last meanwhile.
  void watch(const std::vector<HostQuery>& names);

  std::vector<lib::SocketAddress> addresses() const;
  // The addresses of one name; empty while it is unresolved.
  Addresses addresses_of(const HostQuery& name) const;
  // Whether it is a watched name whose lookups have only failed so far.
  bool is_unresolved(const HostQuery& name) const;

 private:
  struct Name {
    Addresses found;
    int64_t due_ns = 0;
    bool is_pending = false;
    bool has_failed = false;
  };

  void resolve_due();
  void count_unresolved() const;
  void on_resolved(const HostQuery& name, const Result<Location>& found);

  const Host& host_;
  Resolver& resolver_;
  const Metrics& metrics_;
  const Log log_;
  Function<void()> changed_;
  std::map<HostQuery, Name> names_;
  Timer poll_timer_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
