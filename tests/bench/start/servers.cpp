#include "bench/start/servers.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "support/free_ports.h"

namespace patchbay::bench {
namespace {

using Clock = std::chrono::steady_clock;

bool takes_connections(uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool open = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return open;
}

// Proportional set size: each process counts its share of shared pages.
double pss_kib(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("Pss:", 0) == 0) return std::stod(line.substr(4));
  return 0;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::vector<std::string> all_plugins() {
  return {"rest-api", "identity", "media",        "whitelist",  "sip-trunk",
          "ai-voice", "webhooks", "engine-local", "transcripts"};
}

Result<Server> patchbay_server(const std::string& folder, const std::vector<std::string>& plugins) {
  const uint16_t http = test::free_port(), management = test::free_port(), sip = test::free_port();
  const auto at = [](uint16_t port) { return "\"127.0.0.1:" + std::to_string(port) + "\""; };
  const std::map<std::string, std::string> settings = {
      {"rest-api", "listen: " + at(http)},
      {"identity", "issuer: \"http://localhost:" + std::to_string(http) + "\""},
      {"sip-trunk", "listenIp: 127.0.0.1, listenPort: " + std::to_string(sip)},
      {"engine-local", "isolation: none"}};
  std::ofstream file(folder + "/patchbay.yaml");
  file << "server: {data: data, log: {level: warn}, management: {listen: " << at(management) << "}}\n"
       << "plugins:\n";
  for (const std::string& id : plugins) {
    const auto set = settings.find(id);
    file << "  " << id << ": {" << (set == settings.end() ? "" : set->second) << "}\n";
  }
  file << "tenants: {localhost: {primary: true}}\n";
  return Server{{BENCH_PATCHBAY, "serve", "-c", folder + "/patchbay.yaml", "--plugin-dir", BENCH_PLUGINS},
                {http, management},  // sip-trunk has its UDP port before rest-api starts
                "patchbay: ready"};
}

Result<Server> janus_server(const std::string& folder) {
  constexpr const char* kConfigurations = "/etc/janus";
  if (!std::filesystem::exists(kConfigurations)) return {Code::not_found, "apt-get install janus"};
  const uint16_t http = test::free_port(), websocket = test::free_port();
  for (const auto& entry : std::filesystem::directory_iterator(kConfigurations)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    std::string words = text.str();
    replace(words, "port = 8088", "port = " + std::to_string(http));
    replace(words, "ws_port = 8188", "ws_port = " + std::to_string(websocket));
    std::ofstream(folder + "/" + entry.path().filename().string()) << words;
  }
  return Server{{"janus", "--configs-folder=" + folder, "--disable-colors"}, {http, websocket}, ""};
}

Result<Started> start_once(const Server& server, const std::string& folder,
                           const std::function<void(pid_t)>& look) {
  const auto began = Clock::now();
  const auto passed_ms = [&] {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
  };
  const std::string log = folder + "/log";
  PB_TRY_VALUE(test::Child child, test::Child::spawn(server.command, folder, log));
  const auto until = [&](const auto& is_reached) -> Status {
    while (!is_reached()) {
      if (passed_ms() > 20'000 || !child.running())
        return {Code::unavailable, server.command[0] + " did not start: " + test::read_text(log)};
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return {};
  };
  Started started;
  PB_TRY(until([&] { return std::all_of(server.ports.begin(), server.ports.end(), takes_connections); }));
  started.ms = passed_ms();
  PB_TRY(until([&] { return test::read_text(log).find(server.ready) != std::string::npos; }));
  started.ready_ms = passed_ms();
  std::this_thread::sleep_for(std::chrono::seconds(2));  // until it is idle
  started.idle_kib = pss_kib(child.pid());
  if (look) look(child.pid());
  return started;
}

pid_t other_patchbay() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto program = std::filesystem::read_symlink(entry.path() / "exe", error).filename();
    if (program == "patchbay") return std::atoi(entry.path().filename().c_str());
  }
  return 0;
}

}  // namespace patchbay::bench
