// patchbay check: checks a configuration without starting a server.
#include <patchbay/core.h>

#include <cstdio>
#include <memory>
#include <sstream>

#include "json/writer.h"
#include "plugin_dir.h"
#include "server_address.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

struct CheckCommand {
  std::string file;
  std::string plugin_dir;
  bool json = false;
};

void print_json(const Checked& checked) {
  core::json::Writer out;
  out.begin_object()
      .member("usable", checked.usable)
      .key(checked.usable ? "warnings" : "problems")
      .begin_array();
  std::istringstream lines(checked.sentences);
  for (std::string line; std::getline(lines, line);) out.value(std::string_view(line));
  out.end_array().end_object();
  std::printf("%s\n", out.text().c_str());
}

int run_check(const CheckCommand& command) {
  CoreOptions options;
  options.config_file = default_config_file(command.file);
  options.plugin_dir = default_plugin_dir(command.plugin_dir);
  const Checked checked = check_configuration(options);
  if (command.json) {
    print_json(checked);
  } else {
    std::FILE* out = checked.usable ? stdout : stderr;
    std::fputs(checked.sentences.c_str(), out);
    if (!checked.sentences.empty() && checked.sentences.back() != '\n') std::fputc('\n', out);
    if (checked.usable) std::printf("%s is fine\n", options.config_file.c_str());
  }
  return checked.usable ? kDone : kConfiguration;
}

}  // namespace

void add_check(Verb app, int& exit_code) {
  Verb verb = app.add_verb("check", "Check a configuration; says file, line, key and what to write instead");
  const auto command = std::make_shared<CheckCommand>();
  verb.add_option("FILE", command->file, "The configuration");
  verb.add_option("--plugin-dir", command->plugin_dir, "Plugin folder, if the configuration names none")
      .type_name("DIR");
  verb.add_flag("--json", command->json, "Print the result as JSON");
  verb.footer("Examples:\n  patchbay check patchbay.yaml\n  patchbay check --json");
  verb.callback([command, &exit_code] { exit_code = run_check(*command); });
}

}  // namespace patchbay::app
