// Runs the lifecycle of the reference plugin, of any build, in a core.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "support/probe_plugin.h"
#include "support/test_server.h"

namespace patchbay::test {

inline std::string yaml(const std::string& word) {
  return "plugins: {probe: {}, reference-plugin: {word: " + word + "}}\ntenants: {localhost: {}}\n";
}

// The plugin starts, answers its route, accepts a new configuration, refuses a bad one, and stops.
inline void run_lifecycle(TestServer& server,
                          const std::function<std::string(const std::string&)>& yaml_of = yaml) {
  REQUIRE(server.start_error() == "");
  auto answer = probe::ask("GET", "/reference", {});
  REQUIRE(answer.ok());
  CHECK(answer.value().body == R"({"word":"moin"})");
  CHECK(server.reload(yaml_of("ahoi")).ok());
  answer = probe::ask("GET", "/reference", {});
  REQUIRE(answer.ok());
  CHECK(answer.value().body == R"({"word":"ahoi"})");
  const patchbay::Status refused = server.reload(yaml_of("bad"));
  REQUIRE(!refused.ok());
  CHECK(refused.error().text == "reference-plugin: word must not be bad");
  CHECK(server.log().find("the reference plugin goes round") != std::string::npos);
  CHECK(server.log().find("open-sesame") == std::string::npos);
  server.core().drain();
  CHECK(server.core().stop().ok());
}

}  // namespace patchbay::test
