// IsolatedPlugin: a plugin in a separate process, which is restarted when it ends by itself until a budget is
// used up. Requests under way are answered as soon as its process has ended.
#pragma once

#include <patchbay/plugin.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/plugin_backend.h"
#include "isolation/restart_budget.h"
#include "isolation/session.h"

namespace patchbay::core::isolation {

struct IsolationOptions {
  std::string program;  // as CoreOptions.plugin_host
  RestartBudget::Limits restarts;
  std::vector<std::string> provides;  // the services that the plugin may publish: of its manifest
  // The files and folders that the plugin may reach when it has that configuration.
  std::function<std::vector<std::string>(const std::string& config)> paths;
  // How long a process may take to answer a start, a check or a stop before it is killed; shorter than the
  // deadlines of the callers.
  std::chrono::milliseconds answer_timeout{};
};

class IsolatedPlugin final : public PluginBackend {
 public:
  IsolatedPlugin(std::string plugin_file, IsolationOptions options);
  ~IsolatedPlugin() override;

  Status prepare() override;
  Status create(HostContext& context, OnState on_state) override;
  void start(const std::string& config, const pb_done& done) override;
  // Starts a process for the check if the plugin was never started. Fails while the plugin is being
  // restarted; accepts what the schema allows while it is quarantined.
  void check_config(const std::string& config, const pb_done& done) override;
  bool plugin_answered() const override { return plugin_answered_; }
  // Ends a quarantine, with a fresh budget.
  void reconfigure(const std::string& config, const pb_done& done) override;
  void flush(const pb_done& done) override;
  // A process that ends from then on is not restarted.
  void drain(const pb_done& done) override;
  void stop(const pb_done& done) override;
  void destroy() override;

 private:
  enum class Phase { starting, up, down, quarantined, stopping, ended };

  void check_unstarted(const std::string& config, const pb_done& done);
  void created(Status status);
  void launch();
  void launched(Status status);
  void ended(Status how);
  void crashed(const std::string& why);
  void quarantine(const std::string& why);
  void start_answer_timer(const char* what);
  // Pings a running plugin periodically. If a task blocks one of its strands or its media loop for longer
  // than answer_timeout, its process is killed, and so restarted.
  void ping();
  void log(uint32_t level, std::string_view text, std::string_view why, std::string_view delay = {}) const;
  uint64_t metric(uint32_t kind, std::string_view name, std::string_view help) const;
  void set_up_metric(bool up) const;

  // owned
  const std::string plugin_file_;
  const IsolationOptions options_;
  std::string program_;
  InterfaceShare interfaces_;
  OnState on_state_;
  // of create() until destroy()
  HostContext* context_ = nullptr;
  std::optional<Host> host_;
  std::unique_ptr<Timer> restart_timer_;
  std::unique_ptr<Timer> answer_timer_;
  std::unique_ptr<Timer> ping_timer_;
  std::unique_ptr<Session> session_;
  // state
  RestartBudget budget_;
  Phase phase_ = Phase::starting;
  bool checks_only_ = false;       // created only to check a configuration, never started
  bool plugin_answered_ = false;   // the plugin itself answered the check
  bool replaced_ = false;          // killed to be started anew, which is not a crash
  bool first_ = true;              // no start has succeeded yet
  std::string config_;             // to be started with
  std::string started_with_;       // by the session
  Status refused_;                 // the plugin's error at start, or at stop
  std::unique_ptr<Done> waiting_;  // the first start, or stop
};

}  // namespace patchbay::core::isolation
