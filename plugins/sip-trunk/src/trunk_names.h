// TrunkNames: keeps the addresses of trunks that are configured by name, for the peer filter, which drops a
// carrier's requests while its address is unknown. Main strand.
#pragma once

#include <patchbay/function.h>
#include <patchbay/lifetime.h>
#include <patchbay/log.h>
#include <patchbay/strand.h>

#include <map>
#include <string>
#include <vector>

#include "metrics.h"
#include "resolver.h"

namespace patchbay::sip_trunk {

class TrunkNames {
 public:
  // Calls changed() when addresses() may have changed. Keeps addresses of `family`. The resolver and the
  // metrics outlive this.
  TrunkNames(const Host& host, Resolver& resolver, const Metrics& metrics, int family,
             Function<void()> changed);

  // Replaces the names. Resolves them now, every minute, and 5 s after a failure, and keeps the addresses
  // found last meanwhile.
  void watch(const std::vector<std::string>& names);

  std::vector<lib::SocketAddress> addresses() const;
  // Whether it is a watched name whose lookups have only failed so far.
  bool is_unresolved(const std::string& name) const;

 private:
  struct Name {
    Addresses found;
    int64_t due_ns = 0;
    bool is_pending = false;
    bool has_failed = false;
  };

  void resolve_due();
  void count_unresolved() const;
  void on_resolved(const std::string& name, const Result<Addresses>& found);

  const Host& host_;
  Resolver& resolver_;
  const Metrics& metrics_;
  const int family_;
  const Log log_;
  Function<void()> changed_;
  std::map<std::string, Name> names_;
  Timer poll_timer_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
