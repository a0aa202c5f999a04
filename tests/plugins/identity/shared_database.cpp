// Revocations of other processes, on PostgreSQL. The server's clock stands still, so that it does not read
// the revisions without a hint.
#include "plugins/identity/login/browser.h"
#include "support/postgres_server.h"
#include "support/test_store.h"
#include "support/within.h"

using namespace identity_test;

namespace {

struct OtherProcess {
  explicit OtherProcess(const LoginServer& server) {
    auto connected = test::PostgresClient::connect(test::test_store(server.core.data() / "patchbay.db"));
    REQUIRE(connected.ok());
    client = *std::move(connected);
  }
  void run(const std::string& sql) const {
    const auto ran = client->run(sql);
    CHECK_MESSAGE(ran.ok(), (ran ? "" : ran.error().text));
  }
  void revoke(const Tokens& tokens) const {
    run("BEGIN");
    run("UPDATE identity_revision SET rev = rev + 1 WHERE domain = 'revoked'");
    run("INSERT INTO identity_revoked (id, tenant, expires_ms, rev) SELECT '" + token_id(tokens) +
        "', 'a.example', 9000000000000, rev FROM identity_revision WHERE domain = 'revoked'");
    run("COMMIT");
  }

  std::unique_ptr<test::PostgresClient> client;
};

}  // namespace

TEST_CASE("a hint makes a revocation of another process count at once" *
          doctest::skip(!test::on_postgres())) {
  LoginServer server;
  const OtherProcess other(server);
  const Tokens first = sign_in(), second = sign_in(), third = sign_in();
  for (const Tokens& tokens : {first, second}) {
    other.revoke(tokens);
    other.run("NOTIFY patchbay, 'node-other identity'");
    CHECK(within(std::chrono::seconds(60), [&] { return !probe::verify(tokens.access); }));
  }
  CHECK(probe::verify(third.access));
}

TEST_CASE("a revocation of another process counts without a hint, after a second" *
          doctest::skip(!test::on_postgres())) {
  LoginServer server;
  const OtherProcess other(server);
  const Tokens tokens = sign_in();
  other.revoke(tokens);
  CHECK(within(std::chrono::seconds(60), [&] {
    server.clock.advance(std::chrono::seconds(1));
    return !probe::verify(tokens.access);
  }));
}

TEST_CASE("a signing key signs only when other servers on the database can know it" *
          doctest::skip(!test::on_postgres())) {
  LoginServer server;
  server.clock.advance(std::chrono::seconds(2));
  const auto rotate = [] {
    return error_of(*probe::ask("POST", "/api.ashx/v1/admin/signing-keys/rotate", as_alice()));
  };
  const Tokens before = sign_in();
  CHECK(rotate() == "200 ");
  CHECK(rotate() == "409 conflict");
  server.clock.advance(std::chrono::milliseconds(1999));
  CHECK(rotate() == "409 conflict");
  server.clock.advance(std::chrono::milliseconds(1));
  CHECK(rotate() == "200 ");
  CHECK(probe::verify(before.access));
}
