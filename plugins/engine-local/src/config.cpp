#include "config.h"

namespace patchbay::engine_local {

Options read_settings(const Config& config) {
  Options options;
  options.recogniser.workers = static_cast<int>(config.plugin()["recognisers"].integer());
  return options;
}

}  // namespace patchbay::engine_local
