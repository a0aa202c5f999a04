#include "model_family.h"

#include <utility>

namespace patchbay::engine_gemini {
namespace {

constexpr ModelFamily kFlash25{"2.5", R"({"thinkingBudget":0})", "BLOCKING", true, true, true};
constexpr ModelFamily kFlash31{"3.1", R"({"thinkingLevel":"minimal"})", nullptr, true, false, false};
constexpr ModelFamily kLive38{"3.8", nullptr, "BLOCKING", true, true, false};
constexpr ModelFamily kUnknown{"unknown", nullptr, nullptr, false, false, false};

constexpr std::pair<std::string_view, const ModelFamily*> kByPrefix[] = {
    {"gemini-2.5-", &kFlash25},
    {"gemini-live-2.5-", &kFlash25},
    {"gemini-3.1-", &kFlash31},
    {"gemini-3.8-", &kLive38},
};

}  // namespace

const ModelFamily& model_family(std::string_view model) {
  if (size_t slash = model.rfind('/'); slash != std::string_view::npos) model.remove_prefix(slash + 1);
  for (const auto& [prefix, family] : kByPrefix)
    if (model.starts_with(prefix)) return *family;
  return kUnknown;
}

}  // namespace patchbay::engine_gemini
