// patchbay version
#include <patchbay/abi/plugin.h>

#include <cstdio>
#include <memory>

#include "json/writer.h"
#include "verbs.h"

namespace patchbay::app {

void add_version(Verb app, int& exit_code) {
  Verb verb = app.add_verb("version", "The version of this program and of its plugin boundary");
  const auto json = std::make_shared<bool>(false);
  verb.add_flag("--json", *json, "Print it as JSON");
  verb.footer("Examples:\n  patchbay version --json");
  verb.callback([json, &exit_code] {
    const std::string abi = std::to_string(PB_ABI_MAJOR) + "." + std::to_string(PB_ABI_MINOR);
    core::json::Writer out;
    out.begin_object().member("version", PATCHBAY_VERSION).member("abi", std::string_view(abi)).end_object();
    if (*json)
      std::printf("%s\n", out.text().c_str());
    else
      std::printf("patchbay %s, plugin boundary %s\n", PATCHBAY_VERSION, abi.c_str());
    exit_code = kDone;
  });
}

}  // namespace patchbay::app
