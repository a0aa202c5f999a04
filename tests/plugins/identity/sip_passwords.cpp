// SIP passwords, and the credentials that other plugins get.
#include <patchbay/hex.h>
#include <patchbay/strand.h>

#include <future>

#include "crypto/digest.h"
#include "user_requests.h"

using namespace identity_test;

namespace {

Result<auth::SipCredential> sip_digest(const auth::SipDigest& request) {
  auto promise = std::make_shared<std::promise<Result<auth::SipCredential>>>();
  probe::run([=](const Host& host) {
    auto service = std::make_shared<Service<auth::Auth>>(host);
    service->on_change([=, asked = false](bool up) mutable {
      if (!up || std::exchange(asked, true)) return;
      service->call(auth::Auth::sip_digest, request, [=](Result<auth::SipCredential> credential) {
        promise->set_value(std::move(credential));
        post(host, kMainStrand, [service] { service->on_change([](bool) {}); });
      });
    });
  });
  return probe::wait(promise->get_future());
}
std::string ha1_of(const std::string& user, const std::string& algorithm = "SHA-256",
                   const std::string& realm = kTenantA, const std::string& tenant = kTenantA) {
  const auto credential = sip_digest({tenant, user, realm, algorithm});
  return credential ? credential->ha1 : "";
}

}  // namespace

TEST_CASE("HA1 is of the realm, the algorithm and the SIP password, not that of sign-ins") {
  UserServer server;
  const Answer dora = ask("POST", "", R"({"username":"dora","password":"first password"})");
  const std::string text = "dora:a.example:" + dora.text("sipPassword");
  CHECK(ha1_of("dora") == to_hex(lib::sha256(text)));
  CHECK(ha1_of("dora", "MD5").size() == 32);
  CHECK(ha1_of("dora", "SHA-256", "other") != ha1_of("dora"));
  CHECK(sip_digest({kTenantA, "dora", kTenantA, "SHA-512"}).error().code == Code::invalid);
}

TEST_CASE("users who are unknown, disabled, removed or without a SIP password have no credential") {
  UserServer server;
  ask("POST", "", R"({"username":"dora"})");
  const auto code = [](const std::string& user, const std::string& tenant = kTenantA) {
    const auto credential = sip_digest({tenant, user, kTenantA, "MD5"});
    return credential ? Code::ok : credential.error().code;
  };
  CHECK(code("dora") == Code::ok);
  CHECK(code("nobody") == Code::denied);
  CHECK(code("bob") == Code::denied);
  CHECK(code("dora", kTenantB) == Code::denied);
  ask("PATCH", "dora", R"({"disabled":true})");
  CHECK(code("dora") == Code::denied);
  ask("DELETE", "dora");
  CHECK(code("dora") == Code::denied);
}

TEST_CASE("a configured user gets a SIP password, which remains valid after a restart") {
  UserServer server;
  const Answer bob = ask("POST", "bob", "", "/sip-password");
  CHECK(bob.status == 200);
  CHECK(bob.body()["hasSipPassword"].boolean());
  const std::string expected = to_hex(lib::sha256("bob:a.example:" + bob.text("sipPassword")));
  CHECK(ha1_of("bob") == expected);
  server.core.restart();
  CHECK(ha1_of("bob") == expected);
  const Answer next = ask("POST", "bob", "", "/sip-password");
  CHECK(next.text("sipPassword") != bob.text("sipPassword"));
  CHECK(ha1_of("bob") != expected);
  CHECK(sign_in_response("bob", "bob%27s").status == 200);
}
