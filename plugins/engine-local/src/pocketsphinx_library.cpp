#include "pocketsphinx_library.h"

#include "library/shared_library.h"

namespace patchbay::engine_local {

Result<PocketsphinxLibrary> PocketsphinxLibrary::load() {
  // Its functions of sphinxbase are found through it, because it is linked to that.
  PB_TRY_VALUE(const lib::SharedLibrary library,
               lib::SharedLibrary::load("libpocketsphinx.so.3", "libpocketsphinx3"));
  PocketsphinxLibrary all{};
  PB_TRY(library.find("ps_args", all.ps_args));
  PB_TRY(library.find("ps_init", all.ps_init));
  PB_TRY(library.find("ps_free", all.ps_free));
  PB_TRY(library.find("ps_get_config", all.ps_get_config));
  PB_TRY(library.find("ps_get_logmath", all.ps_get_logmath));
  PB_TRY(library.find("ps_set_fsg", all.ps_set_fsg));
  PB_TRY(library.find("ps_set_search", all.ps_set_search));
  PB_TRY(library.find("ps_start_utt", all.ps_start_utt));
  PB_TRY(library.find("ps_process_raw", all.ps_process_raw));
  PB_TRY(library.find("ps_end_utt", all.ps_end_utt));
  PB_TRY(library.find("ps_get_hyp", all.ps_get_hyp));
  PB_TRY(library.find("cmd_ln_init", all.cmd_ln_init));
  PB_TRY(library.find("cmd_ln_free_r", all.cmd_ln_free_r));
  PB_TRY(library.find("cmd_ln_float_r", all.cmd_ln_float_r));
  PB_TRY(library.find("jsgf_parse_string", all.jsgf_parse_string));
  PB_TRY(library.find("jsgf_get_public_rule", all.jsgf_get_public_rule));
  PB_TRY(library.find("jsgf_build_fsg", all.jsgf_build_fsg));
  PB_TRY(library.find("jsgf_grammar_free", all.jsgf_grammar_free));
  PB_TRY(library.find("fsg_model_free", all.fsg_model_free));
  return all;
}

}  // namespace patchbay::engine_local
