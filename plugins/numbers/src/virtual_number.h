// VirtualNumber: one virtual number of a tenant, from the configuration or from the store.
#pragma once

#include <patchbay/json.h>
#include <patchbay/services/numbers.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::numbers {

// Two of the modes; the third is "disabled".
inline constexpr std::string_view kLiveVoiceAi = "live-voice-ai";
inline constexpr std::string_view kRingUser = "ring-user";

struct VirtualNumber {
  std::string name;
  std::string number;  // normalised
  std::string mode;
  std::string user;
  std::string voice;
  std::string language;
  std::string model;
  std::string system_prompt;
  std::string api_key;             // a secret
  bool is_key_unreadable = false;  // the store has a key that cannot be unsealed
  std::string greeting;
  bool save_transcripts = true;
  int64_t max_duration_sec = 0;
  std::string visibility;
  std::vector<std::string> transfer_targets;
  std::string transfer_by;
  bool from_config = false;
  int64_t position = 0;  // in the store
  int64_t rev = 0;       // in the store
};

// The number as the tables compare it. Error: it is no number; names the field.
Result<std::string> normalise(std::string_view number);

// Replaces the members that `from` has; it was checked by a schema. Not the number.
void read_members(VirtualNumber& number, JsonView from);

// What no schema can express: what a mode needs.
Status check(const VirtualNumber& number);

Summary summary_of(const VirtualNumber& number);
Number reply_of(const VirtualNumber& number);

// One target per line, as the store and the service have them.
std::string join_targets(const std::vector<std::string>& targets);
std::vector<std::string> split_targets(std::string_view lines);

}  // namespace patchbay::numbers
