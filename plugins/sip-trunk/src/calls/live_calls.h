// LiveCalls: the calls of both directions that are not over, for patchbay.telephony.calls. Main strand.
#pragma once

#include <patchbay/function.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "calls/tap_list.h"

namespace patchbay::sip_trunk {

struct CallInfo {
  std::string call_id;
  std::string tenant;
  std::string direction;  // "inbound", "outbound"
  std::string number;     // of the far end
  std::string did;        // that was called, of an inbound call
  std::string state;      // "dialling", "ringing", "answered"
  std::string trunk_id;
  int64_t started_ms = 0;
  // Of the audio port, once it is open. Shared with it and with accesses, which may end later.
  std::shared_ptr<TapList> taps;
  uint32_t rate_hz = 0;
};

class LiveCalls {
 public:
  // Calls f(id) when a call has ended, before its port is closed.
  void on_end(Function<void(uint64_t)> f) { on_end_ = std::move(f); }
  // In the order in which the calls began.
  const std::map<uint64_t, CallInfo>& all() const noexcept { return calls_; }

 private:
  friend class LiveCall;
  uint64_t add(CallInfo call) {
    calls_.emplace(++last_id_, std::move(call));
    return last_id_;
  }
  void remove(uint64_t id) {
    if (calls_.erase(id) != 0 && on_end_) on_end_(id);
  }

  std::map<uint64_t, CallInfo> calls_;
  uint64_t last_id_ = 0;
  Function<void(uint64_t)> on_end_;
};

// A call's place in the list, which it keeps up to date. The list outlives it.
class LiveCall {
 public:
  LiveCall(LiveCalls& calls, CallInfo info) : calls_(calls), id_(calls.add(std::move(info))) {}
  LiveCall(const LiveCall&) = delete;
  LiveCall& operator=(const LiveCall&) = delete;
  ~LiveCall() { end(); }

  void set_state(const char* state, const std::string& trunk_id) {
    const auto at = calls_.calls_.find(id_);
    if (at == calls_.calls_.end()) return;
    at->second.state = state;
    at->second.trunk_id = trunk_id;
  }
  void set_audio(std::shared_ptr<TapList> taps, uint32_t rate_hz) {
    const auto at = calls_.calls_.find(id_);
    if (at == calls_.calls_.end()) return;
    at->second.taps = std::move(taps);
    at->second.rate_hz = rate_hz;
  }
  void end() { calls_.remove(std::exchange(id_, 0)); }

 private:
  LiveCalls& calls_;
  uint64_t id_;
};

}  // namespace patchbay::sip_trunk
