#include "isolation/isolated_plugin.h"

#include <algorithm>
#include <utility>

#include "isolation/isolation_support.h"
#include "isolation/limits.h"
#include "isolation/plugin_host_program.h"

namespace patchbay::core::isolation {

IsolatedPlugin::IsolatedPlugin(std::string plugin_file, IsolationOptions options)
    : plugin_file_(std::move(plugin_file)),
      options_(std::move(options)),
      interfaces_(options_.provides),
      budget_(options_.restarts) {}

IsolatedPlugin::~IsolatedPlugin() = default;

Status IsolatedPlugin::prepare() {
  PB_TRY_VALUE(program_, find_plugin_host(options_.program));
  return {};
}

Status IsolatedPlugin::create(HostContext& context, OnState on_state) {
  PB_TRY_VALUE(host_, Host::open(context.raw()));
  context_ = &context;
  on_state_ = std::move(on_state);
  restart_timer_ = std::make_unique<Timer>(*host_);
  answer_timer_ = std::make_unique<Timer>(*host_);
  ping_timer_ = std::make_unique<Timer>(*host_);
  if (const std::string why = missing_containment(); !why.empty())
    log(PB_LOG_WARN, "the plugin's process is not fully contained", why);
  return {};
}

void IsolatedPlugin::start(const std::string& config, const pb_done& done) {
  config_ = config;
  waiting_ = std::make_unique<Done>(&done);
  launch();
}

// The process is killed after the check, and the answer is given once it has ended.
void IsolatedPlugin::check_unstarted(const std::string& config, const pb_done& done) {
  checks_only_ = true;
  start(config, done);
}

void IsolatedPlugin::created(Status status) {
  if (!status) {
    refused_ = std::move(status);
    return session_->kill({});
  }
  session_->command(Kind::check, config_, [this](Status answer) {
    refused_ = std::move(answer);
    plugin_answered_ = true;
    session_->kill({});
  });
}

void IsolatedPlugin::launch() {
  refused_ = {};
  phase_ = Phase::starting;
  auto session = Session::begin(*context_, *host_, interfaces_,
                                {program_, plugin_file_, context_->id(),
                                 context_->services().data_folder.string(), options_.paths(config_)},
                                [this](Status how) { ended(std::move(how)); });
  if (!session) return ended(session.error());
  session_ = std::move(*session);
  started_with_ = config_;
  if (checks_only_) {
    start_answer_timer("check_config");
    session_->command(Kind::create, config_, [this](Status status) { created(std::move(status)); });
    return;
  }
  start_answer_timer("start");
  session_->command(Kind::start, config_, [this](Status status) { launched(std::move(status)); });
}

// If the start was refused or the process has ended, ended() follows and reports it. A process that was
// refused and stays is killed.
void IsolatedPlugin::launched(Status status) {
  if (phase_ != Phase::starting) return;  // commanded to stop meanwhile
  answer_timer_->cancel();
  if (!status) {
    refused_ = std::move(status);
    return answer_timer_->after_ms(kMaxExitAfterStopMs, [this] {
      if (session_) session_->kill({});
    });
  }
  phase_ = Phase::up;
  set_up_metric(true);
  ping();
  if (std::exchange(first_, false)) {
    if (const auto done = std::move(waiting_)) (*done)();
    return;
  }
  host_->observe->metric_add(
      host_->self,
      metric(PB_METRIC_COUNTER, "patchbay_plugin_restarts_total", "Restarts of isolated plugins"), 1);
  log(PB_LOG_INFO, "the plugin's process runs again", {});
  on_state_(PluginState::running, "");
  if (started_with_ != config_) session_->command(Kind::reconfigure, config_, [](const Status&) {});
}

void IsolatedPlugin::ended(Status how) {
  answer_timer_->cancel();
  ping_timer_->cancel();
  session_.reset();
  set_up_metric(false);
  plugin_answered_ = plugin_answered_ && how.ok();
  const std::string why = !refused_ ? refused_.error().text
                          : how     ? std::string("its process has ended")
                                    : how.error().text;
  if (phase_ == Phase::stopping || first_) {
    phase_ = Phase::ended;
    if (!refused_) how = refused_;
    if (const auto done = std::move(waiting_)) return (*done)(how);
    if (!how) log(PB_LOG_ERROR, "the plugin's process has ended", why);  // while it drained
    return;
  }
  if (std::exchange(replaced_, false)) {
    on_state_(PluginState::restarting, why);
    return launch();
  }
  crashed(why.substr(0, kMaxReasonBytes));
}

void IsolatedPlugin::crashed(const std::string& why) {
  host_->observe->metric_add(
      host_->self,
      metric(PB_METRIC_COUNTER, "patchbay_plugin_crashes_total", "Ends of isolated plugins' processes"), 1);
  const auto delay_ms = budget_.ended(host_->mono_ns() / 1'000'000);
  if (!delay_ms) return quarantine(why);
  phase_ = Phase::down;
  log(PB_LOG_ERROR, "the plugin's process has ended", why, std::to_string(*delay_ms));
  on_state_(PluginState::restarting, why);
  restart_timer_->after_ms(*delay_ms, [this] { launch(); });
}

void IsolatedPlugin::quarantine(const std::string& why) {
  phase_ = Phase::quarantined;
  const std::string text =
      "more than " + std::to_string(budget_.limits().most) + " restarts in " +
      std::to_string(budget_.limits().within_s) +
      " s; a reload that changes its configuration, or a restart of the server, starts it "
      "again; last: " +
      why;
  log(PB_LOG_ERROR, "the plugin is quarantined", text);
  on_state_(PluginState::quarantined, text);
}

void IsolatedPlugin::start_answer_timer(const char* what) {
  answer_timer_->after_ms(options_.answer_timeout.count(), [this, what] {
    if (session_)
      session_->kill({Code::timeout, std::string(what) + " timed out after " +
                                         std::to_string(options_.answer_timeout.count()) + " ms"});
  });
}

void IsolatedPlugin::ping() {
  ping_timer_->after_ms(options_.answer_timeout.count() / kPingsPerTimeout, [this] {
    if (phase_ != Phase::up) return;
    ping_timer_->after_ms(options_.answer_timeout.count(), [this] {
      if (phase_ == Phase::up)
        session_->kill({Code::timeout, "it did not answer for " +
                                           std::to_string(options_.answer_timeout.count()) +
                                           " ms: something holds one of its strands or its media loop"});
    });
    session_->command(Kind::ping, {}, [this](const Status& status) {
      if (status && phase_ == Phase::up) ping();
    });
  });
}

void IsolatedPlugin::check_config(const std::string& config, const pb_done& raw) {
  if (first_ && !session_) return check_unstarted(config, raw);
  Done done(&raw);
  if (phase_ == Phase::quarantined) return done();
  if (phase_ != Phase::up) return done({Code::unavailable, "it is being restarted; try again"});
  start_answer_timer("check_config");
  session_->command(Kind::check, config, [this, done = std::move(done)](const Status& status) mutable {
    answer_timer_->cancel();
    done(status);
  });
}

void IsolatedPlugin::reconfigure(const std::string& config, const pb_done& raw) {
  Done done(&raw);
  config_ = config;
  if (phase_ == Phase::quarantined) {
    budget_.reset();
    on_state_(PluginState::restarting, "its configuration was changed");
    return launch();
  }
  if (phase_ != Phase::up) return;  // it will be started with this one
  if (options_.paths(config) != options_.paths(started_with_)) {
    replaced_ = true;
    return session_->kill(
        {Code::cancelled, "its configuration names other files, which only a new process can reach"});
  }
  started_with_ = config;
  start_answer_timer("reconfigure");
  session_->command(Kind::reconfigure, config, [this, done = std::move(done)](const Status&) mutable {
    answer_timer_->cancel();
    done();
  });
}

void IsolatedPlugin::flush(const pb_done& raw) {
  Done done(&raw);
  if (phase_ != Phase::up) return;
  session_->command(Kind::flush, {}, [done = std::move(done)](const Status&) mutable { done(); });
}

void IsolatedPlugin::drain(const pb_done& raw) {
  Done done(&raw);
  restart_timer_->cancel();
  if (phase_ != Phase::up) return;  // stop() handles it
  phase_ = Phase::stopping;
  session_->command(Kind::drain, {}, [done = std::move(done)](const Status&) mutable { done(); });
}

void IsolatedPlugin::stop(const pb_done& raw) {
  waiting_ = std::make_unique<Done>(&raw);
  restart_timer_->cancel();
  const bool answers = phase_ == Phase::up || phase_ == Phase::stopping;
  phase_ = Phase::stopping;
  refused_ = {};
  if (!session_) return ended({});
  if (!answers) return session_->kill({});
  answer_timer_->after_ms(std::min<int64_t>(kStopTimeoutMs, options_.answer_timeout.count()), [this] {
    if (session_) session_->kill({Code::timeout, "stop timed out, and its process was killed"});
  });
  session_->command(Kind::stop, {}, [this](Status status) { refused_ = std::move(status); });
}

void IsolatedPlugin::destroy() {
  answer_timer_.reset();
  ping_timer_.reset();
  restart_timer_.reset();
}

void IsolatedPlugin::log(uint32_t level, std::string_view text, std::string_view why,
                         std::string_view delay) const {
  const pb_pair fields[] = {{to_abi("why"), to_abi(why)}, {to_abi("restart_in_ms"), to_abi(delay)}};
  const uint32_t count = why.empty() ? 0 : delay.empty() ? 1 : 2;
  host_->observe->log(host_->self, level, {}, to_abi(text), fields, count);
}

uint64_t IsolatedPlugin::metric(uint32_t kind, std::string_view name, std::string_view help) const {
  const pb_pair label{to_abi("plugin"), to_abi(host_->plugin_id())};
  return host_->observe->metric(host_->self, kind, to_abi(name), to_abi(help), &label, 1);
}

void IsolatedPlugin::set_up_metric(bool up) const {
  host_->observe->metric_set(
      host_->self, metric(PB_METRIC_GAUGE, "patchbay_plugin_up", "1 while an isolated plugin's process runs"),
      up ? 1 : 0);
}

}  // namespace patchbay::core::isolation
