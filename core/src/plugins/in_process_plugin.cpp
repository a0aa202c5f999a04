#include "plugins/in_process_plugin.h"

#include <patchbay/str.h>

#include "plugins/entry_check.h"

namespace patchbay::core {

Status InProcessPlugin::create(HostContext& context, OnState) {
  pb_err err = empty_error();
  const pb_plugin* table = nullptr;
  void* self = nullptr;
  const int32_t status = source_.entry->create(context.raw(), &table, &self, &err);
  if (status != PB_OK) return read_error(status, &err);
  PB_TRY(check_plugin_table(table));
  table_ = table;
  self_ = self;
  return {};
}

void InProcessPlugin::start(const std::string& config, const pb_done& done) {
  table_->start(self_, to_abi(config), &done);
}

void InProcessPlugin::check_config(const std::string& config, const pb_done& done) {
  pb_err err = empty_error();
  const int32_t status = table_->check_config(self_, to_abi(config), &err);
  done.call(done.self, status, &err);
}

void InProcessPlugin::reconfigure(const std::string& config, const pb_done& done) {
  table_->reconfigure(self_, to_abi(config));
  done.call(done.self, PB_OK, nullptr);
}

void InProcessPlugin::flush(const pb_done& done) { done.call(done.self, PB_OK, nullptr); }
void InProcessPlugin::drain(const pb_done& done) { table_->drain(self_, &done); }
void InProcessPlugin::stop(const pb_done& done) { table_->stop(self_, &done); }
void InProcessPlugin::destroy() { table_->destroy(self_); }

}  // namespace patchbay::core
