// Decides when a connection is replaced, and how to continue when one has ended: when and how to reconnect,
// or to fail the session. Pure logic on a millisecond clock.
#pragma once

#include <cstdint>

namespace patchbay::engine_gemini {

inline constexpr int kSetupBudgetMs = 10'000;       // for the first connection of a call to be ready
inline constexpr int kFirstReconnectDelayMs = 500;  // doubled at each further attempt
inline constexpr int kMaxReconnectDelayMs = 4000;
inline constexpr int kMaxResumeTries = 2;                // then the session is given up for a fresh one
inline constexpr int kMaxRefusals = 3;                   // of setups in one call; each leads to another setup
inline constexpr int kMaxConnectionAgeMs = 50 * 60'000;  // the server ends connections after an hour
inline constexpr int kReplaceMarginMs = 10'000;          // before the time that goAway names
inline constexpr int kReplaceWithinMs = 60'000;          // after kMaxConnectionAgeMs, if there is no silence

struct ReconnectTimes {
  int budget_ms = 0;  // for a connection lost in mid-call to be ready again; a setting
  int setup_budget_ms = kSetupBudgetMs;
  int first_delay_ms = kFirstReconnectDelayMs;
  int max_delay_ms = kMaxReconnectDelayMs;
  int max_age_ms = kMaxConnectionAgeMs;
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

  // Begins the first connection.
  void start(int64_t now_ms) { lost_ms_ = now_ms; }
  // The connection is ready.
  void connected(int64_t now_ms);

  // The server has announced (goAway) that it closes the connection after `time_left_ms`. Returns whether
  // this is the first announcement for the connection; further ones have no effect.
  bool going_away(int64_t now_ms, int time_left_ms);
  // Returns whether to replace the connection now, because of goAway or of its age: at the next moment at
  // which neither side speaks (`quiet`), or at the latest possible time.
  bool replace_due(int64_t now_ms, bool quiet);
  // Begins the replacement of the connection, which we have closed.
  ReconnectStep replace(int64_t now_ms, bool has_handle);

  // The connection, or the attempt to open one, has ended otherwise. `has_handle`: the session can be
  // resumed.
  ReconnectStep next(int64_t now_ms, const Disconnect& disconnect, bool has_handle);

 private:
  void end_connection();
  ReconnectStep retry(int64_t now_ms, bool has_handle);
  ReconnectStep after_refusal(const Disconnect& disconnect);

  const ReconnectTimes times_;
  int64_t lost_ms_ = -1;
  int64_t connected_ms_ = 0;
  int64_t replace_by_ms_ = -1;  // latest time to replace the connection; -1: no need to
  bool is_going_away_ = false;
  int tries_ = 0;
  int refusals_ = 0;
  bool was_ready_ = false;
  bool reduced_ = false;
  bool refused_handle_ = false;
  bool resuming_ = false;
};

}  // namespace patchbay::engine_gemini
