#include "bench/start/servers.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
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

Result<Server> patchbay_server(const std::string& folder) {
  const uint16_t http = test::free_port(), management = test::free_port(), sip = test::free_port();
  const auto at = [](uint16_t port) { return "\"127.0.0.1:" + std::to_string(port) + "\""; };
  std::ofstream(folder + "/patchbay.yaml")
      << "server: {data: data, log: {level: warn}, management: {listen: " << at(management) << "}}\n"
      << "plugins:\n  rest-api: {listen: " << at(http) << "}\n"
      << "  identity: {issuer: \"http://localhost:" << http << "\"}\n  media: {}\n  whitelist: {}\n"
      << "  sip-trunk: {listenIp: 127.0.0.1, listenPort: " << sip << "}\n"
      << "  ai-voice: {}\n  engine-local: {isolation: none}\n  transcripts: {}\n  webhooks: {}\n"
      << "tenants: {localhost: {primary: true}}\n";
  return Server{{BENCH_PATCHBAY, "serve", "-c", folder + "/patchbay.yaml", "--plugin-dir", BENCH_PLUGINS},
                {http, management}};  // sip-trunk has its UDP port before rest-api starts
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
  return Server{{"janus", "--configs-folder=" + folder, "--disable-colors"}, {http, websocket}};
}

Result<Started> start_once(const Server& server, const std::string& folder) {
  const auto began = Clock::now();
  PB_TRY_VALUE(test::Child child, test::Child::spawn(server.command, folder, folder + "/log"));
  const auto is_open = [](uint16_t port) { return takes_connections(port); };
  while (!std::all_of(server.ports.begin(), server.ports.end(), is_open)) {
    if (Clock::now() - began > std::chrono::seconds(20) || !child.running())
      return {Code::unavailable, server.command[0] + " did not start: " + test::read_text(folder + "/log")};
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  Started started;
  started.ms = std::chrono::duration<double, std::milli>(Clock::now() - began).count();
  std::this_thread::sleep_for(std::chrono::seconds(2));  // until it is idle
  started.idle_kib = pss_kib(child.pid());
  return started;
}

}  // namespace patchbay::bench
