// The session timer of a call (RFC 4028): what both sides agree on, and when it refreshes or expires. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <string>

namespace patchbay::sip_trunk {

enum class Refresher { none, uac, uas };  // of the request that Session-Expires is in, or that it answers

// Session-Expires and Min-SE of a message, and whether its sender supports session timers.
struct SessionHeaders {
  int64_t expires_sec = 0;  // 0: no Session-Expires
  int64_t min_sec = 0;      // 0: no Min-SE
  Refresher refresher = Refresher::none;
  bool supports_timer = false;
};

// What holds after a request and its answer.
struct SessionTerms {
  int64_t interval_sec = 0;  // 0: no session timer
  bool we_refresh = false;

  // Time after which we refresh, or give the call up because the peer does not.
  int64_t act_after_ms() const;
};

// The answer to a peer's request: too short an interval (422) is one below `min_sec` from a peer that
// supports session timers.
bool is_too_short(const SessionHeaders& request, int64_t min_sec);
SessionTerms terms_as_answerer(const SessionHeaders& request, int64_t min_sec);
// Header values of that answer; both empty without a session timer.
struct SessionAnswer {
  std::string session_expires;
  std::string require;
};
SessionAnswer session_answer(const SessionHeaders& request, const SessionTerms& terms);

// What the answer to our request means.
SessionTerms terms_as_asker(const SessionHeaders& answer, int64_t min_sec);

}  // namespace patchbay::sip_trunk
