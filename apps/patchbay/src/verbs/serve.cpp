// patchbay serve: runs the core until a signal stops it.
#include <patchbay/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "json/parse.h"
#include "plugin_dir.h"
#include "runtime/crash_banner.h"
#include "serve/config_watch.h"
#include "serve/descriptor_limit.h"
#include "serve/heap_tuning.h"
#include "serve/listening_addresses.h"
#include "serve/systemd_notify.h"
#include "server_address.h"
#include "stop_signals.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

constexpr const char* kServeFooter =
    R"(Signals: SIGTERM and SIGINT drain (server.drain_timeout_s) and stop the server, a second one kills it at once; SIGHUP reads
the configuration again and applies it as a whole or, with the reasons on stderr, not at all. So does a change of the file, unless
--no-watch is given.

Examples:
  patchbay serve -c /etc/patchbay/patchbay.yaml
  PATCHBAY_SERVER__LOG__LEVEL=debug patchbay serve -c patchbay.yaml)";

constexpr std::chrono::seconds kTrimInterval{30};

struct ServeCommand {
  std::string config_file;
  std::string plugin_dir;
  bool no_watch = false;
};

// Prints each line of `text` with a heading on stderr.
void say(const char* heading, const std::string& text) {
  size_t from = 0;
  while (from < text.size()) {
    const size_t end = std::min(text.find('\n', from), text.size());
    std::fprintf(stderr, "patchbay: %s%.*s\n", heading, static_cast<int>(end - from), text.data() + from);
    from = end + 1;
  }
}

// The ids of the running plugins, each after a blank.
std::string running_plugins(const Core& core) {
  const auto plugins = core::json::parse(core.report("plugins"));
  std::string names;
  for (uint32_t i = 0; plugins && i < plugins->root().size(); ++i) {
    const core::json::Node& plugin = *plugins->root().element(i);
    if (member(plugin, "state") == "running") names += " " + member(plugin, "id");
  }
  return names;
}

// The configured plugin that provides patchbay.http (ports and admin socket), if it does not run; else "".
std::string missing_http_plugin(const Core& core) {
  const auto plugins = core::json::parse(core.report("plugins"));
  for (uint32_t i = 0; plugins && i < plugins->root().size(); ++i) {
    const core::json::Node& plugin = *plugins->root().element(i);
    if (member(plugin, "state") == "running") continue;
    const core::json::Node* provides = plugin.find("provides");
    for (uint32_t j = 0; provides != nullptr && j < provides->size(); ++j) {
      if (provides->element(j)->string() == "patchbay.http/1") return member(plugin, "id");
    }
  }
  return {};
}

void reload(Core& core) {
  const Status status = core.reload();
  if (status) return say("", "the configuration was read again and applied");
  say(status.error().code == Code::timeout ? "" : "not reloaded: ", status.error().text);
}

// Returns null when the file is not to be watched, or cannot be.
std::unique_ptr<ConfigWatch> watch_config(const ServeCommand& command, const std::string& file) {
  if (command.no_watch) return nullptr;
  auto watch = std::make_unique<ConfigWatch>(file);
  if (watch->error().empty()) return watch;
  say("", watch->error() + "; SIGHUP reloads the configuration");
  return nullptr;
}

// Until SIGTERM or SIGINT.
void serve_signals(Core& core, StopSignals& signals, ConfigWatch* watch) {
  for (int signal = 0; signal != SIGTERM && signal != SIGINT;) {
    signal = signals.wait_for(kTrimInterval);
    if (signal == 0) trim_heap();
    if (signal == SIGHUP) {
      if (watch != nullptr) watch->forget_change();
      reload(core);
    }
    if (signal == SIGIO && watch != nullptr && watch->take_change()) {
      say("", "the configuration file has changed");
      reload(core);
    }
  }
}

int run_serve(const ServeCommand& command) {
  core::install_crash_banner();
  limit_heap();
  raise_descriptor_limit();
  StopSignals signals;
  CoreOptions options;
  options.config_file = default_config_file(command.config_file);
  options.plugin_dir = default_plugin_dir(command.plugin_dir);
  const std::string file = options.config_file;
  std::unique_ptr<ConfigWatch> watch =
      watch_config(command, file);  // before it is read, so that no change is missed
  // A configuration is applied as a whole or not at all, but a plugin with a missing or broken file is
  // skipped.
  auto core = Core::create_checked(std::move(options));
  if (!core) {
    say("", core.error().text);
    return kConfiguration;
  }
  if (const Status started = (*core)->start(); !started) say("", started.error().text);
  const std::string running = running_plugins(**core);
  if (running.empty()) {
    say("", "no plugin runs: nothing to serve");
    return kConfiguration;
  }
  if (const std::string missing = missing_http_plugin(**core); !missing.empty()) {
    say("", missing + " does not run: without it the server cannot be reached, and stops");
    static_cast<void>((*core)->stop());
    return kConfiguration;
  }
  for (const std::string& address : listening_addresses()) say("listens at ", address);
  (*core)->flush_log();  // so that the log of the start precedes the next line
  say("", "ready, " + file + ":" + running);
  notify_service_manager("READY=1\nSTATUS=Running" + running);
  trim_heap();  // of what only the start needed

  serve_signals(**core, signals, watch.get());
  watch.reset();
  signals.restore_defaults();
  notify_service_manager("STOPPING=1");
  say("", "stopping; a second signal stops at once");
  (*core)->drain();
  const Status stopped = (*core)->stop();
  if (!stopped) say("", stopped.error().text);
  return stopped ? kDone : kRefused;
}

}  // namespace

void add_serve(Verb app, int& exit_code) {
  Verb verb = app.add_verb("serve", "Run the server");
  const auto command = std::make_shared<ServeCommand>();
  verb.add_option("-c,--config", command->config_file, "The configuration").type_name("FILE");
  verb.add_option("--plugin-dir", command->plugin_dir, "Plugin folder, if the configuration names none")
      .type_name("DIR");
  verb.add_flag("--no-watch", command->no_watch, "Do not reload the configuration when its file changes");
  verb.footer(kServeFooter);
  verb.callback([command, &exit_code] { exit_code = run_serve(*command); });
}

}  // namespace patchbay::app
