// InboundUse: how many callers of virtual numbers there are, for the limits that both directions share. Main
// strand.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace patchbay::ai_voice {

class InboundUse {
 public:
  // A caller's place, given back by its destruction. The use outlives it.
  class Place {
   public:
    Place(InboundUse& use, std::string tenant) : use_(use), tenant_(std::move(tenant)) {
      ++use_.by_tenant_[tenant_];
      ++use_.total_;
    }
    ~Place() {
      const auto at = use_.by_tenant_.find(tenant_);
      if (--at->second == 0) use_.by_tenant_.erase(at);
      --use_.total_;
      if (talks_) --use_.talking_;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    void talks() {
      if (!std::exchange(talks_, true)) ++use_.talking_;
    }

   private:
    InboundUse& use_;
    const std::string tenant_;
    bool talks_ = false;
  };
  // Shared by the conversations with the AIs that a caller is handed to, because each may end last.
  std::shared_ptr<Place> take(const std::string& tenant) { return std::make_shared<Place>(*this, tenant); }

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
