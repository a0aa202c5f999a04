// Requests about users, and a server that records audits and can be changed behind its back.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "identity_server.h"
#include "support/test_store.h"

namespace identity_test {

inline constexpr char kUsers[] = "/api.ashx/v1/admin/users";

// "user.created dora of a.example by alice", one for each committed change.
inline std::vector<std::string> audits(size_t at_least) {
  std::vector<std::string> lines;
  for (const auto& record : probe::audited(at_least))
    lines.push_back(record.action + " " + record.object + " of " + record.tenant + " by " + record.actor);
  return lines;
}

struct UserServer {
  core::ManualClock clock;
  test::TestServer core;
  explicit UserServer(const std::string& yaml = config()) : core(yaml, &clock, {probe::entry()}) {
    REQUIRE(core.start_error() == "");
  }

  Status reload(const std::string& yaml) { return core.reload(yaml); }

  std::string everything_stored() const {
    std::string everything;
    for (const auto& file : std::filesystem::recursive_directory_iterator(core.data())) {
      if (!file.is_regular_file()) continue;
      std::ostringstream text;
      text << std::ifstream(file.path(), std::ios::binary).rdbuf();
      everything += text.str();
    }
    return everything;
  }

  // Runs SQL on the server's database.
  void as_another_process(const std::string& sql) const {
    const Status ran = test::run_sql(core.data() / "patchbay.db", sql);
    CHECK_MESSAGE(ran.ok(), (ran ? "" : ran.error().text));
  }

  // The number that a SELECT returns.
  int64_t stored_number(const std::string& sql) const {
    const auto value = test::sql_value(core.data() / "patchbay.db", sql);
    REQUIRE(value.ok());
    return std::stoll(*value);
  }

  // Advances the clock by two seconds, and waits for what its timers start, also after each part, because a
  // read that was under way arms its timer again when it ends.
  template <class F>
  bool within_two_seconds(F holds) {
    using Steady = std::chrono::steady_clock;
    const auto wait = [&](std::chrono::milliseconds limit) {
      for (const auto end = Steady::now() + limit; Steady::now() < end; std::this_thread::yield())
        if (holds()) return true;
      return false;
    };
    for (int i = 0; i < 4; ++i) {
      clock.advance(std::chrono::milliseconds(500));
      if (wait(std::chrono::milliseconds(50))) return true;
    }
    return wait(std::chrono::seconds(20));
  }
};

inline http::Request user_request(const std::string& name, const std::string& json = "",
                                  const std::string& tenant = kTenantA) {
  http::Request request = as_alice(json, {{"username", name}});
  request.tenant = tenant;
  request.remote = "192.0.2.7";
  return request;
}

struct Answer {
  http::Response response;
  int64_t status = 0;
  std::shared_ptr<const Json> json;
  JsonView body() const { return json ? json->root() : JsonView(); }
  std::string text(const char* name) const { return std::string(body().text(name, "")); }
  std::string error() const { return error_of(response); }
};

// name "": the collection.
inline Answer ask(const char* method, const std::string& name, const std::string& json = "",
                  const std::string& tail = "", const std::string& tenant = kTenantA) {
  const auto response = probe::ask(method, kUsers + (name.empty() ? "" : "/{username}" + tail),
                                   user_request(name, json, tenant));
  if (!response) FAIL(response.error().text);
  Answer answer{*response, response->status, nullptr};
  if (auto parsed = json_without_host(response->body))
    answer.json = std::make_shared<Json>(*std::move(parsed));
  return answer;
}

inline http::Response sign_in_response(const std::string& name, const std::string& password) {
  return token_response(post("grant_type=password&client_id=patchbay-admin&scope=offline_access&username=" +
                             name + "&password=" + password));
}
inline Tokens sign_in_as(const std::string& name, const std::string& password) {
  return tokens_of(sign_in_response(name, password));
}

}  // namespace identity_test
