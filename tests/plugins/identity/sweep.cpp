// What has expired is deleted.
#include "login/browser.h"
#include "user_requests.h"

using namespace identity_test;

TEST_CASE("expired sessions, codes, refresh tokens and revocations are deleted within an hour") {
  UserServer server(config(users() + kClients));
  Browser browser;
  const Tokens tokens = tokens_of(exchange(browser.sign_in().sent("code")));
  browser.sign_in("alice", "alice's", {{"prompt", "login"}});  // its code is never used
  const auto revoked =
      probe::ask("POST", "/oidc.ashx/revoke", post("client_id=portal&token=" + tokens.access));
  REQUIRE(revoked);
  const char* tables[] = {"identity_session", "identity_code", "identity_refresh", "identity_revoked"};
  const auto rows = [&] {
    int64_t all = 0;
    for (const char* table : tables)
      all += server.stored_number(std::string("SELECT COUNT(*) FROM ") + table);
    return all;
  };
  for (const char* table : tables)
    CHECK(server.stored_number(std::string("SELECT COUNT(*) FROM ") + table) > 0);
  server.clock.advance(std::chrono::hours(24 * 91));
  CHECK(server.within_two_seconds([&] { return rows() == 0; }));
}
