// Embeds the core in a program, without a configuration file, plugin folder or dlopen.
#include <patchbay/bus.h>
#include <patchbay/core.h>
#include <patchbay/plugin.h>

#include <csignal>
#include <cstdio>
#include <string>

extern "C" const pb_entry patchbay_plugin_v1_c_plugin;
extern "C" const pb_entry patchbay_plugin_v1_dial_hours;

namespace {

// The program's part is a plugin, too, through which it reaches the others.
class Appliance final : public patchbay::Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "appliance", "version": "1.0.0", "license": "Apache-2.0",
                                         "config": {"plugin": {"type": "object", "properties": {}}}})";

 private:
  patchbay::Status start(const patchbay::Config&) override {
    PB_TRY_VALUE(
        counted_, patchbay::Subscription::open(host(), "c-plugin.counted", [](const patchbay::Event& event) {
          std::printf("%s %s\n", std::string(event.subject()).c_str(), std::string(event.payload()).c_str());
          std::fflush(stdout);
        }));
    patchbay::publish(host(), {"call.answered", "", "door bell", "", "{}"});
    return {};
  }
  patchbay::Subscription counted_;
};

constexpr pb_entry kAppliance = patchbay::linked_entry<Appliance>();

constexpr char kConfig[] = R"(
server: {data: embedded-data, log: {level: warn}}
plugins: {c-plugin: {topic: call.answered}, dial-hours: {}, appliance: {}}
tenants: {localhost: {dial-hours: {quiet: [{from: "22:00", to: "07:00"}]}}}
)";

}  // namespace

int main() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigprocmask(SIG_BLOCK, &stop, nullptr);  // before the core starts threads

  patchbay::CoreOptions options;
  options.config_file = "embedded.yaml";  // not read; relative paths are resolved against its folder
  options.config_text = kConfig;
  options.linked_plugins = {&patchbay_plugin_v1_c_plugin, &patchbay_plugin_v1_dial_hours, &kAppliance};
  auto core = patchbay::Core::create(std::move(options));
  if (!core) return std::fprintf(stderr, "%s\n", core.error().text.c_str()), 1;
  if (const auto started = (*core)->start(); !started)
    return std::fprintf(stderr, "%s\n", started.error().text.c_str()), 1;

  int signal = 0;
  sigwait(&stop, &signal);
  (*core)->drain();
  return (*core)->stop().ok() ? 0 : 1;
}
