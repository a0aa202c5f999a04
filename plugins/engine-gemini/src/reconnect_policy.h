// Decides how to continue when a connection has ended: when and how to reconnect, or to fail the session.
// Pure logic on a millisecond clock.
#pragma once

#include <cstdint>

namespace patchbay::engine_gemini {

struct ReconnectTimes {
  int setup_budget_ms = 10000;  // for the first connection to be ready
  int budget_ms = 0;            // for a connection lost in mid-call to be ready again; a setting
  int first_delay_ms = 500;     // doubled at each further attempt
  int max_delay_ms = 4000;
};

// How a connection ended.
struct Disconnect {
  int code = 1006;       // WebSocket close code
  int http_status = 0;   // of a refused upgrade
  bool in_setup = true;  // before setupComplete
};

struct ReconnectStep {
  enum class Kind { resume, fresh, fail };
  Kind kind = Kind::fail;
  int delay_ms = 0;
  bool reduced = false;    // with the smallest setup
  bool retryable = false;  // a later call may succeed; for Kind::fail
};

class ReconnectPolicy {
 public:
  explicit ReconnectPolicy(ReconnectTimes times = {}) : times_(times) {}

  void start(int64_t now_ms) { lost_ms_ = now_ms; }
  void connected() {
    was_ready_ = true;
    lost_ms_ = -1;
    tries_ = 0;
    refused_handle_ = false;
  }
  ReconnectStep next(int64_t now_ms, const Disconnect& disconnect, bool has_handle);
  bool reduced() const { return reduced_; }

 private:
  ReconnectStep retry(int64_t now_ms, bool has_handle);
  ReconnectStep after_refusal(const Disconnect& disconnect);

  const ReconnectTimes times_;
  int64_t lost_ms_ = -1;
  int tries_ = 0;
  int refusals_ = 0;
  bool was_ready_ = false;
  bool reduced_ = false;
  bool refused_handle_ = false;
  bool resuming_ = false;
};

}  // namespace patchbay::engine_gemini
