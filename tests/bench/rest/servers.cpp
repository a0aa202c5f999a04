#include "bench/rest/servers.h"

#include <patchbay/utc.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bench/rest/http_load.h"
#include "support/free_ports.h"

namespace patchbay::bench {
namespace {

// The build to measure: another one's folder in BENCH_BUILD, to compare two.
std::string build_folder() {
  const char* other = std::getenv("BENCH_BUILD");
  return other ? other : BENCH_BUILD_FOLDER;
}

Result<HttpServerProcess> start(const std::vector<std::string>& command, const std::string& folder,
                                uint16_t port) {
  PB_TRY_VALUE(test::Child child, test::Child::spawn(command, folder, folder + "/log"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!test::is_listening_on_tcp(port)) {
    if (std::chrono::steady_clock::now() > deadline || !child.running())
      return {Code::unavailable, command[0] + " did not start: " + test::read_text(folder + "/log")};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return HttpServerProcess{std::move(child), port};
}

}  // namespace

const char kListTarget[] = "/api.ashx/v1/calls?limit=50";

Result<HttpServerProcess> start_patchbay(const std::string& folder, const std::string& store) {
  const uint16_t port = test::free_port();
  std::ofstream(folder + "/patchbay.yaml")
      << "server: {data: data, management: {listen: \"127.0.0.1:0\"}"
      << (store.empty() ? "" : ", store: \"" + store + "\"") << "}\nplugins:\n"
      << "  rest-api: {listen: \"127.0.0.1:" << port
      << "\", limits: {requestsPerSecond: 1000000, burst: 1000000}}\n"
      << "  identity: {issuer: \"http://localhost:" << port << "\"}\n  media: {}\n  whitelist: {}\n"
      << "  sip-trunk: {listenIp: 127.0.0.1, listenPort: 0}\n  ai-voice: {}\n"
      << "  engine-local: {isolation: none}\n  transcripts: {}\n  webhooks: {}\n"
      << "tenants:\n  localhost:\n    primary: true\n"
      << "    identity: {users: [{username: alice, role: admin, password: alice}]}\n"
      << "    ai-voice: {email: ops@example.com, maxWaitingCalls: 1000000}\n";
  const std::string build = build_folder();
  return start(
      {build + "/bin/patchbay", "serve", "-c", folder + "/patchbay.yaml", "--plugin-dir", build + "/plugins"},
      folder, port);
}

Result<HttpServerProcess> start_nginx(const std::string& folder) {
  const char* const program = "/usr/sbin/nginx";
  if (!std::filesystem::exists(program)) return {Code::not_found, "cmake/install-packages bench"};
  const uint16_t port = test::free_port();
  std::ofstream(folder + "/nginx.conf")
      << "daemon off;\nmaster_process off;\nworker_processes 1;\npid " << folder << "/pid;\n"
      << "error_log " << folder << "/errors;\nevents {}\nhttp {\n  access_log " << folder << "/requests;\n"
      << "  sendfile on;\n  tcp_nopush on;\n  keepalive_requests 1000000000;\n"
      << "  client_body_temp_path " << folder << ";\n  proxy_temp_path " << folder
      << ";\n  fastcgi_temp_path " << folder << ";\n  uwsgi_temp_path " << folder << ";\n  scgi_temp_path "
      << folder << ";\n"
      << "  default_type application/json;\n  server { listen 127.0.0.1:" << port << "; root " << folder
      << "; }\n}\n";
  return start({program, "-c", folder + "/nginx.conf", "-p", folder, "-e", folder + "/errors"}, folder, port);
}

Result<HttpServerProcess> start_pistache(const std::string& folder) {
  const uint16_t port = test::free_port();
  return start({BENCH_PISTACHE, std::to_string(port), folder + "/list.json"}, folder, port);
}

std::string request_text(const std::string& method, const std::string& target, const std::string& bearer,
                         const std::string& body, bool keep_alive_header) {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n";
  if (keep_alive_header) text += "Connection: keep-alive\r\n";
  if (!bearer.empty()) text += "Authorization: Bearer " + bearer + "\r\n";
  if (body.empty()) return text + "\r\n";
  const bool form = target == "/oidc.ashx/token";
  return text + "Content-Type: " + (form ? "application/x-www-form-urlencoded" : "application/json") +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Result<std::string> sign_in(uint16_t port) {
  const std::string form =
      "grant_type=password&client_id=patchbay-admin&username=alice&password=alice&scope=openid";
  const std::string request = request_text("POST", "/oidc.ashx/token", "", form);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (true) {
    const auto answer = ask_once(port, request);
    const std::string name = "\"access_token\":\"";
    const size_t at = answer ? answer->find(name) : std::string::npos;
    if (at != std::string::npos) {
      const size_t start = at + name.size();
      return answer->substr(start, answer->find('"', start) - start);
    }
    if (std::chrono::steady_clock::now() > deadline)
      return answer ? Result<std::string>(Code::failed, "there is no token in " + *answer) : answer.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::string call_body() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return R"({"phone":"+4930123456","displayName":"Dental practice","maxSeconds":120,"scheduleAtUtc":")" +
         utc_text(now_ms + int64_t{24} * 3600 * 1000) +
         R"(","systemPrompt":"Remind the callee of the appointment tomorrow at nine, and ask for another day.")"
         "}";
}

Result<std::string> create_calls(uint16_t port, const std::string& bearer, int count) {
  const std::string request = request_text("POST", "/api.ashx/v1/calls", bearer, call_body());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int i = 0; i < count;) {
    const auto answer = ask_once(port, request);
    if (answer) {
      ++i;
    } else if (std::chrono::steady_clock::now() > deadline) {
      return answer.error();
    } else {  // plugins are still starting
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  return ask_once(port, request_text("GET", kListTarget, bearer, ""));
}

}  // namespace patchbay::bench
