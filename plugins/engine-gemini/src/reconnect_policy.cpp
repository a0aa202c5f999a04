#include "reconnect_policy.h"

#include <algorithm>

namespace patchbay::engine_gemini {
namespace {
constexpr int kMaxRefusals = 3;  // in one call, each answered with something else
}

Attempt Recovery::dropped(int64_t now_ms, const Drop& drop, bool has_handle) {
  if (lost_ms_ < 0) lost_ms_ = now_ms;
  if (drop.http_status >= 400 && drop.http_status < 500 && drop.http_status != 408) {
    if (drop.http_status != 429 || was_ready_)
      return {Attempt::Kind::fail, 0, false, drop.http_status == 429};
    return again(now_ms, has_handle);
  }
  if (drop.code == 1007 || (drop.code == 1008 && drop.in_setup)) return refused(drop);
  return again(now_ms, has_handle);
}

// The server does not like what it was told: never repeat it, but there may be less to say.
Attempt Recovery::refused(const Drop& drop) {
  if (++refusals_ > kMaxRefusals) return {};
  if (drop.in_setup && resuming_) {  // a poisoned handle
    refused_handle_ = true;
    resuming_ = false;
    return {Attempt::Kind::fresh, 0, reduced_, false};
  }
  if (drop.code == 1008) return {};
  if (drop.in_setup) {
    if (reduced_) return {};
    reduced_ = true;
    return {Attempt::Kind::fresh, 0, true, false};
  }
  resuming_ = false;
  return {Attempt::Kind::fresh, 0, reduced_, false};
}

Attempt Recovery::again(int64_t now_ms, bool has_handle) {
  int delay = std::min(times_.first_delay_ms << std::min(tries_, 8), times_.max_delay_ms);
  if (now_ms + delay - lost_ms_ > (was_ready_ ? times_.budget_ms : times_.setup_budget_ms))
    return {Attempt::Kind::fail, 0, false, true};
  ++tries_;
  resuming_ = has_handle && !refused_handle_ && tries_ <= 2;
  return {resuming_ ? Attempt::Kind::resume : Attempt::Kind::fresh, delay, reduced_, false};
}

}  // namespace patchbay::engine_gemini
