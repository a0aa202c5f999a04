#include "dialogs/session_timer.h"

#include <algorithm>

namespace patchbay::sip_trunk {

// RFC 4028 section 10: refresh after half of the interval; the other side ends the call 32 s or a third of
// the interval before it is over.
int64_t SessionTerms::act_after_ms() const {
  const int64_t interval_ms = interval_sec * 1000;
  if (we_refresh) return interval_ms / 2;
  return interval_ms - std::min<int64_t>(32'000, interval_ms / 3);
}

bool is_too_short(const SessionHeaders& request, int64_t min_sec) {
  return request.supports_timer && request.expires_sec > 0 && request.expires_sec < min_sec;
}

SessionTerms terms_as_answerer(const SessionHeaders& request, int64_t min_sec) {
  if (request.expires_sec == 0) return {};
  SessionTerms terms;
  terms.interval_sec = std::max(request.expires_sec, std::max(min_sec, request.min_sec));
  terms.we_refresh = !request.supports_timer || request.refresher == Refresher::uas;
  return terms;
}

SessionAnswer session_answer(const SessionHeaders& request, const SessionTerms& terms) {
  if (terms.interval_sec == 0) return {};
  SessionAnswer answer;
  answer.session_expires =
      std::to_string(terms.interval_sec) + ";refresher=" + (terms.we_refresh ? "uas" : "uac");
  if (request.supports_timer && !terms.we_refresh) answer.require = "timer";
  return answer;
}

SessionTerms terms_as_asker(const SessionHeaders& answer, int64_t min_sec) {
  if (answer.expires_sec == 0) return {};
  return {std::max(answer.expires_sec, min_sec), answer.refresher != Refresher::uas};
}

}  // namespace patchbay::sip_trunk
