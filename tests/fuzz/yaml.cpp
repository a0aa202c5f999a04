// Any YAML: loading returns a draft or the problems that prevent it, and a draft can be checked.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/config.h"
#include "json/parse.h"

using namespace patchbay::core;

namespace {

const json::Document& manifest() {
  static const json::Document parsed = [] {
    auto result = json::parse(R"({"plugin":{"properties":{"listen":{"type":"string","default":"x"},
      "rate":{"type":"integer","minimum":1,"maximum":9}}},"tenant":{"properties":{"trunks":{"type":"array","items":{
      "type":"object","required":["host"],"properties":{"host":{"type":"string"}}}}}},
      "WebPhone":{"properties":{"Sfu":{"default":{},"properties":{"N":{"type":"integer","maximum":5,"x-snap":true}}}}}})");
    if (!result) std::abort();
    return std::move(result).value();
  }();
  return parsed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto draft =
      config::load_text({"/etc/pb.yaml", {{"PATCHBAY_SERVER__THREADS", "2"}}, "/plugins"}, text);
  if (!draft.value && draft.problems.empty()) std::abort();
  if (!draft.value) return 0;
  std::vector<config::PluginSchema> installed;
  for (const std::string& name : draft.value->plugins()) installed.push_back({name, &manifest().root()});
  const auto config = config::check(*draft.value, installed);
  if (!config.value && config.problems.empty()) std::abort();
  if (!config.value) return 0;
  for (const std::string& name : config.value->plugins())
    if (!json::parse(config.value->plugin_view(name), {.bytes = SIZE_MAX, .depth = 64})) std::abort();
  return 0;
}
