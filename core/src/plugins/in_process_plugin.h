// InProcessPlugin: a plugin whose code runs in this process, from a file or linked into the program.
#pragma once

#include "abi/plugin_backend.h"
#include "plugins/plugin_file.h"

namespace patchbay::core {

class InProcessPlugin final : public PluginBackend {
 public:
  explicit InProcessPlugin(PluginSource source) : source_(std::move(source)) {}

  Status prepare() override { return load_plugin(source_); }
  Status create(HostContext& context, OnState on_state) override;
  void start(const std::string& config, const pb_done& done) override;
  void check_config(const std::string& config, const pb_done& done) override;
  void reconfigure(const std::string& config, const pb_done& done) override;
  void flush(const pb_done& done) override;
  void drain(const pb_done& done) override;
  void stop(const pb_done& done) override;
  void destroy() override;

 private:
  PluginSource source_;
  // the plugin's
  const pb_plugin* table_ = nullptr;
  void* self_ = nullptr;
};

}  // namespace patchbay::core
