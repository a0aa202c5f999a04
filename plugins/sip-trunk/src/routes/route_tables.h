// RouteTables: the outbound and inbound routes of all tenants. Main strand.
#pragma once

#include "read_settings.h"
#include "revision/hinted_poll.h"
#include "routes/route_table.h"

namespace patchbay::sip_trunk {

class RouteTables {
 public:
  explicit RouteTables(const Host& host);

  void configure(const Settings& settings);
  // Reads the stored rows, and from then on those that other processes on the same database have changed.
  void load(Function<void(Status)> done);

  RouteTable outbound;
  RouteTable inbound;

 private:
  void read();
  void refresh(std::vector<RouteRevision> revisions, Function<void(Status)> done);

  const RouteStore store_;
  lib::HintedPoll poll_;
  Lifetime alive_;
};

}  // namespace patchbay::sip_trunk
