// InboundUse: how many inbound conversations run, for the limits that both directions share. Main strand.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace patchbay::ai_voice {

class InboundUse {
 public:
  void add(const std::string& tenant) {
    ++by_tenant_[tenant];
    ++total_;
  }
  void remove(const std::string& tenant, bool talked) {
    const auto at = by_tenant_.find(tenant);
    if (--at->second == 0) by_tenant_.erase(at);
    --total_;
    if (talked) --talking_;
  }
  void talks() { ++talking_; }

  size_t of(const std::string& tenant) const {
    const auto at = by_tenant_.find(tenant);
    return at != by_tenant_.end() ? at->second : 0;
  }
  size_t total() const noexcept { return total_; }
  // Those whose audio flows.
  size_t talking() const noexcept { return talking_; }

 private:
  std::map<std::string, size_t> by_tenant_;
  size_t total_ = 0;
  size_t talking_ = 0;
};

}  // namespace patchbay::ai_voice
