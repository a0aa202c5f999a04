#include "reconnect_policy.h"

#include <algorithm>
#include <utility>

namespace patchbay::engine_gemini {

void ReconnectPolicy::connected(int64_t now_ms) {
  was_ready_ = true;
  connected_ms_ = now_ms;
  lost_ms_ = -1;
  tries_ = 0;
  refused_handle_ = false;
}

bool ReconnectPolicy::going_away(int64_t now_ms, int time_left_ms) {
  if (std::exchange(is_going_away_, true)) return false;
  const bool has_margin = time_left_ms > 2 * kReplaceMarginMs;
  if (replace_by_ms_ < 0)
    replace_by_ms_ = now_ms + (has_margin ? time_left_ms - kReplaceMarginMs : time_left_ms / 2);
  return true;
}

void ReconnectPolicy::end_connection() {
  replace_by_ms_ = -1;
  is_going_away_ = false;
}

bool ReconnectPolicy::replace_due(int64_t now_ms, bool quiet) {
  if (replace_by_ms_ < 0 && now_ms - connected_ms_ >= times_.max_age_ms)
    replace_by_ms_ = now_ms + kReplaceWithinMs;
  return replace_by_ms_ >= 0 && (quiet || now_ms >= replace_by_ms_);
}

ReconnectStep ReconnectPolicy::replace(int64_t now_ms, bool has_handle) {
  end_connection();
  lost_ms_ = now_ms;
  resuming_ = has_handle;
  return {has_handle ? ReconnectStep::Kind::resume : ReconnectStep::Kind::fresh, 0, reduced_, false};
}

ReconnectStep ReconnectPolicy::next(int64_t now_ms, const Disconnect& disconnect, bool has_handle) {
  end_connection();
  if (lost_ms_ < 0) lost_ms_ = now_ms;
  if (disconnect.http_status >= 400 && disconnect.http_status < 500 && disconnect.http_status != 408) {
    if (disconnect.http_status != 429 || was_ready_)
      return {ReconnectStep::Kind::fail, 0, false, disconnect.http_status == 429};
    return retry(now_ms, has_handle);
  }
  if (disconnect.code == 1007 || (disconnect.code == 1008 && disconnect.in_setup))
    return after_refusal(disconnect);
  return retry(now_ms, has_handle);
}

// The server refused the setup or a message: does not repeat it, but tries a smaller setup.
ReconnectStep ReconnectPolicy::after_refusal(const Disconnect& disconnect) {
  if (++refusals_ > kMaxRefusals) return {};
  if (disconnect.in_setup && resuming_) {  // the server refused the handle
    refused_handle_ = true;
    resuming_ = false;
    return {ReconnectStep::Kind::fresh, 0, reduced_, false};
  }
  if (disconnect.code == 1008) return {};
  if (disconnect.in_setup) {
    if (reduced_) return {};
    reduced_ = true;
    return {ReconnectStep::Kind::fresh, 0, true, false};
  }
  resuming_ = false;
  return {ReconnectStep::Kind::fresh, 0, reduced_, false};
}

ReconnectStep ReconnectPolicy::retry(int64_t now_ms, bool has_handle) {
  int delay = std::min(times_.first_delay_ms << std::min(tries_, 8), times_.max_delay_ms);
  if (now_ms + delay - lost_ms_ > (was_ready_ ? times_.budget_ms : times_.setup_budget_ms))
    return {ReconnectStep::Kind::fail, 0, false, true};
  ++tries_;
  resuming_ = has_handle && !refused_handle_ && tries_ <= kMaxResumeTries;
  return {resuming_ ? ReconnectStep::Kind::resume : ReconnectStep::Kind::fresh, delay, reduced_, false};
}

}  // namespace patchbay::engine_gemini
