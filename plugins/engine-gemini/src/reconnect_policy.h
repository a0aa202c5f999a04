// What to do when a connection has ended: try again, how, when, or give up. Pure logic on a millisecond
// clock.
#pragma once

#include <cstdint>

namespace patchbay::engine_gemini {

struct RecoveryTimes {
  int setup_budget_ms = 10000;  // until the session is ready for the first time
  int budget_ms = 0;            // from a drop in mid-call until it is ready again; a setting
  int first_delay_ms = 500;     // then doubled
  int max_delay_ms = 4000;
};

// How a connection ended.
struct Drop {
  int code = 1006;       // WebSocket close code
  int http_status = 0;   // when the upgrade was refused
  bool in_setup = true;  // before setupComplete
};

struct Attempt {
  enum class Kind { resume, fresh, fail };
  Kind kind = Kind::fail;
  int delay_ms = 0;
  bool reduced = false;    // with the smallest setup
  bool retryable = false;  // of a failure: later it may work
};

class Recovery {
 public:
  explicit Recovery(RecoveryTimes times = {}) : times_(times) {}

  void started(int64_t now_ms) { lost_ms_ = now_ms; }
  void ready() {
    was_ready_ = true;
    lost_ms_ = -1;
    tries_ = 0;
    refused_handle_ = false;
  }
  Attempt dropped(int64_t now_ms, const Drop& drop, bool has_handle);
  bool reduced() const { return reduced_; }

 private:
  Attempt again(int64_t now_ms, bool has_handle);
  Attempt refused(const Drop& drop);

  const RecoveryTimes times_;
  int64_t lost_ms_ = -1;
  int tries_ = 0;
  int refusals_ = 0;
  bool was_ready_ = false;
  bool reduced_ = false;
  bool refused_handle_ = false;
  bool resuming_ = false;
};

}  // namespace patchbay::engine_gemini
