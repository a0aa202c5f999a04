#include "plugin_run/trial_arguments.h"

#include <algorithm>
#include <utility>

#include "bus/topic.h"
#include "config/config.h"
#include "json/parse.h"
#include "json/writer.h"
#include "plugins/plugin_file.h"

namespace patchbay::app {
namespace {

namespace config = core::config;

Error about(const char* option, const std::string& text) {
  return {Code::invalid, std::string(option) + ": " + text};
}

// Splits "word rest" at the first blanks; both parts are trimmed on the left.
std::pair<std::string, std::string> split(const std::string& text) {
  const auto from = std::min(text.find_first_not_of(' '), text.size());
  const auto end = std::min(text.find(' ', from), text.size());
  const auto rest = std::min(text.find_first_not_of(' ', end), text.size());
  return {text.substr(from, end - from), text.substr(rest)};
}

Result<NewEvent> read_event(const std::string& text) {
  const auto [topic, payload] = split(text);
  if (!core::valid_topic(topic))
    return about("--publish",
                 "'" + topic + "' is not a topic; write it so: 'call.answered {\"callId\": \"c-1\"}'");
  const std::string data = payload.empty() ? "{}" : payload;
  const auto document = core::json::parse(data);
  if (!document) return about("--publish", topic + ": what follows is no JSON: " + document.error().text);
  const core::json::Node* subject = document->root().find("callId");
  NewEvent event;
  event.topic = topic;
  event.subject = subject != nullptr ? std::string(subject->string()) : "";
  event.payload = data;
  return event;
}

Result<TrialRequest> read_request(const std::string& text) {
  const auto [method, rest] = split(text);
  const auto [target, body] = split(rest);
  if (target.empty() || target.front() != '/')
    return about("--ask",
                 "'" + text + "' is no request; write it so: 'POST /api.ashx/v1/notes {\"text\": \"x\"}'");
  return TrialRequest{method, target, body};
}

// A server's configuration file, checked against the manifests of the plugin and of those of --with.
class ConfigFile {
 public:
  explicit ConfigFile(const std::vector<core::Manifest>& known) : known_(known) {}

  Status read(const std::string& file) {
    const auto draft = config::load({file, config::process_environment(), "."});
    if (!draft.value) return {Code::failed, "--config: " + config::sentences(draft.problems)};
    std::vector<config::PluginSchema> schemas;
    for (const std::string& name : draft.value->plugins()) schemas.push_back({name, schema_of(name)});
    auto checked = config::check(*draft.value, schemas);
    if (!checked.value) return {Code::failed, "--config: " + config::sentences(checked.problems)};
    config_ = std::move(checked.value);
    return {};
  }
  bool has(const std::string& id) const {
    const auto& all = config_->plugins();
    return std::find(all.begin(), all.end(), id) != all.end();
  }
  Status give(const std::string& id, std::string& plugin, std::string& tenants) const {
    PB_TRY_VALUE(const core::json::Document view, core::json::parse(config_->plugin_view(id)));
    plugin = core::json::write(*view.root().find("plugin"));
    tenants = core::json::write(*view.root().find("tenants"));
    return {};
  }
  const std::vector<std::string>& secrets() const { return config_->secrets(); }

 private:
  // nullptr, which accepts anything, for plugins that are not part of this trial.
  const core::json::Node* schema_of(const std::string& id) const {
    for (const core::Manifest& manifest : known_)
      if (manifest.id == id) return manifest.config;
    return nullptr;
  }

  const std::vector<core::Manifest>& known_;
  std::optional<config::Config> config_;
};

// `manifests`: that of the plugin, then those of --with.
Status read_config(const std::string& file, const std::vector<core::Manifest>& manifests, Trial& trial) {
  ConfigFile config(manifests);
  PB_TRY(config.read(file));
  const std::string& id = manifests.front().id;
  if (!config.has(id)) return {Code::failed, "--config: " + file + " has no plugins." + id};
  PB_TRY(config.give(id, trial.plugin, trial.tenants));
  for (size_t i = 0; i < trial.providers.size(); ++i)
    if (config.has(manifests[i + 1].id))
      PB_TRY(config.give(manifests[i + 1].id, trial.providers[i].plugin, trial.providers[i].tenants));
  trial.secrets = config.secrets();
  return {};
}

}  // namespace

Result<Trial> read_trial(const TrialArguments& arguments) {
  Trial trial;
  trial.file = arguments.file;
  std::vector<core::Manifest> manifests;
  std::vector<std::string> files{arguments.file};
  files.insert(files.end(), arguments.with.begin(), arguments.with.end());
  for (const std::string& file : files) {
    const auto source = core::read_plugin_file(file);
    if (!source) return {Code::failed, file + ": " + source.error().text};
    manifests.push_back(source->manifest);
    if (manifests.size() > 1) trial.providers.push_back({file, {}, {}});
  }
  for (const std::string& text : arguments.publish) {
    PB_TRY_VALUE(NewEvent event, read_event(text));
    trial.events.push_back(std::move(event));
  }
  for (const std::string& text : arguments.ask) {
    PB_TRY_VALUE(TrialRequest request, read_request(text));
    trial.requests.push_back(std::move(request));
  }
  if (!arguments.pcm.empty()) {
    auto wav = read_wav(arguments.pcm);
    if (!wav) return about("--pcm", wav.error().text);
    trial.wav = *std::move(wav);
  }
  if (!arguments.pcm_out.empty() && arguments.pcm.empty())
    return about("--pcm-out", "needs --pcm, the file that is played to the plugin meanwhile");
  if (arguments.seconds < 0) return about("--for", "seconds are not negative");
  trial.wav_out = arguments.pcm_out;
  trial.data = arguments.data;
  trial.lasts_ms = static_cast<int64_t>(arguments.seconds * 1000);
  trial.deadline_ms = static_cast<int64_t>(arguments.deadline_sec * 1000);
  if (!arguments.config.empty()) PB_TRY(read_config(arguments.config, manifests, trial));
  return trial;
}

}  // namespace patchbay::app
