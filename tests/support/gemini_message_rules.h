// The messages that the Gemini Live server accepts from a client.
#pragma once

#include <string>

#include "support/chained_json.h"

namespace patchbay::support {

struct Complaint {
  int code = 0;  // 0: accepted
  std::string reason;
};

Complaint check_setup(JsonView setup);
Complaint check_realtime_input(JsonView input);
bool holds_key(JsonView value, const std::string& key);

}  // namespace patchbay::support
