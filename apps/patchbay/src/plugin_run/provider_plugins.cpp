#include "plugin_run/provider_plugins.h"

namespace patchbay::app {

Status ProviderPlugins::step(const Started& one, uint32_t which) const {
  const pb_testing_config config{sizeof config, 0, to_abi(one.what->plugin), to_abi(one.what->tenants)};
  pb_err err = empty_error();
  PB_TRY(read_status(patchbay_testing_v1.begin(host_.raw(), one.plugin, which, &config, &err), &err));
  int32_t status = PB_OK;
  if (patchbay_testing_v1.answer(host_.raw(), one.plugin, -1, &status, &err) == 0)
    return {Code::timeout, "it did not answer in time"};
  return read_status(status, &err);
}

Status ProviderPlugins::start(const std::vector<ProviderPlugin>& all) {
  for (const ProviderPlugin& each : all) {
    pb_err err = empty_error();
    const Started one{patchbay_testing_v1.load(host_.raw(), to_abi(each.file), &err), &each};
    if (one.plugin == 0) return read_error(err.code, &err).within(each.file);
    Status begun = step(one, PB_STEP_CREATE);
    if (begun) begun = step(one, PB_STEP_START);
    if (!begun) return std::move(begun).error().within(each.file + " did not start");
    started_.push_back(one);
    PB_TRY(host_.settle());
  }
  return {};
}

Status ProviderPlugins::stop() {
  Status first;
  for (; !started_.empty(); started_.pop_back()) {
    Status stopped = step(started_.back(), PB_STEP_STOP);
    if (stopped) stopped = step(started_.back(), PB_STEP_DESTROY);
    if (!stopped && first)
      first = Status(std::move(stopped).error().within(started_.back().what->file + " did not stop"));
  }
  return first;
}

bool ProviderPlugins::provide(std::string_view service) const {
  for (const Started& one : started_) {
    const auto manifest =
        host_.host().parse_json(from_abi(patchbay_testing_v1.manifest(host_.raw(), one.plugin)));
    const JsonView provides = manifest ? (*manifest)["provides"] : JsonView();
    for (size_t i = 0; i < provides.size(); ++i)
      if (provides.at(i).text() == service) return true;
  }
  return false;
}

}  // namespace patchbay::app
