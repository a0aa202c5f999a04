// BYE is repeated until the peer has answered it.
#include <doctest/doctest.h>

#include <iterator>

#include "plugins/sip-trunk/dialog_fixture.h"
#include "support/free_ports.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;
using Fixture = DialogFixture;

TEST_CASE_FIXTURE(Fixture, "a BYE is repeated until it is answered, much longer than silence_timeout_ms") {
  CHECK(SipStack::Options().transaction_timeout_ms == 32'000);  // 64*T1, timer F
  start({.silence_timeout_ms = 5000});
  answer(dial(call_to(peer.port())), contact());
  REQUIRE(caller.wait_answered());
  stack->hangup(id);
  // At 0, 0.5, 1.5, 3.5 and 7.5 s (RFC 3261 timer E).
  std::string bye;
  for (int i = 0; i < 5; ++i) {
    CAPTURE(i);
    bye = peer.receive("BYE ");
    REQUIRE_FALSE(bye.empty());
  }
  say(bye, "200 OK");
  CHECK(log.wait_down(1));
  CHECK(log.unconfirmed() == 0);
}

TEST_CASE("a call whose BYE is refused or not answered ends unconfirmed") {
  const char* const kAnswers[] = {"403 Forbidden", "481 Call/Transaction Does Not Exist", ""};
  const int unconfirmed[] = {1, 0, 1};
  for (size_t i = 0; i < std::size(kAnswers); ++i) {
    CAPTURE(std::string(kAnswers[i]));
    Fixture call;
    call.start({.transaction_timeout_ms = 3000});
    call.answer(call.dial(call_to(call.peer.port())), call.contact());
    REQUIRE(call.caller.wait_answered());
    call.stack->hangup(call.id);
    const std::string bye = call.peer.receive("BYE ");
    REQUIRE_FALSE(bye.empty());
    if (kAnswers[i][0] != '\0') call.say(bye, kAnswers[i]);
    CHECK(call.log.wait_down(1));
    CHECK(call.log.unconfirmed() == unconfirmed[i]);
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "an answer to the INVITE of a killed process gets BYE, once, if a trunk sends it") {
  start({.allowed_peers = {*patchbay::lib::SocketAddress::parse("127.0.0.1", 0)}});
  const auto answered = [&](const RawPeer& from, const std::string& tag, const std::string& call_id) {
    from.send(stack->port(),
              "SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 127.0.0.1:" + std::to_string(stack->port()) +
                  ";branch=z9hG4bKold\r\nFrom: <sip:us@127.0.0.1>;tag=" + tag +
                  "\r\nTo: <sip:them@127.0.0.1>;tag=them\r\nCall-ID: " + call_id +
                  "\r\nCSeq: 7 INVITE\r\nRecord-Route: <sip:192.0.2.9;lr>\r\nContact: <sip:them@192.0.2.1>" +
                  "\r\nContent-Length: 0\r\n\r\n");
  };
  const RawPeer stranger("127.0.0.9");
  answered(stranger, "old", "of-a-stranger");
  const std::string own = header(dial(call_to(peer.port())), "From");
  answered(peer, own.substr(own.find(";tag=") + 5), "of-this-process");
  for (int i = 0; i < 5; ++i) answered(peer, "old", "of-a-killed-process");
  const std::string bye = peer.receive("BYE ");
  CHECK(bye.rfind("BYE sip:them@192.0.2.1 ", 0) == 0);
  CHECK(header(bye, "Call-ID") == "of-a-killed-process");
  CHECK(header(bye, "Route") == "<sip:192.0.2.9;lr>");
  CHECK(header(bye, "From") == "<sip:us@127.0.0.1>;tag=old");
  CHECK(header(bye, "To") == "<sip:them@127.0.0.1>;tag=them");
  say(bye, "200 OK");
  CHECK(log.wait_down(1));
  CHECK(log.unconfirmed() == 0);
  CHECK(peer.receive("BYE ", 300).empty());
  CHECK(stranger.receive("", 0).empty());
}

TEST_CASE_FIXTURE(Fixture, "a dialog of an earlier run whose peer does not answer is given up unconfirmed") {
  start({.transaction_timeout_ms = 1000});
  StoredDialog dialog;
  dialog.call_id = "old@127.0.0.1";
  dialog.from = "<sip:a@127.0.0.1>;tag=us";
  dialog.to = "<sip:b@127.0.0.1>;tag=them";
  dialog.target = "sip:b@127.0.0.1:9";
  dialog.next_hop = "sip:127.0.0.1:9;transport=udp";
  stack->hang_up_stored(dialog, {});
  CHECK(log.wait_down(1));
  CHECK(log.unconfirmed() == 1);
}

TEST_CASE_FIXTURE(Fixture, "a BYE reaches a peer that was away when the call ended") {
  start();
  // Of none that the kernel hands out, as it is free for a while.
  const uint16_t port = free_port();
  auto away = std::make_unique<RawPeer>("127.0.0.1", port);
  REQUIRE(away->port() == port);
  REQUIRE(stack->dial(call_to(port), caller));
  away->send(stack->port(),
             answer_to(away->receive("INVITE "), "200 OK", "sip:" + away->address(), "", kOffer));
  REQUIRE(caller.wait_answered());
  CHECK_FALSE(away->receive("ACK ").empty());
  away.reset();  // from here on the kernel refuses datagrams to it
  for (const auto& dialog : log.up()) CHECK(dialog.call_id == "call-0123456789ab-1@127.0.0.1");
  stack->hangup(1);
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
  const RawPeer back("127.0.0.1", port);
  REQUIRE(back.port() == port);
  const std::string bye = back.receive("BYE ");
  REQUIRE_FALSE(bye.empty());
  back.send(stack->port(), answer_to(bye, "200 OK"));
  CHECK(log.wait_down(1));
}

TEST_CASE_FIXTURE(Fixture, "a dialog of an earlier run is ended, also when the BYE is challenged") {
  start();
  StoredDialog dialog;
  dialog.call_id = "old@127.0.0.1";
  dialog.from = "<sip:a@127.0.0.1>;tag=us";
  dialog.to = "<sip:b@127.0.0.1>;tag=them";
  dialog.target = "sip:b@" + peer.address();
  dialog.next_hop = "sip:" + peer.address() + ";transport=udp";
  dialog.sequence = 2;
  TrunkAccess trunk;
  trunk.username = "alice";
  trunk.password = "secret";
  trunk.realm = "r";
  stack->hang_up_stored(dialog, trunk);
  const std::string bye = peer.receive("BYE sip:b@");
  CHECK(header(bye, "Call-ID") == dialog.call_id);
  CHECK(header(bye, "From") == dialog.from);
  CHECK(header(bye, "To") == dialog.to);
  peer.send(stack->port(), answer_to(bye, "401 Unauthorized", "",
                                     "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n"));
  const std::string again = peer.receive("BYE sip:b@");
  CHECK(header(again, "Authorization").rfind("Digest username=\"alice\", realm=\"r\"", 0) == 0);
  CHECK(header(again, "Authorization").find("nc=00000001") != std::string::npos);
  say(again, "481 Call/Transaction Does Not Exist");
  CHECK(log.wait_down(1));
  CHECK(wait_no_handles(*stack));
}
