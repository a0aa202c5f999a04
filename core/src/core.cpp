#include "patchbay/core.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "abi/subsystems.h"
#include "config/config.h"
#include "core_metrics.h"
#include "plugins/plugin_set.h"
#include "plugins/start_order.h"
#include "store/event_retention.h"
#include "store/store_metrics.h"

namespace patchbay {
namespace {

using core::config::Outcome;
namespace observe = core::observe;

core::config::Sources sources_of(const CoreOptions& options) {
  return {options.config_file,
          options.environment ? *options.environment : core::config::process_environment(),
          std::filesystem::absolute(options.plugin_dir.empty() ? "." : options.plugin_dir).string()};
}

Outcome<core::config::Draft> draft_of(const CoreOptions& options) {
  if (options.config_text.empty()) return core::config::load(sources_of(options));
  return core::config::load_text(sources_of(options), options.config_text);
}

template <class T>
Result<T> take(Outcome<T> outcome) {
  if (!outcome.value) return {Code::invalid, core::config::sentences(outcome.problems)};
  return *std::move(outcome.value);
}

}  // namespace

// The configuration and the plugins that it names.
struct Core::Plan {
  core::config::Config config;
  core::PluginCatalogue catalogue;
  std::string warnings;

  static Result<Plan> make(const CoreOptions& options);
};

Result<Core::Plan> Core::Plan::make(const CoreOptions& options) {
  PB_TRY_VALUE(const core::config::Draft draft, take(draft_of(options)));
  core::PluginCatalogue catalogue(options.linked_plugins, draft.server().plugin_dir);
  auto checked = core::config::check(draft, catalogue.schemas());
  std::string warnings = checked.value ? core::config::sentences(checked.problems) : std::string();
  PB_TRY_VALUE(core::config::Config config, take(std::move(checked)));
  return Plan{std::move(config), std::move(catalogue), std::move(warnings)};
}

class Core::Impl {
 public:
  Impl(CoreOptions options, Plan plan) : options_(std::move(options)), plan_(std::move(plan)) {}
  ~Impl() { static_cast<void>(stop()); }

  // `scratch`: the data folder is deleted afterwards.
  Status open(bool scratch = false) {
    const auto& server = plan_.config.server();
    PB_TRY_VALUE(subsystems_, core::Subsystems::create(subsystem_options()));
    core::HostServices& services = subsystems_->services();
    log_ = &services.log;
    log_source_ = services.metrics.add_source([this](observe::Exposition& out) {
      out.counter("patchbay_log_lines_dropped_total", "Log lines that came faster than they could be written",
                  static_cast<double>(log_->dropped()));
    });
    for (const std::string& secret : plan_.config.secrets()) log_->redactor().add(secret);
    if (!plan_.warnings.empty()) warn(plan_.warnings);
    std::error_code error;
    std::filesystem::create_directories(server.data, error);
    if (error)
      return {Code::invalid, "server.data: cannot make the folder " + server.data + ": " + error.message()};

    PB_TRY(open_store(scratch));
    core_metrics_ = std::make_unique<core::CoreMetrics>(
        core::CoreMetrics{services.runtime, services.bus, services.registry, services.media,
                          services.process_times, services.runtime.mono_clock().now_ns()});
    core_metrics_source_ =
        services.metrics.add_source([this](observe::Exposition& out) { core_metrics_->add_to(out); });

    events_ = plan_.catalogue.events_json(plan_.config.plugins());
    const int64_t drain_ms =
        options_.drain_deadline_ms >= 0 ? options_.drain_deadline_ms : server.drain_timeout_s * 1000;
    plugins_ = std::make_unique<core::PluginSet>(
        services, core::PluginSetOptions{std::chrono::milliseconds(options_.start_deadline_ms),
                                         std::chrono::milliseconds(drain_ms), options_.plugin_host});
    return {};
  }

  Plan take_plan() { return std::move(plan_); }

  std::map<std::string, core::PluginRunner::ConfigCheck> check_unstarted(bool check_schemas) {
    return plugins_->check_unstarted(plan_.catalogue, plan_.config, check_schemas);
  }

  Status start() { return plugins_->start(plan_.catalogue, plan_.config); }

  Status reload() {
    if (Status opened = log_->reopen(); !opened) warn(opened.error().text);
    PB_TRY_VALUE(Plan next, Plan::make(options_));
    const auto change = core::config::diff(plan_.config, next.config);
    if (change.server || !change.added.empty() || !change.removed.empty()) {
      return {Code::unsupported,
              "a change of `server` or of the list of plugins needs a restart; nothing was applied"};
    }
    if (!change.isolated.empty()) {
      return {Code::unsupported,
              "a change of where " + change.isolated.front() +
                  " runs (`isolation`, `restarts`, `paths`) needs a restart; nothing was applied"};
    }
    for (const std::string& secret : next.config.secrets()) log_->redactor().add(secret);
    Status told = plugins_->reconfigure(next.config, change.changed);
    if (!told && told.error().code != Code::timeout) return told;
    for (const std::string& secret : plan_.config.secrets()) log_->redactor().remove(secret);
    plan_ = std::move(next);
    if (!told) return std::move(told).error().within("it was applied, but not everywhere yet");
    return {};
  }

  void drain() { plugins_->drain(); }
  void flush_log() { log_->flush(); }

  Status stop() {
    Status status;
    if (plugins_) status = plugins_->stop();
    store_metrics_.reset();
    retention_.reset();
    if (subsystems_ && subsystems_->store() != nullptr) subsystems_->store()->close();
    if (log_ != nullptr) log_->flush();
    return status;
  }

  void stop_sources() { subsystems_->services().runtime.stop_sources(); }
  // Code of a plugin never came back.
  bool stuck() const {
    if (!subsystems_) return false;
    core::Runtime& runtime = subsystems_->services().runtime;
    return (plugins_ && plugins_->stuck()) || runtime.media().stalled() > 0 ||
           !runtime.wait_idle(std::chrono::milliseconds(options_.start_deadline_ms));
  }

  std::string report(std::string_view what) const { return subsystems_->services().report(what); }

 private:
  // What the subsystems do not report themselves.
  std::string report_of_plugins(std::string_view what) const {
    if (what == "plugins") return plugins_->plugins_json();
    if (what == "ready") return plugins_->ready_json();
    if (what == "metrics") return subsystems_->services().metrics.text();
    if (what == "events") return events_;
    return {};
  }
  core::Subsystems::Options subsystem_options() {
    const auto& server = plan_.config.server();
    core::Subsystems::Options options;
    options.log = {server.log_json ? observe::Format::json : observe::Format::text,
                   observe::level_of(server.log_level), options_.log_file};
    core::RuntimeOptions& runtime = options.runtime;
    runtime.executor.threads = server.threads;
    if (options_.stall_ms > 0) runtime.executor.stall_ms = options_.stall_ms;
    runtime.executor.on_stall = &Impl::stalled;
    runtime.executor.stall_user = this;
    runtime.media.on_stall = &Impl::media_stalled;
    runtime.media.stall_user = this;
    runtime.media.stall_ms = std::min(runtime.media.stall_ms, runtime.executor.stall_ms);
    runtime.manual = options_.clock;
    options.data_folder = server.data;
    options.report = [this](std::string_view what) { return report_of_plugins(what); };
    return options;
  }

  Status open_store(bool scratch) {
    core::StoreOptions options;
    options.scratch = scratch;
    options.warn = [this](const std::string& sentence) { warn(sentence); };
    options.on_fatal = [this](const std::string& sentence) {
      warn(sentence);
      log_->flush();
      std::_Exit(EXIT_FAILURE);
    };
    if (!scratch) {
      options.postgres = plan_.config.server().store;
      options.postgres_password = plan_.config.server().store_password;
    }
    const std::filesystem::path data = plan_.config.server().data;
    Status opened = subsystems_->open_store(data / "patchbay.db", std::move(options));
    if (!opened)
      return std::move(opened).error().within(
          "the store in " + (scratch || plan_.config.server().store.empty() ? data.string() : "PostgreSQL") +
          " cannot be opened");
    core::HostServices& services = subsystems_->services();
    core::Store& store = *subsystems_->store();
    retention_ = std::make_unique<core::EventRetention>(
        services.runtime, store, [this](const std::string& sentence) { warn(sentence); });
    store_metrics_ = std::make_unique<core::StoreMetrics>(
        services.metrics, store, *retention_, [&services] { return services.runtime.wall_clock().now_ms(); });
    return {};
  }

  void warn(std::string_view sentence, std::initializer_list<observe::Field> fields = {}) {
    observe::Event event;
    event.level = observe::Level::warn;
    event.component = "core";
    event.text = sentence;
    event.fields = fields.begin();
    event.count = fields.size();
    log_->write(event);
  }

  static void stalled(void* self, const core::StallReport& report) {
    const std::string ms = std::to_string(report.ms);
    static_cast<Impl*>(self)->warn("a plugin holds its strand",
                                   {{"plugin", report.owner}, {"strand", report.strand}, {"ms", ms}});
  }
  static void media_stalled(void* self, const core::StallReport& report) {
    const std::string ms = std::to_string(report.ms);
    static_cast<Impl*>(self)->warn("a plugin holds a media loop: what runs on it is silent",
                                   {{"plugin", report.owner}, {"loop", report.strand}, {"ms", ms}});
  }

  // owned, each used by those below it
  const CoreOptions options_;
  Plan plan_;
  std::string events_;  // of the plugins of the first plan: a reload changes none of them
  std::unique_ptr<core::Subsystems> subsystems_;
  observe::Log* log_ = nullptr;  // of subsystems_
  observe::MetricSource log_source_;
  std::unique_ptr<core::EventRetention> retention_;
  std::unique_ptr<core::StoreMetrics> store_metrics_;
  std::unique_ptr<core::CoreMetrics> core_metrics_;
  observe::MetricSource core_metrics_source_;
  std::unique_ptr<core::PluginSet> plugins_;
};

Core::Core(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Core::~Core() {
  static_cast<void>(impl_->stop());
  if (!impl_->stuck()) return;
  // A plugin's thread hangs and may still use these objects, so they are leaked.
  impl_->stop_sources();
  static auto* const left = new std::vector<Impl*>;
  left->push_back(impl_.release());
}

Result<std::unique_ptr<Core>> Core::create(CoreOptions options) {
  // Read once, before plugins have threads, because reading it at a reload would race with their setenv().
  if (!options.environment) options.environment = core::config::process_environment();
  PB_TRY_VALUE(Plan plan, Plan::make(options));
  return create(std::move(options), std::move(plan));
}

Result<std::unique_ptr<Core>> Core::create(CoreOptions options, Plan plan) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(plan));
  PB_TRY(impl->open());
  return std::unique_ptr<Core>(new Core(std::move(impl)));
}

Status Core::start() { return impl_->start(); }
Status Core::reload() { return impl_->reload(); }
void Core::drain() { impl_->drain(); }
Status Core::stop() { return impl_->stop(); }
std::string Core::report(std::string_view what) const { return impl_->report(what); }
void Core::flush_log() { impl_->flush_log(); }

namespace {

void add_line(std::string& lines, const std::string& line) {
  lines += (lines.empty() || line.empty() ? "" : "\n") + line;
}

// Plugins that require what no configured plugin provides, each with a sentence that says so.
std::map<std::string, std::string> unmet(const core::PluginCatalogue& catalogue,
                                         const std::vector<std::string>& plugins) {
  std::vector<core::Manifest> manifests;
  for (const std::string& id : plugins) {
    const auto source = catalogue.find(id);
    if (!source) return {};  // reported already; it may provide what the others lack
    manifests.push_back(source->manifest);
  }
  std::map<std::string, std::string> why;
  for (auto& [index, text] : core::start_order(manifests, catalogue.providers()).refused)
    why.emplace(manifests[index].id, std::move(text));
  return why;
}

bool has_all(const core::PluginCatalogue& catalogue, const std::vector<std::string>& plugins) {
  return std::all_of(plugins.begin(), plugins.end(),
                     [&](const std::string& id) { return catalogue.find(id).ok(); });
}

}  // namespace

// A core in a temporary folder, whose plugins check their configuration but are never started.
struct Core::UnstartedPlugins {
  using Result = std::map<std::string, core::PluginRunner::ConfigCheck>;

  // Leaves `plan` as it was.
  static Result run(CoreOptions options, Plan& plan, bool check_schemas) {
    std::string folder = (std::filesystem::temp_directory_path() / "patchbay-check-XXXXXX").string();
    // A full disk is no fault of the configuration: the plugins then check it when they start.
    if (mkdtemp(folder.data()) == nullptr) return {};
    const std::string data = plan.config.server().data;
    plan.config.set_data_folder(folder);
    options.log_file = "/dev/null";
    Result result;
    {
      Core core(std::make_unique<Impl>(std::move(options), std::move(plan)));
      if (core.impl_->open(true)) result = core.impl_->check_unstarted(check_schemas);
      plan = core.impl_->take_plan();
    }
    plan.config.set_data_folder(data);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    return result;
  }
};

Checked check_configuration(const CoreOptions& options) {
  const auto draft = draft_of(options);
  if (!draft.value) return {false, core::config::sentences(draft.problems), false, {}};
  core::PluginCatalogue catalogue(options.linked_plugins, draft.value->server().plugin_dir);
  const auto schemas = catalogue.schemas();
  auto config = core::config::check(*draft.value, schemas);
  Checked checked{
      config.value.has_value(), core::config::sentences(config.problems), config.value.has_value(), {}};
  const std::vector<std::string>& plugins = draft.value->plugins();
  for (const std::string& id : config.value ? plugins : std::vector<std::string>{}) {
    const auto source = catalogue.find(id);
    if (source) continue;
    checked.usable = false;
    add_line(checked.sentences, id + " cannot be used: " + source.error().text);
  }
  checked.refused = unmet(catalogue, plugins);
  checked.sound = checked.sound && checked.refused.empty() && !plugins.empty();
  // Checks with the plugins even if the configuration has problems, so that all problems are reported at
  // once.
  if (!config.value) config.value = core::config::check_without_flawed(*draft.value, schemas);
  if (config.value && !config.value->plugins().empty()) {
    Core::Plan plan{*std::move(config.value), std::move(catalogue), ""};
    for (const auto& [id, check] : Core::UnstartedPlugins::run(options, plan, true)) {
      checked.sound = checked.sound && check.accepted.ok();
      std::string& why = checked.refused[id];
      why += (why.empty() ? "" : "; ") + (check.created ? check.accepted : check.created).error().text;
    }
  }
  for (const auto& [id, why] : checked.refused)
    add_line(checked.sentences, draft.value->place_of(why) + ": " + id + " would not start: " + why);
  if (plugins.empty() && config.problems.empty())
    add_line(checked.sentences, options.config_file + ": names no plugin; add those to run under `plugins:`");
  checked.usable = checked.usable && checked.sound && checked.refused.empty();
  return checked;
}

Result<std::unique_ptr<Core>> Core::create_checked(CoreOptions options) {
  if (!options.environment) options.environment = core::config::process_environment();
  auto plan = Plan::make(options);
  const bool is_sound = plan && has_all(plan->catalogue, plan->config.plugins()) &&
                        unmet(plan->catalogue, plan->config.plugins()).empty() &&
                        !plan->config.plugins().empty() &&
                        UnstartedPlugins::run(options, *plan, false).empty();
  if (is_sound) return create(std::move(options), *std::move(plan));
  // Takes longer, and finds out whether and why the server cannot start.
  if (const Checked checked = check_configuration(options); !checked.sound)
    return {Code::invalid, checked.sentences};
  return create(std::move(options));
}

}  // namespace patchbay
