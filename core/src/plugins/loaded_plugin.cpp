#include "plugins/loaded_plugin.h"

#include "abi/text.h"

namespace patchbay::core {

Status LoadedPlugin::create(HostContext& context, OnState) {
  pb_err err = empty_error();
  const pb_plugin* table = nullptr;
  void* self = nullptr;
  const int32_t status = source_.entry->create(context.raw(), &table, &self, &err);
  if (status != PB_OK) return read_error(status, &err);
  const bool whole = table != nullptr && table->size >= PB_PLUGIN_FLOOR && table->start != nullptr &&
                     table->check_config != nullptr && table->reconfigure != nullptr &&
                     table->drain != nullptr && table->stop != nullptr && table->destroy != nullptr;
  if (!whole) return {Code::invalid, "its table lacks functions or states a wrong size"};
  table_ = table;
  self_ = self;
  return {};
}

void LoadedPlugin::start(const std::string& config, const pb_done& done) {
  table_->start(self_, text(config), &done);
}

void LoadedPlugin::check_config(const std::string& config, const pb_done& done) {
  pb_err err = empty_error();
  const int32_t status = table_->check_config(self_, text(config), &err);
  done.call(done.self, status, &err);
}

void LoadedPlugin::reconfigure(const std::string& config, const pb_done& done) {
  table_->reconfigure(self_, text(config));
  done.call(done.self, PB_OK, nullptr);
}

void LoadedPlugin::pass(const pb_done& done) { done.call(done.self, PB_OK, nullptr); }
void LoadedPlugin::drain(const pb_done& done) { table_->drain(self_, &done); }
void LoadedPlugin::stop(const pb_done& done) { table_->stop(self_, &done); }
void LoadedPlugin::destroy() { table_->destroy(self_); }

}  // namespace patchbay::core
