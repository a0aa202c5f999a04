// Rotation of the signing key while the server runs.
#include <patchbay/base64.h>

#include "user_requests.h"

using namespace identity_test;

namespace {

constexpr char kSigningKeys[] = "/api.ashx/v1/admin/signing-keys";

// After the time that servers need to know the next key.
int64_t rotate(UserServer& server) {
  server.clock.advance(std::chrono::seconds(2));
  return probe::ask("POST", std::string(kSigningKeys) + "/rotate", as_alice())->status;
}

std::vector<std::string> published() {
  const auto answer = json_without_host(probe::ask("GET", "/oidc.ashx/jwks", {})->body);
  std::vector<std::string> kids;
  for (size_t i = 0; i < (*answer)["keys"].size(); ++i)
    kids.emplace_back((*answer)["keys"].at(i).text("kid", ""));
  return kids;
}

std::string kid_of(const std::string& token) {
  const auto header = json_without_host(*from_base64url(token.substr(0, token.find('.'))));
  return std::string((*header)["kid"].text());
}

}  // namespace

TEST_CASE("a rotation invalidates no token, and the next key was published before") {
  UserServer server;
  const Tokens before = sign_in(kAlice + "&scope=offline_access");
  const auto keys = published();
  REQUIRE(keys.size() == 2);
  CHECK(kid_of(before.access) == keys[0]);
  CHECK(rotate(server) == 200);
  CHECK(audits(1).size() == 1);
  CHECK(probe::verify(before.access));
  CHECK(kid_of(sign_in().access) == keys[1]);
  CHECK(published().size() == 3);
  const Tokens after = tokens_of(refresh(before.refresh));
  CHECK(kid_of(after.access) == keys[1]);
  CHECK(rotate(server) == 200);
  for (const std::string& token : {before.access, after.access}) CHECK(probe::verify(token));
  server.core.restart();
  for (const std::string& token : {before.access, after.access}) CHECK(probe::verify(token));
  CHECK(published().size() == 4);
}

TEST_CASE("a retired key is published until its last token has expired") {
  UserServer server;
  const Tokens tokens = sign_in();
  CHECK(rotate(server) == 200);
  server.clock.advance(std::chrono::seconds(3597));
  CHECK(probe::verify(tokens.access));
  CHECK(published().size() == 3);
  server.clock.advance(std::chrono::seconds(64));
  CHECK(server.within_two_seconds([&] { return published().size() == 2; }));
  CHECK_FALSE(probe::verify(tokens.access));
  CHECK(probe::verify(sign_in().access));
}

TEST_CASE("the rotation of another process counts within two seconds") {
  UserServer server;
  const auto keys = published();
  server.as_another_process(
      "BEGIN; UPDATE identity_revision SET rev = rev + 1 WHERE domain = 'keys';"
      "UPDATE identity_signing_key SET state = 'retired', verify_until_ms = 9000000000000 WHERE state = "
      "'current';"
      "UPDATE identity_signing_key SET state = 'current' WHERE state = 'next'; COMMIT;");
  CHECK(server.within_two_seconds([&] { return published().front() == keys[1]; }));
  CHECK(kid_of(sign_in().access) == keys[1]);
}
