#include "read_settings.h"

namespace patchbay::engine_local {

Settings Settings::read(const Config& config) {
  Settings settings;
  settings.recognisers = static_cast<int>(config.plugin()["recognisers"].integer());
  settings.unload_after = std::chrono::seconds(config.plugin()["unloadAfterS"].integer());
  return settings;
}

}  // namespace patchbay::engine_local
