#include "transcript_text.h"

#include <patchbay/utc.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace patchbay::transcripts {

std::string date_text(int64_t time_ms) {
  if (time_ms <= 0) return {};
  constexpr std::array kMonths{"January", "February", "March",     "April",   "May",      "June",
                               "July",    "August",   "September", "October", "November", "December"};
  const std::string utc = utc_text(time_ms);  // 2026-11-20T07:00:01.000Z
  const auto month = static_cast<size_t>((utc[5] - '0') * 10 + (utc[6] - '0') - 1);
  const std::string day = utc[8] == '0' ? utc.substr(9, 1) : utc.substr(8, 2);
  return day + " " + kMonths.at(month) + " " + utc.substr(0, 4) + ", " + utc.substr(11, 5) + " UTC";
}

std::string duration_text(int64_t seconds) {
  seconds = std::max<int64_t>(0, seconds);
  if (seconds < 60) return std::to_string(seconds) + " s";
  const std::string rest = seconds % 60 == 0 ? "" : " " + std::to_string(seconds % 60) + " s";
  return std::to_string(seconds / 60) + " min" + rest;
}

std::string outcome_text(std::string_view outcome) {
  struct Phrase {
    std::string_view outcome, text;
  };
  constexpr std::array kPhrases{
      Phrase{"finished", "Completed"},
      Phrase{"far-hangup", "The other side hung up"},
      Phrase{"empty-room", "Nobody spoke"},
      Phrase{"transferred-to-vnum", "Transferred"},
      Phrase{"voicemail", "Voicemail was reached"},
      Phrase{"not-now", "A later call was asked for"},
      Phrase{"no-answer", "Not answered"},
      Phrase{"cancelled", "Cancelled"},
      Phrase{"max-duration", "Ended at the longest allowed duration"},
  };
  for (const Phrase& phrase : kPhrases)
    if (phrase.outcome == outcome) return std::string(phrase.text);
  return std::string(outcome);
}

std::string offset_text(int64_t seconds) {
  char text[40];
  const auto part = [](int64_t value) { return static_cast<long long>(value); };
  if (seconds < 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld", part(seconds / 60), part(seconds % 60));
  else
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", part(seconds / 3600), part(seconds / 60 % 60),
                  part(seconds % 60));
  return text;
}

}  // namespace patchbay::transcripts
