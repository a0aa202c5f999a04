// The secrets and metrics of one child.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "isolation/session_link.h"

namespace patchbay::core::isolation {

// On the plugin's main strand.
class SessionObserve {
 public:
  SessionObserve(HostContext& context, std::shared_ptr<SessionLink> link)
      : context_(context), link_(std::move(link)) {}

  // Frames; each is false when the frame is invalid.
  bool secret(Decoder& in);
  bool metric(Decoder& in);
  bool metric_values(Decoder& in);

  // Call when the child has ended: sets its gauges to 0 and forgets its secrets.
  void end();

 private:
  struct Metric {
    uint64_t handle = 0;  // the server's
    uint32_t kind = 0;
  };
  void add_values(const Metric& metric, double value, const std::vector<uint64_t>& counts);

  // borrowed
  HostContext& context_;
  // owned
  const std::shared_ptr<SessionLink> link_;
  // state
  std::multiset<std::string, std::less<>> secrets_;
  size_t secret_bytes_ = 0;
  std::map<uint64_t, Metric> metrics_;  // by the child's numbers
};

}  // namespace patchbay::core::isolation
