// CalleeServer: a server in this process with the measured plugin, callee-plugin, and a plugin of the bench.
#pragma once

#include <patchbay/core.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/child_process.h"
#include "support/linked_plugin.h"

namespace patchbay::bench {

[[noreturn]] inline void die(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

class CalleeServer {
 public:
  // `section`: the configuration of callee-plugin. `entry`, `id`: the plugin of the bench. `others`: further
  // plugins, by id and file.
  CalleeServer(const std::string& section, const pb_entry* entry, const std::string& id,
               const std::vector<std::pair<std::string, std::string>>& others = {}) {
    const std::filesystem::path plugins = folder_.path() + "/plugins";
    std::filesystem::create_directory(plugins);
    std::filesystem::create_symlink(BENCH_CALLEE_PLUGIN, plugins / "callee-plugin.so");
    std::string sections = id + ": {}";
    for (const auto& [name, file] : others) {
      std::filesystem::create_symlink(file, plugins / (name + ".so"));
      sections += ", " + name + ": {}";
    }
    CoreOptions options;
    options.config_file = folder_.file("patchbay.yaml");
    options.config_text =
        "server: {data: data, log: {level: warn}, management: {listen: \"127.0.0.1:0\"}}\n"
        "plugins: {" +
        sections + ", callee-plugin: " + section + "}\ntenants: {localhost: {}}\n";
    options.plugin_dir = plugins.string();
    options.plugin_host = BENCH_PLUGIN_HOST;
    options.linked_plugins = {entry};
    options.environment.emplace();
    options.log_file = folder_.file("log");
    auto core = Core::create(std::move(options));
    if (!core) die(core.error().text);
    core_ = std::move(*core);
    if (const Status started = core_->start(); !started) die(started.error().text);
  }

 private:
  test::TempFolder folder_;
  std::unique_ptr<Core> core_;
};

}  // namespace patchbay::bench
