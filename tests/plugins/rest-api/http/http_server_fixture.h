// An HttpServer on a free port with the routes that most tests need and a handler that echoes the request.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/http_server.h"
#include "plugins/rest-api/client.h"

namespace rest_api_test {

using namespace patchbay::rest_api;

enum RouteId : uint32_t {
  kCalls = 1,
  kNewCall,
  kCall,
  kTurns,
  kList,
  kAdd,
  kSocket,
  kHealth,
  kAdminOnly,
  kNumber
};

inline RouteTable standard_routes() {
  return {{kCalls, Method::get, "/v1/calls", {}, kPublic, false},
          {kNewCall, Method::post, "/v1/calls", {}, kPublic, false},
          {kCall, Method::get, "/v1/calls/{id}", {}, kPublic, false},
          {kTurns, Method::get, "/v1/calls/{callId}/turns", {}, kPublic, false},
          {kNumber, Method::put, "/v1/numbers/{did}", {}, kPublic, false},
          {kList, Method::get, "/signal.ashx", Discriminator{"whitelist", "list"}, kPublic, false},
          {kAdd, Method::post, "/signal.ashx", Discriminator{"whitelist", "add"}, kPublic, false},
          {kSocket, Method::get, "/signal.ashx", {}, kPublic, true},
          {kHealth, Method::get, "/healthz", {}, kManagement, false},
          {kAdminOnly, Method::get, "/admin", {}, kLocal, false}};
}

// "route=3 id=abc; q=1; body=..."
inline std::string describe(const Exchange& exchange) {
  std::string text = "route=" + std::to_string(exchange.route);
  for (const auto& [name, value] : exchange.params) text += " " + name + "=" + value;
  for (const auto& [name, value] : exchange.query) text += " ?" + name + "=" + value;
  if (!exchange.body.empty()) text += " body=" + exchange.body;
  return text;
}

inline void echo(const std::shared_ptr<Exchange>& exchange) {
  exchange->reply(200, {{"Content-Type", "text/plain"}}, describe(*exchange));
}

struct ServerFixture {
  ServerConfig config;
  ServerHandlers handlers{echo, {}};
  RouteTable routes = standard_routes();
  std::unique_ptr<HttpServer> server;

  ServerFixture() {
    config.listeners.emplace_back();
    config.limits.max_bodies = 64 * 1024 * 1024;
    config.limits.max_connections = 8192;
    config.limits.max_per_address = 100'000;  // all clients of the tests have one address
    config.limits.answer_ms = 120'000;
  }

  // The port of the first listener; 0 on failure.
  uint16_t start() {
    auto started = HttpServer::start(config, routes, handlers);
    if (!started) {
      std::fprintf(stderr, "%s\n", started.error().text.c_str());
      return 0;
    }
    server = *std::move(started);
    return server->port(0);
  }

  Client connect(size_t listener = 0) const { return Client(server->port(listener)); }
};

inline std::string get(const std::string& target, const std::string& extra = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: test\r\n" + extra + "\r\n";
}

inline std::string post(const std::string& target, const std::string& body, const std::string& extra = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: test\r\n" + extra +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace rest_api_test
