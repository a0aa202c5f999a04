// RuleWatch: records the events, lines and ports of a test's plugins, and reports rules of the boundary that
// they break as problems.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "abi/host_context.h"
#include "recording.h"

namespace patchbay::fake {

class RuleWatch final : public core::HostObserver {
 public:
  explicit RuleWatch(Recording& recording) : recording_(recording) {}

  // [any]
  void problem(std::string_view name, std::string_view plugin, std::string text);
  // [any] Exempts the test itself from counting and reports. Call before it does anything.
  void trust(const core::HostContext& context);

  void called_on_media(core::HostContext& context, const char* function) noexcept override;
  void opened(core::HostContext& context, core::HandleKind kind, uint64_t handle) noexcept override;
  void closing(core::HostContext& context, core::HandleKind kind, uint64_t handle,
               const char* function) noexcept override;
  // Reports what is still held as problems.
  void destroyed(core::HostContext& context) noexcept override;
  void answered_twice(core::HostContext& context, const char* step) noexcept override;
  void published(core::HostContext& context, const pb_event& event) noexcept override;
  void logged(core::HostContext& context, uint32_t level, pb_str correlation, pb_str text,
              const pb_pair* fields, uint32_t count) noexcept override;
  void port_created(core::HostContext& context, uint64_t handle, const pb_port& port) noexcept override;

 private:
  using Held = std::map<uint64_t, core::HandleKind>;

  // borrowed
  Recording& recording_;
  // state
  std::mutex mutex_;
  std::map<const core::HostContext*, Held> held_;  // guarded by mutex_
  const core::HostContext* trusted_ = nullptr;
};

}  // namespace patchbay::fake
