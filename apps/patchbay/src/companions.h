// Plugins that `patchbay plugin run --with` starts beside the one that is tried, so that what it requires is
// there.
#pragma once

#include <patchbay/testing/fake_host.h>

#include <string_view>
#include <vector>

#include "trial.h"

namespace patchbay::app {

class Companions {
 public:
  explicit Companions(testing::FakeHost& host) : host_(host) {}

  // In the order given. Error: which does not start, and why.
  Status start(const std::vector<Companion>& all);
  // Those that were started, in reverse order.
  Status stop();
  bool provide(std::string_view service) const;

 private:
  struct Started {
    uint64_t plugin;
    const Companion* what;
  };
  Status step(const Started& one, uint32_t which) const;

  testing::FakeHost& host_;
  std::vector<Started> started_;
};

}  // namespace patchbay::app
