// The functions of pocketsphinx, which is loaded at the first use: it needs a linear algebra library, and
// most servers have another engine.
#pragma once

#include <patchbay/result.h>
#include <pocketsphinx.h>
#include <sphinxbase/fsg_model.h>
#include <sphinxbase/jsgf.h>

namespace patchbay::engine_local {

struct PocketsphinxLibrary {
  decltype(&::ps_args) ps_args;
  decltype(&::ps_init) ps_init;
  decltype(&::ps_free) ps_free;
  decltype(&::ps_get_config) ps_get_config;
  decltype(&::ps_get_logmath) ps_get_logmath;
  decltype(&::ps_set_fsg) ps_set_fsg;
  decltype(&::ps_set_search) ps_set_search;
  decltype(&::ps_start_utt) ps_start_utt;
  decltype(&::ps_process_raw) ps_process_raw;
  decltype(&::ps_end_utt) ps_end_utt;
  decltype(&::ps_get_hyp) ps_get_hyp;
  decltype(&::cmd_ln_init) cmd_ln_init;
  decltype(&::cmd_ln_free_r) cmd_ln_free_r;
  decltype(&::cmd_ln_float_r) cmd_ln_float_r;
  decltype(&::jsgf_parse_string) jsgf_parse_string;
  decltype(&::jsgf_get_public_rule) jsgf_get_public_rule;
  decltype(&::jsgf_build_fsg) jsgf_build_fsg;
  decltype(&::jsgf_grammar_free) jsgf_grammar_free;
  decltype(&::fsg_model_free) fsg_model_free;

  // [any, may block] Code::unavailable: it cannot be loaded.
  static Result<PocketsphinxLibrary> load();
};

}  // namespace patchbay::engine_local
