// PublicTranscript: what the public sees of a shared transcript: name, time, outcome and what was said; not
// who requested the call, e-mail addresses, trunk, engine, tokens or technical errors. Pure; any thread.
#pragma once

#include <patchbay/json.h>

#include <cstdint>
#include <string>
#include <vector>

namespace patchbay::transcripts {

struct PublicTurn {
  bool is_ai = false;
  std::string text;
  int64_t at_ms = 0;  // 0: unknown
};

struct PublicTranscript {
  std::string name;      // of the other party: displayName of an outbound call, number of an inbound one
  std::string language;  // "" unless it is a language tag
  std::string outcome;
  int64_t started_ms = 0;  // 0: unknown
  int64_t ended_ms = 0;
  int64_t duration_sec = 0;
  std::vector<PublicTurn> turns;

  static PublicTranscript read(JsonView document);
};

// {"displayName", "startedUtc", "endedUtc", "durationSec", "outcome", "language", "expiresUtc", "turns"}.
std::string public_json(const PublicTranscript& transcript, int64_t expires_ms);
std::string public_schema();

}  // namespace patchbay::transcripts
