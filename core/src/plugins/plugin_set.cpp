#include "plugins/plugin_set.h"

#include <algorithm>
#include <utility>

#include "isolation/isolated_plugin.h"
#include "isolation/isolation_support.h"
#include "json/writer.h"
#include "plugins/configured_paths.h"
#include "plugins/in_process_plugin.h"
#include "plugins/start_order.h"

namespace patchbay::core {
namespace {

constexpr std::chrono::milliseconds kMinDrain{500};  // of a plugin when others have used the deadline up

Manifest nothing_known_of(const std::string& id) {
  Manifest manifest;
  manifest.id = id;
  return manifest;
}

}  // namespace

PluginSet::~PluginSet() {
  for (auto& runner : runners_) {
    // A plugin that never returned may still use its runner, so that is not freed.
    if (runner->stuck()) static_cast<void>(runner.release());  // NOLINT(bugprone-unused-return-value)
  }
}

PluginRunner* PluginSet::find(const std::string& id) const {
  const auto at = std::find_if(runners_.begin(), runners_.end(),
                               [&](const auto& runner) { return runner->manifest().id == id; });
  return at == runners_.end() ? nullptr : at->get();
}

Result<std::unique_ptr<PluginRunner>> PluginSet::make(PluginSource source,
                                                      const config::Isolation& isolation) const {
  std::unique_ptr<PluginBackend> backend;
  if (!isolation.process) {
    backend = std::make_unique<InProcessPlugin>(source);
  } else if (source.file.empty()) {
    return {Code::unsupported,
            "it is linked into the program and cannot run in a separate process; remove `isolation`"};
  } else if (std::string why = isolation::isolation_obstacle(source.manifest.provides); !why.empty()) {
    return {Code::unsupported, std::move(why)};
  } else {
    isolation::IsolationOptions options;
    options.program = options_.plugin_host;
    options.restarts = {isolation.max_restarts, isolation.within_s};
    options.provides = source.manifest.provides;
    options.paths = [manifest = source.manifest, more = isolation.paths](const std::string& own) {
      std::vector<std::string> paths = configured_paths(manifest, own);
      paths.insert(paths.end(), more.begin(), more.end());
      return paths;
    };
    options.answer_timeout = options_.start_deadline * 5 / 6;
    backend = std::make_unique<isolation::IsolatedPlugin>(source.file.string(), std::move(options));
  }
  return std::make_unique<PluginRunner>(services_, std::move(source), std::move(backend));
}

std::map<std::string, PluginRunner::ConfigCheck> PluginSet::check_unstarted(const PluginCatalogue& catalogue,
                                                                            const config::Config& config,
                                                                            bool check_schemas) {
  std::map<std::string, PluginRunner::ConfigCheck> wrong;
  for (const std::string& id : config.plugins()) {
    auto source = catalogue.find(id);
    if (!source) continue;
    auto runner = make(*std::move(source), config.isolation(id));
    if (!runner) {
      wrong.emplace(id, PluginRunner::ConfigCheck{runner.error(), {}});
      continue;
    }
    PluginRunner::ConfigCheck check =
        (*runner)->check_unstarted(config.plugin_view(id), check_schemas, options_.start_deadline);
    if (!check.created || !check.accepted) wrong.emplace(id, std::move(check));
    if ((*runner)->stuck()) runners_.push_back(*std::move(runner));  // its code may still run
  }
  return wrong;
}

Status PluginSet::start(const PluginCatalogue& catalogue, const config::Config& config) {
  std::vector<std::unique_ptr<PluginRunner>> found;
  std::vector<Manifest> manifests;
  std::string complaints;
  const auto complain = [&](const std::string& id, const std::string& why) {
    complaints += (complaints.empty() ? "" : "\n") + id + " not started: " + why;
  };
  for (const std::string& id : config.plugins()) {
    if (config.isolation(id).process) has_isolated_ = true;
    auto source = catalogue.find(id);
    const Manifest manifest = source ? source->manifest : nothing_known_of(id);
    auto runner = source ? make(*std::move(source), config.isolation(id))
                         : Result<std::unique_ptr<PluginRunner>>(source.error());
    manifests.push_back(manifest);
    if (runner) {
      found.push_back(*std::move(runner));
      continue;
    }
    complain(id, runner.error().text);
    found.push_back(
        std::make_unique<PluginRunner>(services_, PluginSource{manifest, {}, {}, nullptr}, nullptr));
    found.back()->refuse(runner.error().text);
  }
  const StartOrder plan = start_order(manifests, catalogue.providers());
  for (const auto& [index, why] : plan.refused) {
    if (found[index]->state() == PluginState::failed) continue;
    found[index]->refuse(why);
    complain(manifests[index].id, why);
  }
  {
    // Lists all of them before the first one starts, so that reports show those still to come.
    const std::lock_guard lock(mutex_);
    for (const size_t index : plan.order) runners_.push_back(std::move(found[index]));
    for (auto& runner : found) {
      if (runner) runners_.push_back(std::move(runner));
    }
  }
  for (const auto& runner : runners_) {
    if (runner->state() == PluginState::failed) continue;
    const Manifest& manifest = runner->manifest();
    Status status = providers_run(manifest);
    if (status) {
      status = runner->start(config.plugin_view(manifest.id), options_.start_deadline);
    } else {
      runner->refuse(status.error().text);
    }
    if (!status) complain(manifest.id, status.error().text);
  }
  settle();
  if (complaints.empty()) return {};
  return {Code::failed, std::move(complaints)};
}

// Checks that the providers run: each is there by its manifest, but its start may have failed.
Status PluginSet::providers_run(const Manifest& manifest) const {
  for (const std::string& service : manifest.requires_) {
    for (const auto& runner : runners_) {
      const auto& provides = runner->manifest().provides;
      if (std::find(provides.begin(), provides.end(), service) == provides.end()) continue;
      if (runner->serves()) continue;
      return {Code::unavailable, "it needs " + service + ", whose provider " + runner->manifest().id +
                                     " did not start; fix that first"};
    }
  }
  return {};
}

void PluginSet::settle() {
  // A call goes from one strand to another, and its answer back: two rounds.
  for (int round = 0; round < 2; ++round) {
    for (const auto& runner : runners_) runner->flush(options_.start_deadline);
  }
}

Status PluginSet::reconfigure(const config::Config& config, const std::vector<std::string>& changed) {
  std::string complaints;
  for (const std::string& id : changed) {
    PluginRunner* runner = find(id);
    if (runner == nullptr || !runner->serves()) continue;
    const Status status = runner->check_config(config.plugin_view(id), options_.start_deadline);
    if (!status) complaints += (complaints.empty() ? "" : "\n") + id + ": " + status.error().text;
  }
  if (!complaints.empty()) return {Code::invalid, std::move(complaints)};
  for (const std::string& id : changed) {
    PluginRunner* runner = find(id);
    if (runner == nullptr || !runner->serves()) continue;
    const Status status = runner->reconfigure(config.plugin_view(id), options_.start_deadline);
    if (!status) complaints += (complaints.empty() ? "" : "\n") + id + ": " + status.error().text;
  }
  if (!complaints.empty()) return {Code::timeout, std::move(complaints)};
  return {};
}

void PluginSet::drain() {
  const auto until = std::chrono::steady_clock::now() + options_.drain_deadline;
  // The later plugins must learn of the drain, too, however long the earlier ones take.
  const auto least = std::min(options_.drain_deadline, kMinDrain);
  for (auto at = runners_.rbegin(); at != runners_.rend(); ++at) {
    const auto left = until - std::chrono::steady_clock::now();
    (*at)->drain(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(left), least));
  }
}

Status PluginSet::stop() {
  std::string complaints;
  for (auto at = runners_.rbegin(); at != runners_.rend(); ++at) {
    const Status status = (*at)->stop(options_.start_deadline);
    if (!status)
      complaints += (complaints.empty() ? "" : "\n") + (*at)->manifest().id + ": " + status.error().text;
  }
  if (complaints.empty()) return {};
  return {Code::failed, std::move(complaints)};
}

bool PluginSet::stuck() const {
  return std::any_of(runners_.begin(), runners_.end(), [](const auto& runner) { return runner->stuck(); });
}

std::string PluginSet::plugins_json() const {
  json::Writer out;
  out.begin_array();
  const std::lock_guard lock(mutex_);
  for (const auto& runner : runners_) {
    const Manifest& manifest = runner->manifest();
    out.begin_object();
    out.member("id", manifest.id).member("version", manifest.version).member("summary", manifest.summary);
    out.member("state", state_name(runner->state())).member("reason", runner->reason());
    out.key("provides").begin_array();
    for (const std::string& service : manifest.provides) out.value(std::string_view(service));
    out.end_array().end_object();
  }
  out.end_array();
  return out.take();
}

std::string PluginSet::ready_json() const {
  json::Writer out;
  bool ready = true;
  const std::lock_guard lock(mutex_);
  for (const auto& runner : runners_) ready = ready && runner->state() == PluginState::running;
  out.begin_object().member("ready", ready).key("plugins").begin_object();
  for (const auto& runner : runners_) out.member(runner->manifest().id, state_name(runner->state()));
  out.end_object();
  // Only for operators to see: it does not make the server unready.
  if (has_isolated_) {
    const std::string why = isolation::missing_containment();
    out.member("isolation", why.empty() ? std::string("contained") : why);
  }
  out.end_object();
  return out.take();
}

}  // namespace patchbay::core
