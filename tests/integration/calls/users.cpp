// A call to a number whose route names a user: real telephones on both sides of a whole server.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "call_server.h"
#include "event_recorder.h"
#include "support/baresip_phone.h"
#include "support/probe_requests.h"
#include "support/self_signed_certificate.h"
#include "support/tone.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

constexpr uint32_t kRateHz = 8000;
constexpr double kCallerHz = 500, kUserHz = 700;
constexpr size_t kWanted = 2 * kRateHz;

CallServer::Options options(const std::string& more) {
  CallServer::Options out;
  out.trunks = {{"main", 5060}};
  out.routes = "[{match: global, trunkIds: [main]}]\n      inboundRoutes: [{did: '+4930333', user: bob}]";
  out.plugins = "  identity: {issuer: 'https://acme.example'}\n";
  out.sip_trunk = ", noMediaTimeoutSec: 3, registrar: {listenPort: 0}" + more;
  return out;
}

std::string tone_file(const TemporaryFolder& folder, const std::string& name, double hz) {
  const std::string file = (folder.path() / name).string();
  REQUIRE(write_wav(file, support::make_tone(hz, kRateHz, size_t{60} * kRateHz), kRateHz).ok());
  return file;
}

// Of the second second, because the other side may have left before the end.
double tone_db(const std::vector<int16_t>& heard, double hz) {
  if (heard.size() < kWanted) return -100;
  return support::mean_snr_db({heard.begin() + kRateHz, heard.begin() + kRateHz * 3 / 2}, hz, kRateHz);
}

// "127.0.0.1:40123" of the registrar.
std::string listening(CallServer& server, const std::string& name) {
  std::string found;
  REQUIRE(probe::eventually([&] {
    const std::string text = read_text((server.server().data() / "sip-trunk" / "listening.json").string());
    found = probe::text_member(text, name);
    return !found.empty();
  }));
  return found;
}

// YAML members that name a new certificate.
std::string with_certificate(const TemporaryFolder& folder) {
  const auto made = support::make_certificate();
  const std::string certificate = (folder.path() / "cert.pem").string();
  const std::string key = (folder.path() / "key.pem").string();
  std::ofstream(certificate) << made.certificate_pem;
  std::ofstream(key) << made.key_pem;
  std::filesystem::permissions(key, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return ", tlsCert: " + certificate + ", tlsKey: " + key;
}

struct UserPhones {
  explicit UserPhones(const std::string& transport, const std::string& more = "") : server(options(more)) {
    const auto made =
        probe::call({"POST", "/api.ashx/v1/admin/users", R"({"username":"bob"})", {}, CallServer::kTenant});
    REQUIRE(made.status == 201);
    password = probe::text_member(made.body, "sipPassword");
    registrar =
        listening(server, transport == "tls" ? "registrarTls" : "registrar") + ";transport=" + transport;
  }
  Result<Baresip> telephone(double hz = kUserHz) {
    return Baresip::start({.number = "bob",
                           .play_wav = tone_file(folder, "user.wav", hz),
                           .domain = CallServer::kTenant,
                           .registrar = registrar,
                           .password = password});
  }
  bool has_contacts(int count) {
    return probe::eventually(
        [&] { return server.metric("patchbay_sip_trunk_contacts") == static_cast<double>(count); });
  }
  Result<Baresip> caller() {
    return Baresip::start({.number = "+4915112345",
                           .play_wav = tone_file(folder, "caller.wav", kCallerHz),
                           .dial = "sip:+4930333@127.0.0.1:" + std::to_string(server.sip_port())});
  }

  TemporaryFolder folder;
  CallServer server;
  std::string password;
  std::string registrar;
};

}  // namespace

TEST_CASE("a call to a number whose route names a user rings the telephone, which answers, and both hear") {
  TemporaryFolder certificates;
  const std::string tls = with_certificate(certificates);
  for (const std::string transport : {"udp", "tcp", "tls"}) {
    CAPTURE(transport);
    UserPhones s(transport, transport == "tls" ? tls : "");
    auto phone = s.telephone();
    REQUIRE(phone);
    CAPTURE(phone->output());
    REQUIRE(s.has_contacts(1));
    auto caller = s.caller();
    REQUIRE(caller);
    CHECK(probe::eventually(
        [&] { return caller->heard_samples() > kWanted && phone->heard_samples() > kWanted; }));
    CHECK(tone_db(caller->heard(), kUserHz) > 15);
    CHECK(tone_db(phone->heard(), kCallerHz) > 15);
    INFO(s.server.server().log());
    CHECK(s.server.idle());
    // No event and no record: the specification names none for such calls.
    const std::string log = s.server.server().log();
    const size_t at = log.rfind("[sip-", log.find("a call comes in"));
    REQUIRE(at != std::string::npos);
    CHECK(events_of(log.substr(at + 1, 16)).empty());
  }
}

TEST_CASE("two telephones of a user ring, one answers, and the other one is free again") {
  UserPhones s("udp");
  auto first = s.telephone(), second = s.telephone();
  REQUIRE(first);
  REQUIRE(second);
  REQUIRE(s.has_contacts(2));
  auto caller = s.caller();
  REQUIRE(caller);
  CHECK(probe::eventually([&] { return caller->heard_samples() > kWanted; }));
  CHECK(tone_db(caller->heard(), kUserHz) > 15);
  CHECK(s.server.idle());
}

TEST_CASE("a telephone with a wrong password is not registered") {
  UserPhones s("udp");
  s.password = "wrong";
  auto phone = s.telephone();
  REQUIRE(phone);
  CHECK(s.server.logged("a telephone has a wrong user or password"));
  CHECK(s.server.metric("patchbay_sip_trunk_contacts") == 0);
}
