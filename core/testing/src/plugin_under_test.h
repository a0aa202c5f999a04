// PluginUnderTest: takes one plugin of a test through its life step by step. Each step is begun, runs on the
// plugin's main strand, and is answered. The test's thread only.
#pragma once

#include <patchbay/abi/plugin.h>
#include <patchbay/testing/table.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "environment.h"
#include "plugins/plugin_file.h"
#include "plugins/plugin_lifecycle.h"

namespace patchbay::fake {

class PluginUnderTest {
 public:
  static Result<std::unique_ptr<PluginUnderTest>> of(Environment& environment, const pb_entry& entry);

  const std::string& manifest_text() const noexcept { return manifest_text_; }
  const std::string& id() const noexcept { return source_.manifest.id; }
  // A step never returned: its strand may be held for ever.
  bool stuck() const noexcept { return stuck_; }

  // Error: the step cannot be begun now, or its configuration is refused.
  Status begin(uint32_t step, std::string_view plugin, std::string_view tenants);
  // nullopt: no answer within the wait.
  std::optional<Status> answer(std::chrono::milliseconds wait);
  // Stops and destroys the plugin, whatever it is doing; bounded.
  void end();

 private:
  PluginUnderTest(Environment& environment, core::PluginSource source, std::string manifest_text);
  // Made and not destroyed.
  bool alive() const noexcept { return !lifecycles_.empty() && lifecycles_.back()->is_created(); }
  Status may_begin(uint32_t step) const;
  Status create();
  Status destroy();
  Status stuck_in(const char* what);

  // borrowed
  Environment& world_;
  // owned
  const core::PluginSource source_;
  const std::string manifest_text_;
  // None is freed before the environment ends, because completions of closed registrations may still come.
  std::vector<std::unique_ptr<core::PluginLifecycle>> lifecycles_;
  std::vector<core::PluginLifecycle::Step> steps_;  // kept to notice second answers
  // state
  bool stuck_ = false;
};

}  // namespace patchbay::fake
