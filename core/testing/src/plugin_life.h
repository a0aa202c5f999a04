// PluginLife: one plugin of a test, led through its life step by step. Each step is begun, runs on the
// plugin's main strand, and is answered. The test's thread only.
#pragma once

#include <patchbay/abi/plugin.h>
#include <patchbay/testing/table.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/manifest.h"
#include "watched_host.h"

namespace patchbay::fake {

class PluginLife {
 public:
  static Result<std::unique_ptr<PluginLife>> of(World& world, const pb_entry& entry);
  ~PluginLife();

  const std::string& manifest_text() const noexcept { return manifest_text_; }
  const std::string& id() const noexcept { return manifest_.id; }
  // Made and not destroyed.
  bool alive() const noexcept { return self_ != nullptr; }
  // A step never came back: its strand may be held for ever.
  bool stuck() const noexcept { return stuck_; }

  // Error: the step cannot be begun now, or its configuration is refused.
  Status begin(uint32_t step, std::string_view plugin, std::string_view tenants);
  // Nothing: no answer within the wait.
  std::optional<Status> answer(std::chrono::milliseconds wait);
  // Through stop and destroy, whatever it is doing; bounded.
  void end();

 private:
  class Question;

  PluginLife(World& world, const pb_entry& entry, core::Manifest manifest, std::string manifest_text);
  Status may_begin(uint32_t step) const;
  Status create();
  void ask(const char* what, std::function<void(const std::shared_ptr<Question>&)> call);
  void ask_life(const char* what, void (*pb_plugin::*function)(void*, const pb_done*) noexcept);
  Status destroy();
  Status close_strand();
  void wait_for_answers() const;

  // borrowed
  World& world_;
  const pb_entry& entry_;
  // owned
  const core::Manifest manifest_;
  const std::string manifest_text_;
  // One per life; none is freed before the world ends, since ends of registrations may still be on their way.
  std::vector<std::unique_ptr<WatchedHost>> hosts_;
  std::vector<std::shared_ptr<Question>> asked_;  // for the same reason, and to notice second answers
  // the plugin's
  const pb_plugin* table_ = nullptr;
  void* self_ = nullptr;
  // state
  bool stuck_ = false;
};

}  // namespace patchbay::fake
