// Telephones register at a server, with real users.
#include "registrar/registrar.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "raw_phone.h"
#include "runtime/manual_clock.h"
#include "support/within.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a telephone registers with its user's SIP password, is listed, and removes itself") {
  RegistrarServer s;
  RawPhone phone(s);
  CHECK(phone.register_with(s.bob_password) == "200");
  CHECK(phone.challenged.rfind("SIP/2.0 401", 0) == 0);
  CHECK(has(header(phone.challenged, "WWW-Authenticate"), "realm=\"acme.example\""));
  CHECK_FALSE(has(phone.challenged, "stale"));
  CHECK(has(header(phone.final_answer, "Contact"), "<sip:bob@" + phone.peer.address() + ">;expires=300"));
  const std::string listed = s.contacts();
  CHECK(has(listed, R"("username":"bob")"));
  CHECK(has(listed, phone.peer.address() + " udp"));
  CHECK(has(listed, R"("total":1)") == false);  // the probe adds no envelope
  CHECK(has(s.contacts({{"user", "eve"}}), R"("data":[])"));
  CHECK(wait_metric(s.server, "patchbay_sip_trunk_contacts 1"));
  CHECK(phone.register_with(s.bob_password, 0) == "200");
  CHECK(header(phone.final_answer, "Contact") == "");
  CHECK(has(s.contacts(), R"("data":[])"));
  // Neither the password nor a digest is in the log.
  CHECK_FALSE(has(s.server.log(), s.bob_password));
  CHECK_FALSE(has(s.server.log(), "response="));
}

TEST_CASE("a wrong password, another user's name and an unknown tenant do not register") {
  RegistrarServer s;
  RawPhone phone(s);
  CHECK(phone.register_with("wrong") == "401");
  CHECK_FALSE(has(phone.final_answer, "stale"));
  CHECK(phone.register_with(s.bob_password, 300, "", "SHA-256") == "401");  // not offered
  RawPhone unknown(s);
  unknown.user = "nobody";
  CHECK(unknown.register_with(s.bob_password) == "401");
  RawPhone elsewhere(s);
  elsewhere.host = "other.example";
  CHECK(elsewhere.ask(elsewhere.request()).rfind("SIP/2.0 404", 0) == 0);
  // Bob's password for eve's address of record.
  RawPhone eve(s);
  eve.user = "eve";
  const std::string nonce = quoted_parameter(eve.ask(eve.request()), "nonce");
  DigestAnswer answer{"bob", s.bob_password, nonce};
  CHECK(eve.ask(eve.request("Authorization: " + answer.text() + "\r\n")).rfind("SIP/2.0 403", 0) == 0);
  CHECK(has(s.contacts(), R"("data":[])"));
}

TEST_CASE("SHA-256 is offered first where it is configured, and both work") {
  RegistrarServer s(", algorithms: [SHA-256, MD5]");
  RawPhone phone(s);
  CHECK(phone.register_with(s.bob_password, 300, "", "SHA-256") == "200");
  const size_t first = phone.challenged.find("algorithm=SHA-256");
  CHECK(first < phone.challenged.find("algorithm=MD5"));
  CHECK(has(phone.challenged, "algorithm=MD5"));
  CHECK(phone.register_with(s.bob_password) == "200");
}

TEST_CASE("a recorded request, another address's nonce and an old one are challenged again, as stale") {
  RegistrarServer s;
  RawPhone phone(s);
  CHECK(phone.register_with(s.bob_password) == "200");
  DigestAnswer answer{"bob", s.bob_password, quoted_parameter(phone.challenged, "nonce")};
  const auto again = [&](RawPhone& by) {
    return by.ask(by.request("Authorization: " + answer.text() + "\r\n"));
  };
  CHECK(has(again(phone), "stale=true"));
  answer.count = "00000002";
  CHECK(again(phone).rfind("SIP/2.0 200", 0) == 0);
  answer.count = "00000003";
  RawPhone other(s, "127.0.0.2");
  CHECK(has(again(other), "stale=true"));
  answer.nonce.back() = answer.nonce.back() == '0' ? '1' : '0';
  CHECK(has(again(phone), "stale=true"));
}

TEST_CASE("too brief a registration gets 423, and a star removes all contacts") {
  RegistrarServer s;
  RawPhone phone(s), second(s);
  CHECK(phone.register_with(s.bob_password, 30) == "423");
  CHECK(header(phone.final_answer, "Min-Expires") == "60");
  CHECK(phone.register_with(s.bob_password) == "200");
  CHECK(second.register_with(s.bob_password) == "200");
  CHECK(has(header(second.final_answer, "Contact"), phone.peer.address()));
  CHECK(phone.register_with(s.bob_password, 0, "Contact: *") == "200");
  CHECK(has(s.contacts(), R"("data":[])"));
}

TEST_CASE("a registration expires, and one user's telephones are limited") {
  core::ManualClock clock;
  RegistrarServer s(", maxContactsPerUser: 1", "", &clock);
  RawPhone phone(s), second(s);
  CHECK(phone.register_with(s.bob_password, 60) == "200");
  CHECK(second.register_with(s.bob_password) == "403");
  CHECK(within(std::chrono::seconds(30), [&] {
    clock.advance(std::chrono::seconds(10));
    return has(s.contacts(), R"("data":[])");
  }));
  CHECK(second.register_with(s.bob_password) == "200");
}

TEST_CASE(
    "telephones over UDP stay registered over a restart, and are forgotten when they remove themselves") {
  RegistrarServer s;
  RawPhone phone(s), second(s);
  CHECK(phone.register_with(s.bob_password) == "200");
  CHECK(second.register_with(s.bob_password) == "200");
  s.restart();
  CHECK(has(s.contacts(), phone.peer.address() + " udp"));
  CHECK(wait_metric(s.server, "patchbay_sip_trunk_contacts 2"));
  // Rings there, which also checks the password again.
  const std::string us = "127.0.0.1:" + std::to_string(s.trunk_port);
  std::string invite = s.carrier.request("INVITE", "sip:+4930333@" + us, "<sip:+4915112345@127.0.0.1>;tag=c",
                                         "<sip:+4930333@127.0.0.1>", "call-1", 1);
  invite.replace(invite.find("Content-Length: 0\r\n\r\n"), 21,
                 "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(sizeof(kAnswer) - 1) +
                     "\r\n\r\n" + kAnswer);
  s.carrier.send(s.trunk_port, invite);
  for (RawPhone* each : {&phone, &second}) {
    const std::string ringing = each->peer.receive("INVITE ", 20'000);
    REQUIRE_FALSE(ringing.empty());
    each->peer.send(s.port, answer_to(ringing, "486 Busy Here"));
  }
  CHECK(wait_no_legs(s.server));
  CHECK(phone.register_with(s.bob_password, 0) == "200");
  s.restart();
  CHECK_FALSE(has(s.contacts(), phone.peer.address() + " udp"));
  CHECK(has(s.contacts(), second.peer.address() + " udp"));
}

TEST_CASE(
    "a contact that is only refreshed is stored when half of its time has passed, a changed one at once") {
  using sip_trunk::ContactStore;
  ContactStore::Stored known;
  known.binding.uri = "sip:bob@a";
  known.expires_ms = 600'000;
  sip_trunk::Binding now = known.binding;
  CHECK_FALSE(ContactStore::is_worth_storing(known, now, 0, 600'000));
  CHECK_FALSE(ContactStore::is_worth_storing(known, now, 300'000, 900'000));
  CHECK(ContactStore::is_worth_storing(known, now, 300'001, 900'001));
  CHECK(ContactStore::is_worth_storing(known, now, 0, 60'000));  // ends earlier
  now.uri = "sip:bob@b";
  CHECK(ContactStore::is_worth_storing(known, now, 0, 600'000));
  now = known.binding;
  now.credential_mark = "another password";
  CHECK(ContactStore::is_worth_storing(known, now, 0, 600'000));
}

TEST_CASE("wrong passwords are limited as those of sign-ins") {
  RegistrarServer s;
  RawPhone phone(s);
  for (int i = 0; i < 10; ++i) CHECK(phone.register_with("wrong") == "401");
  CHECK(phone.register_with(s.bob_password) == "503");
  CHECK(header(phone.final_answer, "Retry-After") != "");
  CHECK(wait_metric(s.server, "patchbay_sip_trunk_registers_total{outcome=\"throttled\"} 1"));
}

TEST_CASE("requests of unknown addresses other than REGISTER are refused, and no call of theirs is taken") {
  RegistrarServer s;
  RawPhone phone(s);
  CHECK(phone.register_with(s.bob_password) == "200");
  for (const char* method : {"INVITE", "MESSAGE", "SUBSCRIBE", "REFER", "PUBLISH", "INFO"}) {
    CAPTURE(std::string(method));
    const std::string answer =
        phone.ask(phone.peer.request(method, "sip:+4930123456@acme.example", "<sip:bob@acme.example>;tag=x",
                                     "<sip:+4930123456@acme.example>", std::string("id") + method, 1));
    CHECK(answer.rfind("SIP/2.0 4", 0) + answer.rfind("SIP/2.0 5", 0) != 2 * std::string::npos);
    CHECK_FALSE(answer.rfind("SIP/2.0 2", 0) == 0);
  }
  CHECK(wait_no_legs(s.server));
}

TEST_CASE("a flood of REGISTER costs a response each, and a telephone registers meanwhile") {
  RegistrarServer s;
  RawPhone flooder(s, "127.0.0.3");
  for (int i = 0; i < 3000; ++i) {
    std::string text = flooder.request();
    text.replace(text.find("Call-ID: ") + 9, 4, "f" + std::to_string(i));
    flooder.peer.send(s.port, text);
  }
  RawPhone phone(s);
  CHECK(phone.register_with(s.bob_password) == "200");
  CHECK(wait_metric(s.server, "patchbay_sip_trunk_dialogs 0"));
  CHECK(has(s.server.core().report("metrics"), "patchbay_sip_trunk_registers_total{outcome=\"dropped\"}"));
}
