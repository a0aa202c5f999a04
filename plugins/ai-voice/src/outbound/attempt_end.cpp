#include "outbound/attempt_end.h"

#include <algorithm>
#include <array>

namespace patchbay::ai_voice {
namespace {

struct FinalResponse {
  int64_t status;
  std::string_view text;
  bool may_retry;
};

// SIP responses that say something about the callee. A number that does not exist, and a person or carrier
// that declined, are never dialled again.
constexpr std::array kFinalResponses{
    FinalResponse{404, "no such number", false},
    FinalResponse{408, "no response", true},
    FinalResponse{410, "no longer in service", false},
    FinalResponse{480, "unreachable", true},
    FinalResponse{484, "incomplete number", false},
    FinalResponse{486, "busy", true},
    FinalResponse{600, "busy", true},
    FinalResponse{603, "declined", false},
    FinalResponse{604, "no such number", false},
    FinalResponse{607, "not wanted by the callee", false},
    FinalResponse{608, "rejected by the carrier", false},
};

const FinalResponse* final_response(int64_t status) {
  const auto at = std::find_if(kFinalResponses.begin(), kFinalResponses.end(),
                               [&](const FinalResponse& each) { return each.status == status; });
  return at == kFinalResponses.end() ? nullptr : &*at;
}

std::string with_earlier_trunks(std::string text, const telephony::Ended& ended) {
  if (ended.earlier_trunks.empty()) return text;
  return text + "; earlier trunks: " + ended.earlier_trunks;
}

std::string failure_text(const telephony::Ended& ended) {
  if (!ended.detail.empty() && !ended.detail.starts_with("SIP ")) return ended.detail;
  if (ended.sip_status == 0) return "the call failed at the trunk";
  const std::string code = ended.detail.empty() ? std::to_string(ended.sip_status) : ended.detail.substr(4);
  return "the trunk refused the call (" + code + ")";
}

Ending unanswered(const telephony::Ended& ended) {
  if (ended.cause == "denied") return Ending::refused(ended.detail);
  const FinalResponse* known = final_response(ended.sip_status);
  const bool no_answer = ended.cause == "no-answer";
  if (known == nullptr && !no_answer)
    return Ending::technical(false, with_earlier_trunks(failure_text(ended), ended));
  std::string text = no_answer ? ended.detail : std::string();
  if (text.empty() && known != nullptr)
    text = std::string(known->text) + " (" + std::to_string(known->status) + ")";
  if (text.empty()) text = "rang out";
  return Ending::no_answer(with_earlier_trunks(std::move(text), ended), known == nullptr || known->may_retry);
}

Ending answered_end(const telephony::Ended& ended, std::string_view farewell) {
  if (ended.cause == "failed") return Ending::technical(true, failure_text(ended));
  // The callee hung up during the goodbye: the conversation was complete.
  return Ending::completed(farewell.empty() ? "far-hangup" : farewell);
}

}  // namespace

Ending ending_of_leg(const telephony::Ended& ended, bool answered, std::string_view farewell) {
  Ending ending = answered ? answered_end(ended, farewell) : unanswered(ended);
  ending.sip_status = ended.sip_status;
  return ending;
}

int64_t duration_sec(const Call& call, int64_t ended_ms) {
  if (call.answered_ms == 0) return 0;
  return std::max<int64_t>(0, (ended_ms - call.answered_ms) / 1000);
}

}  // namespace patchbay::ai_voice
