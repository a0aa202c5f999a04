// Options of the engine.
#pragma once

#include "engine/farewell.h"
#include "engine/json_parser.h"
#include "recogniser.h"
#include "vad.h"

namespace patchbay::engine_local {

struct Options {
  lib::JsonParser json;
  VadOptions vad;
  RecogniserOptions recogniser;
  lib::FarewellTimes farewell;
};

}  // namespace patchbay::engine_local
