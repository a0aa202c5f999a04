// LegDirectory: the answered legs of both directions, for those that refer to another one. Main strand.
#pragma once

#include <patchbay/service.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calls/live_calls.h"
#include "legs/dial_gate_check.h"
#include "legs/trunk_attempts.h"
#include "stack/sip_types.h"

namespace patchbay::sip_trunk {

// A leg whose far end may be replaced by another one of the same trunk.
class ReplaceableLeg {
 public:
  // Answers the INVITE `next`, which replaces the leg's dialog, or refuses it.
  virtual void replace_by(DialogId next, const InboundInvite& invite) = 0;

 protected:
  ~ReplaceableLeg() = default;
};

// The trunks of a number, of its tenant's routes.
struct TransferRoute {
  std::map<std::string, TrunkAccess> trunks;  // of the tenant, by id
  std::vector<std::string> trunk_ids;         // to be tried in this order
};

// What dials for a far end that transfers its call.
struct TransferDialling {
  TrunkAccesses shared;
  Function<TransferRoute(const std::string& tenant, const std::string& number)> route;
};

// What a transfer needs of a leg.
struct AnsweredLeg {
  DialogId dialog = 0;
  std::string tenant;
  std::string trunk_id;
  std::string number;  // of the far end, normalised; "": not known
  uint64_t owner = 0;  // the plugin
  std::string call_id;
  ReplaceableLeg* leg = nullptr;  // takes itself out before it ends
};

class LegDirectory {
 public:
  // The gates outlive this. `require_gate`: as in the settings.
  explicit LegDirectory(const std::map<std::string, RegisteredGate>& gates) : gates_(gates) {}

  void add(Handle leg, AnsweredLeg data) { legs_[leg.id] = std::move(data); }
  void remove(Handle leg) { legs_.erase(leg.id); }
  // Null: there is no such answered leg.
  const AnsweredLeg* find(Handle leg) const {
    const auto at = legs_.find(leg.id);
    return at != legs_.end() ? &at->second : nullptr;
  }
  // Null: no answered leg has this dialog.
  const AnsweredLeg* find_dialog(DialogId dialog) const {
    const auto at = std::find_if(legs_.begin(), legs_.end(),
                                 [&](const auto& leg) { return leg.second.dialog == dialog; });
    return at != legs_.end() ? &at->second : nullptr;
  }
  void set_dialling(TransferDialling dialling) { dialling_.emplace(std::move(dialling)); }
  void stop_dialling() { dialling_.reset(); }
  // Null: nothing can be dialled.
  const TransferDialling* dialling() const noexcept { return dialling_ ? &*dialling_ : nullptr; }
  // All calls, also those that ring.
  LiveCalls& calls() noexcept { return calls_; }
  std::vector<RegisteredGate> gates() const {
    std::vector<RegisteredGate> out;
    for (const auto& [name, gate] : gates_) out.push_back(gate);
    return out;
  }

 private:
  const std::map<std::string, RegisteredGate>& gates_;
  std::map<decltype(Handle::id), AnsweredLeg> legs_;
  LiveCalls calls_;
  std::optional<TransferDialling> dialling_;
};

}  // namespace patchbay::sip_trunk
