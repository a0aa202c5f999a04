// patchbay-plugin-host <plugin file> <id> <data folder> <pid of the server> [<path>...]: runs one plugin in
// this process, connected to the server by the socket at descriptor 3. It may open the plugin's data folder
// and the paths, and no other files of the server. The server starts it (core/src/isolation) and closes the
// socket to stop it.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/subsystems.h"
#include "isolation/child_host.h"
#include "isolation/child_lifecycle.h"
#include "isolation/confine.h"
#include "runtime/crash_banner.h"

namespace patchbay::core::isolation {
namespace {

constexpr int kChannelFd = 3;

// Logs a task that blocks its strand, or a tick that blocks the media loop, as a line of the plugin.
void stalled(void*, const StallReport& report) {
  const std::string ms = std::to_string(report.ms);
  const pb_pair fields[] = {{to_abi("strand"), to_abi(report.strand)}, {to_abi("ms"), to_abi(ms)}};
  child_observe().log(nullptr, PB_LOG_WARN, {}, to_abi("a plugin holds its strand"), fields, 2);
}

// Only runtime and media loop of this process are used: bus, services and store calls go to the server.
std::unique_ptr<Subsystems> make_subsystems(std::filesystem::path data_folder) {
  Subsystems::Options options;
  options.runtime.executor.threads = 2;
  options.runtime.executor.on_stall = &stalled;
  options.runtime.media.on_stall = &stalled;
  options.runtime.media.loops =
      1;  // one is enough for one plugin, because the server bridges the audio of calls
  options.data_folder = std::move(data_folder);
  return *Subsystems::create(std::move(options));
}

Status confine(const AllowedPaths& allowed) {
  std::error_code ignored;  // a plugin that writes there gets the error
  std::filesystem::create_directories(allowed.data_folder, ignored);
  ::setenv("TMPDIR", allowed.data_folder.c_str(), 1);
  PB_TRY(drop_privileges());
  PB_TRY(confine_files(allowed));
  return confine_system_calls();
}

int run(const std::string& file, const std::string& id, const std::filesystem::path& data,
        std::vector<std::string> paths) {
  // Before any thread starts, because the confinement applies to the calling thread and later ones only.
  Status confined = confine({file, (data / id).string(), std::move(paths)});
  const auto subsystems = make_subsystems(data);
  ChildHost host(Descriptor(kChannelFd), subsystems->services(), id);
  ChildLifecycle lifecycle(host, file, std::move(confined));
  std::string frame;
  Descriptor fd;
  while (host.channel().receive(frame, fd)) lifecycle.take(frame);
  if (!lifecycle.over()) ::_exit(1);  // the server died, so skip the orderly stop
  subsystems->services().runtime.wait_idle(std::chrono::seconds(5));
  return 0;
}

// Makes this process die with its server, and ignore signals to the process group, which are for the server:
// it stops its plugins in order.
bool bind_to(const char* server) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && std::to_string(::getppid()) == server;
}

}  // namespace
}  // namespace patchbay::core::isolation

int main(int argc, char** argv) {
  using namespace patchbay::core;
  if (argc < 5 || ::fcntl(3, F_GETFD) < 0) {
    std::fputs("patchbay-plugin-host is started by patchbay, for plugins with `isolation: process`\n",
               stderr);
    return 2;
  }
  if (!isolation::bind_to(argv[4])) return 1;
  ::fcntl(3, F_SETFD, FD_CLOEXEC);
  install_crash_banner();
  return isolation::run(argv[1], argv[2], argv[3], {argv + 5, argv + argc});
}
