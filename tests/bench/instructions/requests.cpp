// The requests of count_requests(): one after the other on one connection.
#include <patchbay/utc.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "bench/calls/server.h"
#include "bench/calls/server_process.h"
#include "bench/instructions/measures.h"
#include "plugins/rest-api/client.h"
#include "support/probe_requests.h"

namespace patchbay::bench {
namespace {

using rest_api_test::Client;

constexpr int kRows = 50, kStoredCalls = 100, kWarmUpRequests = 50, kRequests = 200;

constexpr const char* kConfig =
    R"(server: {data: data, management: {listen: "127.0.0.1:0"}}
plugins:
  rest-api: {listen: "127.0.0.1:0"}
  identity: {issuer: "http://localhost"}
  media: {}
  whitelist: {}
  sip-trunk: {listenPort: 0}
  ai-voice: {}
  engine-gemini: {}
tenants:
  localhost:
    primary: true
    identity: {users: [{username: admin, role: admin, password: bench-password}]}
    sip-trunk: {defaultTrunkId: main, trunks: [{id: main, host: 127.0.0.1, port: 9}]}
)";

// Sends the request and returns the body of the answer.
Result<std::string> ask(Client& client, const std::string& request) {
  if (!client.send(request)) return {Code::failed, "the server has closed the connection"};
  const auto answer = client.receive();
  if (!answer) return {Code::timeout, "no answer"};
  if (answer->status != 200) return {Code::failed, std::to_string(answer->status) + " " + answer->body};
  return answer->body;
}

std::string text(const std::string& line, const std::string& headers, const std::string& body = {}) {
  return line + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Status repeat(Client& client, const std::string& request, int times) {
  for (int i = 0; i < times; ++i) {
    const auto answer = ask(client, request);
    if (!answer) return answer.error();
  }
  return {};
}

Result<double> count(ServerProcess& server, Client& client, const std::string& folder,
                     const std::string& name, const std::string& request) {
  PB_TRY(server.command("count begin"));
  PB_TRY(repeat(client, request, kWarmUpRequests));
  PB_TRY(server.command("count begin"));
  PB_TRY(repeat(client, request, kRequests));
  PB_TRY(server.command("count " + name));
  PB_TRY_VALUE(const double instructions, counted(folder, name));
  return instructions / kRequests;
}

int64_t tomorrow_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now + std::chrono::hours(24)).count();
}

// Of the public listener. The port in listening.json follows its address.
uint16_t public_port(const ServerProcess& server) {
  const std::string address =
      probe::text_member(test::read_text(server.file("data/listening.json")), "public");
  return static_cast<uint16_t>(std::atoi(address.c_str() + address.rfind(':') + 1));
}

}  // namespace

Result<Instructions> count_requests(const std::string& folder) {
  ServerProcess server(kConfig, callgrind_command(folder));
  Client client(public_port(server));
  const std::string grant =
      "grant_type=password&client_id=patchbay-admin&username=admin&password=bench-password";
  Result<std::string> token = Error{};
  const auto signed_in = [&] {  // the routes come when their plugins run
    token = ask(client,
                text("POST /oidc.ashx/token", "Content-Type: application/x-www-form-urlencoded\r\n", grant));
    return token.ok();
  };
  if (!wait_until(signed_in)) return token.error();
  const std::string bearer = "Authorization: Bearer " + probe::text_member(*token, "access_token") + "\r\n";
  // A call in the future, because otherwise the request would also dial.
  std::string call = call_request(0);
  call.insert(call.size() - 1, R"(,"scheduleAtUtc":")" + utc_text(tomorrow_ms()) + "\"");
  const std::string create =
      text("POST /api.ashx/v1/calls", bearer + "Content-Type: application/json\r\n", call);
  PB_TRY(repeat(client, create, kStoredCalls));
  Instructions all;
  const std::string list = text("GET /api.ashx/v1/calls?limit=" + std::to_string(kRows), bearer);
  PB_TRY_VALUE(all["rest-list-50"], count(server, client, folder, "rest-list-50", list));
  PB_TRY_VALUE(all["rest-post-call"], count(server, client, folder, "rest-post-call", create));
  return all;
}

}  // namespace patchbay::bench
