// What the Gemini Live server accepts from a client.
#pragma once

#include <string>

#include "json_view.h"

namespace patchbay::support {

struct Complaint {
  int code = 0;  // 0: fine
  std::string reason;
};

Complaint check_setup(ai_voice::JsonView setup);
Complaint check_realtime_input(ai_voice::JsonView input);
bool holds_key(ai_voice::JsonView value, const std::string& key);

}  // namespace patchbay::support
