// patchbay check: whether a configuration would be accepted.
#include <patchbay/core.h>

#include <cstdio>
#include <memory>

#include "plugin_dir.h"
#include "server_address.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

struct Command {
  std::string file;
  std::string plugin_dir;
};

int run(const Command& command) {
  CoreOptions options;
  options.config_file = usual_config_file(command.file);
  options.plugin_dir = usual_plugin_dir(command.plugin_dir);
  const Checked checked = check_configuration(options);
  std::fputs(checked.sentences.c_str(), checked.usable ? stdout : stderr);
  if (!checked.sentences.empty() && checked.sentences.back() != '\n')
    std::fputc('\n', checked.usable ? stdout : stderr);
  if (!checked.usable) return kConfiguration;
  std::printf("%s is fine\n", options.config_file.c_str());
  return kDone;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  CLI::App& verb =
      *app.add_subcommand("check", "Check a configuration; says file, line, key and what to write instead");
  const auto command = std::make_shared<Command>();
  verb.add_option("FILE", command->file, "The configuration");
  verb.add_option("--plugin-dir", command->plugin_dir, "Where plugins are, unless the configuration says")
      ->type_name("DIR");
  verb.footer("Examples:\n  patchbay check patchbay.yaml");
  verb.callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace patchbay::app
