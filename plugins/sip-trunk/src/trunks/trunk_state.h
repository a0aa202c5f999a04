// TrunkState: whether a trunk is up, and when it is asked next. Pure logic; monotonic milliseconds.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay::sip_trunk {

class TrunkState {
 public:
  enum class Value {
    unknown,  // no call and no OPTIONS has told yet
    up,
    down,  // calls pass it over
  };

  // `probe_ms`: interval of OPTIONS while it is not down; 0: none.
  TrunkState() = default;
  explicit TrunkState(int64_t probe_ms) : probe_ms_(probe_ms), next_probe_ms_(probe_ms > 0 ? 0 : kNever) {}

  // An answer of any kind, to a call or to OPTIONS.
  void answered(int64_t now_ms, bool to_probe);
  // A call or OPTIONS without an answer, or that could not be sent. One call is enough for `down`; of OPTIONS
  // it takes two, and only if the trunk has answered it before: some never do.
  void failed(int64_t now_ms, const std::string& why, bool was_probe);

  Value value() const noexcept { return value_; }
  // Why it is down.
  const std::string& why() const noexcept { return why_; }
  // Whether a call may use it. A trunk that never answers OPTIONS is tried by a call from time to time.
  bool takes_calls(int64_t now_ms) const noexcept;
  bool is_probe_due(int64_t now_ms) const noexcept { return now_ms >= next_probe_ms_; }

 private:
  static constexpr int64_t kNever = INT64_MAX;

  int64_t probe_ms_ = 0;
  int64_t next_probe_ms_ = kNever;
  int64_t next_call_ms_ = 0;  // while it is down
  Value value_ = Value::unknown;
  std::string why_;
  bool answers_probes_ = false;
  uint32_t failed_probes_ = 0;  // since the latest answer
  uint32_t failed_calls_ = 0;   // likewise
};

}  // namespace patchbay::sip_trunk
