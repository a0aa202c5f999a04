// A server for the clients of streams.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "api_server.h"
#include "plugins/rest-api/ws_client.h"
#include "stream_plugin.h"

namespace rest_api_test {

struct StreamServer {
  patchbay::test::TestServer core;
  HttpClient http{""}, management{""};
  uint16_t port = 0;

  explicit StreamServer(const std::function<void(patchbay::CoreOptions&)>& adjust = nullptr)
      : core(R"(
plugins:
  rest-api: {listen: "127.0.0.1:0", threads: 1, limits: {requestsPerSecond: 1000, burst: 1000}}
  fake-auth: {}
  stream-plugin: {}
tenants:
  a.example: {primary: true}
  127.0.0.1: {}
)",
             nullptr, {stream_plugin(), fake_auth()}, {}, adjust) {
    REQUIRE(core.start_error() == "");
    http = HttpClient::of(core);
    management = HttpClient::of(core, "management");
    port = port_of(http);
    REQUIRE(http.wait_for("GET", "/s/events/last"));
  }
};

}  // namespace rest_api_test
