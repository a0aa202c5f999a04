#include "trunks/trunk_failover.h"

namespace patchbay::sip_trunk {
namespace {

bool is_fault_of_trunk(const DialogEnd& ended) {
  switch (ended.reason) {
    case EndReason::transport:
    case EndReason::silence:
      return true;
    case EndReason::rejected:
      return ended.sip_status == 403 || ended.sip_status == 408 ||
             (ended.sip_status >= 500 && ended.sip_status < 600);
    case EndReason::no_answer:
    case EndReason::no_media:
    case EndReason::lost:
    case EndReason::cancelled:
    case EndReason::local_hangup:
    case EndReason::stopped:
    case EndReason::far_hangup:
      return false;
  }
  return false;
}

}  // namespace

bool TrunkFailover::on_ended(const DialogEnd& ended) noexcept {
  if (reached_ || current() == nullptr || !is_fault_of_trunk(ended)) {
    next_ = trunk_ids_.size();
    return false;
  }
  ++next_;
  return current() != nullptr;
}

}  // namespace patchbay::sip_trunk
