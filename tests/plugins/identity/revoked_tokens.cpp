// Revocations of other processes of the database.
#include "user_requests.h"

using namespace identity_test;

namespace {

std::string revocation_of(const std::string& id) {
  return "BEGIN; UPDATE identity_revision SET rev = rev + 1 WHERE domain = 'revoked';"
         "INSERT INTO identity_revoked (id, tenant, expires_ms, rev) SELECT '" +
         id + "', 'a.example', 9000000000000, rev FROM identity_revision WHERE domain = 'revoked'; COMMIT;";
}

}  // namespace

TEST_CASE("a token that another process revokes is refused within two seconds, and after a restart") {
  UserServer server;
  const Tokens tokens = sign_in(), other = sign_in();
  server.as_another_process(revocation_of(token_id(tokens)));
  CHECK(server.within_two_seconds([&] { return !probe::verify(tokens.access); }));
  CHECK(probe::verify(other.access));
  server.core.restart();
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(probe::verify(other.access));
}

TEST_CASE("more revocations than a page of rows are read at the start") {
  UserServer server;
  const Tokens tokens = sign_in();
  std::string sql;
  for (int i = 0; i < 1001; ++i) sql += revocation_of("id-" + std::to_string(i));
  server.as_another_process(sql);
  server.core.restart();
  CHECK(probe::verify(tokens.access));
  CHECK(sign_in().access != "");
}

TEST_CASE("a tenant with as many revoked tokens as it may have keeps no other tenant from revoking") {
  UserServer server;
  server.as_another_process(
      "BEGIN; UPDATE identity_revision SET rev = rev + 1 WHERE domain = 'revoked';"
      "INSERT INTO identity_revoked (id, tenant, expires_ms, rev) "
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
      "SELECT 'id-' || n.i, 'b.example', 9000000000000, r.rev FROM n, identity_revision r "
      "WHERE r.domain = 'revoked'; COMMIT;");
  server.core.restart();
  const auto revoke = [](const std::string& client, const std::string& tenant) {
    return probe::ask("POST", "/oidc.ashx/revoke", post("token=a.b.c&client_id=" + client, tenant));
  };
  const auto refused = revoke("other", kTenantB);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::exhausted);
  const auto accepted = revoke("patchbay-admin", kTenantA);
  REQUIRE(accepted.ok());
  CHECK(accepted->status == 200);
}

TEST_CASE("revocations of one transaction that begin on one page and end on the next all count") {
  UserServer server;
  const Tokens tokens = sign_in();
  std::string sql = "BEGIN; UPDATE identity_revision SET rev = rev + 1 WHERE domain = 'revoked';";
  for (int i = 0; i <= 500; ++i)
    sql += "INSERT INTO identity_revoked (id, tenant, expires_ms, rev) SELECT '" +
           (i < 500 ? "-" + std::to_string(i) : token_id(tokens)) +
           "', 'a.example', 9000000000000, rev FROM identity_revision WHERE domain = 'revoked';";
  server.as_another_process(sql + " COMMIT;");
  server.core.restart();
  CHECK_FALSE(probe::verify(tokens.access));
}
