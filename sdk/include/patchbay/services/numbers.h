// patchbay.numbers: the virtual numbers of the tenants, each an AI persona or a user that callers reach under
// a number. Provided by the plugin numbers. Maturity: experimental.
#pragma once

#include <string>

#include "../service.h"

namespace patchbay::numbers {

struct Key {
  std::string tenant;
  std::string number;  // in any spelling that compares equal: "+49 30 123456", "004930123456"
  PATCHBAY_FIELDS(tenant, number)
};

// What the decision about an inbound call needs.
struct Summary {
  std::string name;
  std::string number;      // normalised
  std::string mode;        // "live-voice-ai", "ring-user", "disabled"
  std::string user;        // who is called with "ring-user"; "" otherwise
  std::string visibility;  // "public", "signed-in", "hidden"; for browser callers only
  PATCHBAY_FIELDS(name, number, mode, user, visibility)
};

struct Number {
  std::string name;
  std::string number;  // normalised
  std::string mode;
  std::string user;
  std::string voice;
  std::string language;
  std::string model;          // "": the default of the engine
  std::string system_prompt;  // "" unless the mode is "live-voice-ai"
  std::string api_key;        // of the AI engine, a secret; "": the tenant's default
  std::string greeting;       // "": the AI speaks first in its own words
  bool save_transcripts = true;
  int64_t max_duration_sec = 0;
  std::string visibility;
  std::string transfer_targets;  // one per line: a user, or a number
  std::string transfer_by;       // how to numbers: "bridge", "refer"; "": as the tenant's calls
  PATCHBAY_FIELDS(name, number, mode, user, voice, language, model, system_prompt, api_key, greeting,
                  save_transcripts, max_duration_sec, visibility, transfer_targets, transfer_by)
};

// Thread: runs on the provider's main strand, answers on the strand of the caller.
// Lifetime: the replies are copies; ask for each call, because numbers may change at any time.
// Since: 0.1
struct Numbers {
  static constexpr char id[] = "patchbay.numbers/1";
  // Returns the record of a call's persona. Code::not_found: the tenant has no such number.
  static constexpr Method<0, Key, Number> find{"find"};
  // Returns what decides about an inbound call; reads no secret. Code::not_found: the tenant has no such
  // number.
  static constexpr Method<1, Key, Summary> lookup{"lookup"};
  static constexpr auto methods() { return std::make_tuple(find, lookup); }
};

}  // namespace patchbay::numbers
