// patchbay plugin doctor: one line per plugin with the reason why it would not start and the fix. Inspects
// the files first; when they are sound, it runs check_config of the configured plugins.
#include <patchbay/core.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "config/config.h"
#include "json/writer.h"
#include "plugin_dir.h"
#include "plugin_doctor/start_diagnosis.h"
#include "plugin_verbs.h"
#include "plugins/plugin_set.h"
#include "server_address.h"
#include "terminal_text.h"

namespace patchbay::app {
namespace {

struct DoctorCommand {
  std::string file;
  std::string config_file;
  std::string plugin_dir;
  bool json = false;
};

struct Setup {
  std::string folder;
  std::optional<std::vector<std::string>> configured;
  std::vector<std::string> isolated;           // configured plugins with `isolation: process`
  std::vector<std::string> problems;           // errors in the configuration
  std::map<std::string, std::string> refused;  // plugin -> the error of its check_config
};

void add_problems(const std::vector<core::config::Problem>& problems, std::vector<std::string>& out) {
  for (const core::config::Problem& problem : problems) out.push_back(problem.sentence());
}

Setup read_setup(const DoctorCommand& command) {
  Setup setup;
  setup.folder = default_plugin_dir(command.plugin_dir);
  if (!command.file.empty() && command.config_file.empty()) return setup;
  auto draft = core::config::load(
      {default_config_file(command.config_file), core::config::process_environment(), setup.folder});
  if (!draft.value) return add_problems(draft.problems, setup.problems), setup;
  if (command.plugin_dir.empty()) setup.folder = draft.value->server().plugin_dir;
  setup.configured = draft.value->plugins();
  const core::PluginCatalogue catalogue({}, setup.folder);
  const auto config = core::config::check(*draft.value, catalogue.schemas());
  add_problems(config.problems, setup.problems);
  if (setup.configured->empty() && setup.problems.empty())
    setup.problems.push_back(default_config_file(command.config_file) +
                             ": names no plugin; add those to run under `plugins:`");
  if (!config.value) return setup;
  for (const std::string& id : *setup.configured)
    if (config.value->isolation(id).process) setup.isolated.push_back(id);
  CoreOptions options;
  options.config_file = default_config_file(command.config_file);
  options.plugin_dir = setup.folder;
  setup.refused = check_configuration(options).refused;
  return setup;
}

// Installed plugins that are not configured share one line.
void print_text(const std::vector<Diagnosis>& all) {
  std::string others;
  for (const Diagnosis& each : all) {
    const bool quiet =
        each.state == Diagnosis::State::not_configured && each.remarks.empty() && all.size() > 1;
    if (quiet)
      others += (others.empty() ? "" : ", ") + each.plugin;
    else
      std::fputs(sentence(each).c_str(), stdout);
  }
  if (!others.empty())
    std::printf("not configured: %s; add `NAME:` to `plugins:` for those to run\n", harmless(others).c_str());
}

void print_json(const Setup& setup, const std::vector<Diagnosis>& all) {
  static constexpr const char* kStates[] = {"starts", "refused", "not-configured"};
  core::json::Writer out;
  out.begin_object().key("problems").begin_array();
  for (const std::string& problem : setup.problems) out.value(std::string_view(problem));
  out.end_array().key("plugins").begin_array();
  for (const Diagnosis& each : all) {
    out.begin_object().member("plugin", each.plugin).member("state", kStates[static_cast<int>(each.state)]);
    out.member("why", each.why).key("remarks").begin_array();
    for (const std::string& remark : each.remarks) out.value(std::string_view(remark));
    out.end_array().end_object();
  }
  std::printf("%s\n", out.end_array().end_object().text().c_str());
}

int run_plugin_doctor(const DoctorCommand& command) {
  const Setup setup = read_setup(command);
  std::vector<Diagnosis> all;
  if (!command.file.empty()) {
    all.push_back(diagnose_file(command.file, setup.folder, setup.configured));
  } else if (setup.configured) {
    all = diagnose(setup.folder, *setup.configured);
  }
  for (Diagnosis& each : all) {
    const auto refused = setup.refused.find(each.plugin);
    if (refused == setup.refused.end() || each.state != Diagnosis::State::starts) continue;
    each.state = Diagnosis::State::refused;
    each.why = refused->second;
  }
  check_isolation(all, setup.isolated, setup.folder);
  bool well = setup.problems.empty();
  for (const Diagnosis& each : all) well = well && each.state != Diagnosis::State::refused;
  if (command.json) {
    print_json(setup, all);
  } else {
    for (const std::string& problem : setup.problems) std::printf("%s\n", problem.c_str());
    print_text(all);
  }
  return well ? kDone : kConfiguration;
}

}  // namespace

void add_plugin_doctor(Verb plugin, int& exit_code) {
  Verb verb =
      plugin.add_verb("doctor", "Say why plugins would not start, and what to do; starts none of them");
  const auto command = std::make_shared<DoctorCommand>();
  verb.add_option("FILE", command->file, "One plugin's .so; by default all plugins of the configuration");
  verb.add_option("-c,--config", command->config_file, "The configuration");
  verb.add_option("--plugin-dir", command->plugin_dir, "Plugin folder, if the configuration names none")
      .type_name("DIR");
  verb.add_flag("--json", command->json, "Print it as JSON");
  verb.footer(
      "Examples:\n  patchbay plugin doctor -c patchbay.yaml\n  patchbay plugin doctor "
      "build/plugins/hello-plugin.so");
  verb.callback([command, &exit_code] { exit_code = run_plugin_doctor(*command); });
}

}  // namespace patchbay::app
