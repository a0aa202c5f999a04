// Limits on attempts with passwords and refresh tokens.
#include <chrono>
#include <future>
#include <map>
#include <vector>

#include "identity_server.h"

using namespace identity_test;

TEST_CASE("after ten wrong passwords an account is throttled for that address") {
  Server server;
  const std::string wrong = "grant_type=password&client_id=patchbay-admin&username=alice&password=wrong";
  const std::string bob = "grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s";
  CHECK(token_response(post(bob)).status == 200);
  for (int i = 0; i < 10; ++i) CHECK(error_of(token_response(post(wrong))) == "400 invalid_grant");
  const auto refused = token_response(post(kAlice));
  CHECK(error_of(refused) == "429 rate_limited");
  CHECK(refused.headers.has("Retry-After"));
  CHECK(token_response(post(kAlice, kTenantA, "192.0.2.8")).status == 200);
  CHECK(token_response(post(bob)).status == 200);
  server.clock.advance(std::chrono::seconds(61));
  CHECK(token_response(post(kAlice)).status == 200);  // all ten attempts are allowed again
  for (int i = 0; i < 10; ++i) CHECK(error_of(token_response(post(wrong))) == "400 invalid_grant");
}

TEST_CASE("many users can sign in at once, but only ten of many concurrent guesses are checked") {
  Server server;
  const auto at_once = [](const std::vector<http::Request>& requests) {
    std::vector<std::future<Result<http::Response>>> answers;
    answers.reserve(requests.size());
    for (const auto& request : requests) answers.push_back(probe::begin("POST", "/oidc.ashx/token", request));
    std::map<int64_t, int> statuses;
    for (auto& answer : answers) {
      const auto response = probe::wait(std::move(answer));
      REQUIRE(response);
      ++statuses[response->status];
    }
    return statuses;
  };
  std::vector<http::Request> everybody, guesses;
  for (int i = 0; i < 50; ++i) everybody.push_back(post(kAlice, kTenantA, "192.0.2." + std::to_string(i)));
  CHECK(at_once(everybody)[200] == 50);
  const std::string wrong = "grant_type=password&client_id=patchbay-admin&username=alice&password=wrong";
  for (int i = 0; i < 100; ++i) guesses.push_back(post(wrong, kTenantA, "198.51.100.1"));
  auto statuses = at_once(guesses);
  CHECK(statuses[400] <= 12);  // two are checked at a time
  CHECK(statuses[400] + statuses[429] + statuses[503] == 100);
}

TEST_CASE(
    "guesses from one address at many accounts are throttled, and do not prevent others from signing in") {
  Server server;
  const auto guess = [](const std::string& user, const std::string& remote) {
    return error_of(token_response(post(
        "grant_type=password&client_id=patchbay-admin&password=wrong&username=" + user, kTenantA, remote)));
  };
  CHECK(token_response(post(kAlice, kTenantA, "2001:db8::1")).status == 200);
  for (int i = 0; i < 10; ++i)  // a customer has any number of IPv6 addresses
    CHECK(guess("user" + std::to_string(i), "2001:db8::" + std::to_string(i + 1)) == "400 invalid_grant");
  CHECK(guess("another", "2001:db8::99") == "429 rate_limited");
  const std::string bob = "grant_type=password&client_id=patchbay-admin&username=bob&password=bob%27s";
  CHECK(token_response(post(bob, kTenantA, "2001:db8::7")).status == 429);
  CHECK(token_response(post(bob, kTenantA, "2001:db8:0:1::7")).status == 200);
  CHECK(token_response(post(kAlice, kTenantA, "2001:db8::1")).status == 200);  // has signed in here
  server.clock.advance(std::chrono::seconds(7));
  CHECK(token_response(post(bob, kTenantA, "2001:db8::7")).status == 200);
}

TEST_CASE("an account that is attacked from many addresses is delayed, not locked") {
  Server server;
  CHECK(token_response(post(kAlice, kTenantA, "192.0.2.99")).status == 200);
  const std::string wrong = "grant_type=password&client_id=patchbay-admin&username=alice&password=wrong";
  for (int i = 0; i < 20; ++i)
    CHECK(token_response(post(wrong, kTenantA, "192.0.2." + std::to_string(i))).status == 400);
  CHECK(token_response(post(kAlice, kTenantA, "192.0.2.99")).status == 200);  // has signed in here
  auto answer = probe::begin("POST", "/oidc.ashx/token", post(kAlice, kTenantA, "192.0.2.98"));
  std::chrono::milliseconds passed{0};
  for (int i = 0; i < 2000 && answer.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready;
       ++i) {
    server.clock.advance(std::chrono::milliseconds(100));
    passed += std::chrono::milliseconds(100);
  }
  const auto response = probe::wait(std::move(answer));
  REQUIRE(response);
  CHECK(response->status == 200);
  CHECK(passed >= std::chrono::milliseconds(2000));
}

TEST_CASE("invalid refresh tokens are throttled by address like wrong passwords") {
  Server server;
  const Tokens tokens = sign_in(kAlice + "&scope=offline_access");
  const auto bad = [](const std::string& remote) {
    return token_response(
        post("grant_type=refresh_token&client_id=patchbay-admin&refresh_token=rt_x", kTenantA, remote));
  };
  for (int i = 0; i < 10; ++i) CHECK(error_of(bad("192.0.2.7")) == "400 invalid_grant");
  const auto refused = bad("192.0.2.7");
  CHECK(error_of(refused) == "429 rate_limited");
  CHECK(refused.headers.has("Retry-After"));
  CHECK(error_of(refresh(tokens.refresh)) == "429 rate_limited");  // from the same address
  CHECK(error_of(bad("192.0.2.8")) == "400 invalid_grant");
  CHECK(token_response(post(kAlice)).status == 200);  // has signed in from here before
  server.clock.advance(std::chrono::seconds(7));
  CHECK(refresh(tokens.refresh).status == 200);
}
