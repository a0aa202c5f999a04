// The functions of flite, which is loaded at the first use: each of its voices takes a megabyte of memory.
#pragma once

#include <flite/flite.h>
#include <patchbay/result.h>

#include "synthesiser.h"

namespace patchbay::engine_local {

struct FliteLibrary {
  decltype(&::flite_init) flite_init;
  decltype(&::flite_text_to_wave) flite_text_to_wave;
  decltype(&::feat_set_float) feat_set_float;
  decltype(&::delete_wave) delete_wave;

  // [any, may block] Code::unavailable: it cannot be loaded.
  static Result<FliteLibrary> load();
  // [the synthesiser's thread] Loads the voice at its first use. nullptr: it cannot be loaded.
  static cst_voice* voice(FliteVoice voice);
};

}  // namespace patchbay::engine_local
