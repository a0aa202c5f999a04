// Options of the engine. Defaults are for tests; the server's are in settings.schema.json.
#pragma once

#include "engine/farewell.h"
#include "engine/json_parser.h"
#include "recogniser.h"
#include "vad.h"

namespace patchbay::engine_local {

struct Options {
  lib::JsonParser json;
  VadOptions vad;
  int barge_in_ms = 200;  // this much caller speech interrupts the engine
  int tool_timeout_ms = 5000;
  RecogniserOptions recogniser;
  lib::FarewellTimes farewell;
};

}  // namespace patchbay::engine_local
