// ChildLifecycle: runs the commands that the server sends (Session::command): create, start, check, stop and
// so on.
#pragma once

#include <patchbay/host.h>
#include <patchbay/strand.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "isolation/child_host.h"
#include "plugins/in_process_plugin.h"

namespace patchbay::core::isolation {

class ChildLifecycle {
 public:
  // The plugin is not started in a process that could not be confined.
  ChildLifecycle(ChildHost& host, std::string plugin_file, Status confined)
      : host_(host), file_(std::move(plugin_file)), confined_(std::move(confined)) {}

  // [reader]
  void take(const std::string& frame);
  // The plugin has been destroyed, or was never created.
  bool over() const noexcept { return !is_created_; }

 private:
  struct PendingCommand;
  struct PingRound;
  // [any] Queues a call for the main strand.
  void post(std::function<void()> call);
  // On the main strand from here on.
  void command(const std::string& frame);
  void begin(Decoder& in, Kind kind);
  Status create();
  void answer_ping();
  pb_done done_for(Kind kind);
  void answered(Kind kind, int32_t status, const std::string& text);
  void destroy(Kind kind, int32_t status, const std::string& text, int64_t until_ns);
  void report(Kind kind, int32_t status, std::string_view text);
  void report_metrics();

  // borrowed
  ChildHost& host_;
  // owned
  const std::string file_;
  const Status confined_;
  std::optional<InProcessPlugin> plugin_;
  std::optional<Host> tables_;
  std::unique_ptr<Timer> metrics_timer_;
  std::unique_ptr<Timer> poll_timer_;
  // state
  std::atomic<bool> is_created_{false};
};

}  // namespace patchbay::core::isolation
