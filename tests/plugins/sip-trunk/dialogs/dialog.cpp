// Dialogs whose peer loses messages, answers late or names unusual addresses.
#include <doctest/doctest.h>

#include "plugins/sip-trunk/dialog_fixture.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;
using patchbay::lib::SocketAddress;
using Fixture = DialogFixture;

TEST_CASE_FIXTURE(Fixture, "a call whose peer loses the ACK of a re-INVITE ends") {
  start({.transaction_timeout_ms = 1500});
  caller.reanswer = kOffer;
  const std::string invite = dial(call_to(peer.port()));
  answer(invite, contact());
  REQUIRE(caller.wait_answered());
  CHECK_FALSE(peer.receive("ACK ").empty());
  const std::string to = header(invite, "To") + ";tag=peer";
  peer.send(stack->port(),
            peer.request("INVITE", us, to, header(invite, "From"), header(invite, "Call-ID"), 7));
  CHECK_FALSE(peer.receive("SIP/2.0 200").empty());
  const std::string bye = peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  say(bye, "200 OK");
  CHECK(caller.wait_ended().reason == EndReason::lost);
  CHECK(caller.ended_count() == 1);
  CHECK(log.wait_down(1));
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(Fixture, "an ACK that comes after the hangup is not reported to the listener") {
  start();
  caller.reanswer = kOffer;
  const std::string invite = dial(call_to(peer.port()));
  answer(invite, contact());
  REQUIRE(caller.wait_answered());
  CHECK_FALSE(peer.receive("ACK ").empty());
  const std::string to = header(invite, "To") + ";tag=peer";
  const auto say_inside = [&](const std::string& method, int sequence) {
    peer.send(stack->port(),
              peer.request(method, us, to, header(invite, "From"), header(invite, "Call-ID"), sequence));
  };
  say_inside("INVITE", 7);
  CHECK_FALSE(peer.receive("SIP/2.0 200").empty());
  say_inside("ACK", 7);
  CHECK(caller.wait_reanswers(1));
  say_inside("INVITE", 8);
  CHECK_FALSE(peer.receive("SIP/2.0 200").empty());
  stack->hangup(id);
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
  const std::string bye = peer.receive("BYE ");
  REQUIRE_FALSE(bye.empty());
  say_inside("ACK", 8);
  say(bye, "200 OK");
  CHECK(log.wait_down(1));
  CHECK(caller.reanswers() == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "peers that name themselves by anything but an address are reached where they answered") {
  for (const char* name : {"sip:x@no-such-host.invalid", "tel:+1555", "sips:x@127.0.0.1:9",
                           "sip:x@[2001:db8::1]", "sip:x@127.0.0.1:9;transport=tcp"}) {
    CAPTURE(std::string(name));
    Fixture call;
    call.start({.tcp = false});
    const std::string invite = call.dial(call_to(call.peer.port()));
    call.answer(invite, name);
    REQUIRE(call.caller.wait_answered());
    CHECK_FALSE(call.peer.receive("ACK ").empty());
    call.stack->hangup(call.id);
    const std::string bye = call.peer.receive("BYE ");
    CHECK_FALSE(bye.empty());
    call.say(bye, "200 OK");
    CHECK(call.log.wait_down(1));
    CHECK(wait_no_handles(*call.stack));
  }
}

TEST_CASE_FIXTURE(Fixture, "requests inside the dialog follow the route set") {
  RawPeer proxy("127.0.0.3");
  start();
  const std::string invite = dial(call_to(peer.port()));
  answer(invite, "sip:callee@no-such-host.invalid", "Record-Route: <sip:" + proxy.address() + ";lr>\r\n");
  REQUIRE(caller.wait_answered());
  const std::string ack = proxy.receive("ACK sip:callee@no-such-host.invalid");
  CHECK(header(ack, "Route") == "<sip:" + proxy.address() + ";lr>");
  REQUIRE(log.up().size() == 1);
  CHECK(log.up()[0].next_hop == "sip:" + proxy.address() + ";transport=udp");
  stack->hangup(id);
  const std::string bye = proxy.receive("BYE ");
  proxy.send(stack->port(), answer_to(bye, "200 OK"));
  CHECK(log.wait_down(1));
}

TEST_CASE_FIXTURE(Fixture, "a Contact that is no host's address does not change where ACK and BYE go") {
  start();
  for (const char* host : {"0.0.0.0", "224.0.0.1", "255.255.255.255"}) {
    const std::string callee = "sip:callee@" + std::string(host);
    answer(dial(call_to(peer.port())), callee);
    CHECK_FALSE(peer.receive("ACK " + callee + " ", 20'000).empty());
    stack->hangup(id);
    const std::string bye = peer.receive("BYE " + callee + " ", 20'000);
    CHECK_FALSE(bye.empty());
    peer.send(stack->port(), answer_to(bye, "200 OK"));
    CHECK(wait_no_handles(*stack));
  }
}

TEST_CASE_FIXTURE(Fixture, "late ringing of a trunk that was given up is cancelled") {
  start({.silence_timeout_ms = 300});
  const std::string invite = dial(call_to(peer.port()));
  CHECK(caller.wait_ended().reason == EndReason::silence);
  say(invite, "180 Ringing");
  const std::string cancel = peer.receive("CANCEL ");
  CHECK_FALSE(cancel.empty());
  say(cancel, "200 OK");
  say(invite, "487 Request Terminated");
  CHECK_FALSE(peer.receive("ACK ").empty());
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(Fixture, "a trunk that only says 100 is not silent") {
  start({.silence_timeout_ms = 2000});
  auto call = call_to(peer.port());
  call.no_answer_timeout_ms = 2500;
  const std::string invite = dial(call);
  say(invite, "100 Trying");
  const DialogEnd ended = caller.wait_ended();
  CHECK(ended.reason == EndReason::no_answer);
  CHECK(ended.text == "the trunk reported no ringing");
  CHECK(caller.progress().empty());
}

TEST_CASE_FIXTURE(Fixture, "silence is reported even if the ring timeout is not longer") {
  start({.silence_timeout_ms = 400});
  auto call = call_to(peer.port());
  call.no_answer_timeout_ms = 100;
  CHECK_FALSE(dial(call).empty());
  CHECK(caller.wait_ended().reason == EndReason::silence);
}

TEST_CASE_FIXTURE(Fixture, "the second address of a host is tried when the first is silent") {
  RawPeer silent("127.0.0.4");
  start({.silence_timeout_ms = 1500});
  auto call = call_to(peer.port());
  call.trunk.host = "trunk.example";
  call.targets = {*SocketAddress::parse("127.0.0.4", silent.port()),
                  *SocketAddress::parse("127.0.0.1", peer.port())};
  const std::string invite = dial(call);
  CHECK(invite.rfind("INVITE sip:+493012345678@trunk.example:", 0) == 0);
  answer(invite, contact());
  CHECK(caller.wait_answered());
}

TEST_CASE_FIXTURE(Fixture, "a late answer of the previous address gets its BYE at its source") {
  for (const char* name : {"sip:x@127.0.0.4:", "sip:x@no-such-host.invalid:"}) {
    for (const char* route : {"", "Record-Route: <sip:no-such-host.invalid;lr>\r\n"}) {
      CAPTURE(std::string(name) + route);
      Fixture call;
      call.start({.silence_timeout_ms = 1500});
      RawPeer slow("127.0.0.4");
      auto out = call_to(call.peer.port());
      out.targets = {*SocketAddress::parse("127.0.0.4", slow.port()),
                     *SocketAddress::parse("127.0.0.1", call.peer.port())};
      call.answer(call.dial(out), call.contact());
      REQUIRE(call.caller.wait_answered());
      const std::string late = slow.receive("INVITE ");
      slow.send(call.stack->port(),
                answer_to(late, "200 OK", name + std::to_string(slow.port()), route, kOffer, "slow"));
      CHECK_FALSE(slow.receive("ACK ").empty());
      const std::string bye = slow.receive("BYE ");
      CHECK(header(bye, "To").find(";tag=slow") != std::string::npos);
      slow.send(call.stack->port(), answer_to(bye, "200 OK"));
      CHECK_FALSE(call.caller.ended());
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "a trunk that rang, then challenged and then sent nothing is silent") {
  start({.silence_timeout_ms = 3000});
  auto call = call_to(peer.port());
  call.trunk.username = "alice";
  call.trunk.password = "secret";
  call.trunk.realm = "r";
  call.targets = {*SocketAddress::parse("127.0.0.1", peer.port()), *SocketAddress::parse("127.0.0.4", 9)};
  const std::string invite = dial(call);
  say(invite, "183 Session Progress");
  peer.send(stack->port(), answer_to(invite, "407 Proxy Authentication Required", "",
                                     "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n"));
  CHECK_FALSE(peer.receive("INVITE ").empty());
  CHECK(caller.wait_ended().reason == EndReason::silence);
}

TEST_CASE_FIXTURE(Fixture, "an anonymous call identifies the caller only to the trunk") {
  start();
  auto call = call_to(peer.port());
  call.trunk.caller_id = "";
  call.trunk.username = "account";
  const std::string invite = dial(call);
  CHECK(header(invite, "Privacy") == "id");
  CHECK(header(invite, "P-Preferred-Identity") == "<sip:account@127.0.0.1>");
}

TEST_CASE_FIXTURE(Fixture, "of auth and auth-int, auth is answered") {
  start();
  auto call = call_to(peer.port());
  call.trunk.username = "alice";
  call.trunk.password = "secret";
  call.trunk.realm = "r";
  const std::string invite = dial(call);
  peer.send(stack->port(),
            answer_to(invite, "401 Unauthorized", "",
                      "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth,auth-int\"\r\n"));
  CHECK_FALSE(peer.receive("ACK ").empty());
  const std::string credentials = header(peer.receive("INVITE "), "Authorization");
  CAPTURE(credentials);
  CHECK(credentials.find("qop=auth,") != std::string::npos);
  CHECK(credentials.find("auth-int") == std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "a proxy and the server behind it may both challenge") {
  start();
  auto call = call_to(peer.port());
  call.trunk.username = "alice";
  call.trunk.password = "secret";
  call.trunk.realm = "r";
  const std::string first = dial(call);
  peer.send(stack->port(), answer_to(first, "407 Proxy Authentication Required", "",
                                     "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n"));
  const std::string second = peer.receive("INVITE ");
  peer.send(stack->port(), answer_to(second, "401 Unauthorized", "",
                                     "WWW-Authenticate: Digest realm=\"r\", nonce=\"m\"\r\n"));
  const std::string third = peer.receive("INVITE ");
  CHECK_FALSE(header(third, "Proxy-Authorization").empty());
  CHECK_FALSE(header(third, "Authorization").empty());
}

TEST_CASE_FIXTURE(Fixture, "each address of a trunk gets an answer to its own challenge") {
  start();
  RawPeer second("127.0.0.4");
  auto call = call_to(peer.port());
  call.trunk.username = "alice";
  call.trunk.password = "secret";
  call.trunk.realm = "r";
  call.targets = {*SocketAddress::parse("127.0.0.1", peer.port()),
                  *SocketAddress::parse("127.0.0.4", second.port())};
  const auto challenge = [](const std::string& invite, const std::string& nonce) {
    return answer_to(invite, "407 Proxy Authentication Required", "",
                     "Proxy-Authenticate: Digest realm=\"r\", nonce=\"" + nonce + "\"\r\n");
  };
  peer.send(stack->port(), challenge(dial(call), "first"));
  say(peer.receive("INVITE "), "503 Service Unavailable");
  const std::string invite = second.receive("INVITE ");
  CHECK(header(invite, "Proxy-Authorization").empty());
  second.send(stack->port(), challenge(invite, "second"));
  const std::string again = second.receive("INVITE ");
  CHECK(header(again, "Proxy-Authorization").find("nonce=\"second\"") != std::string::npos);
  second.send(stack->port(), answer_to(again, "486 Busy Here"));
  CHECK(caller.wait_ended().sip_status == 486);
}

TEST_CASE_FIXTURE(Fixture, "the end of a dialog has the trunk's reasons") {
  start();
  auto call = call_to(peer.port());
  const std::string invite = dial(call);
  peer.send(stack->port(), answer_to(invite, "503 Service Unavailable", "",
                                     "Reason: Q.850;cause=34;text=\"no circuit\"\r\nRetry-After: 30\r\n"));
  const DialogEnd ended = caller.wait_ended();
  CHECK(ended.detail == "Reason Q.850;cause=34;text=\"no circuit\", Retry-After 30");
}

TEST_CASE_FIXTURE(Fixture, "SDP is found in a multipart body and in any case of its type") {
  const std::string sdp = kOffer;
  const std::string parts =
      "--b1\r\nContent-Type: application/isup;version=x\r\n\r\n\x01\x02\r\n--b1\r\n"
      "Content-Type: Application/SDP\r\nContent-Disposition: session\r\n\r\n" +
      sdp + "\r\n--b1--\r\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Content-Type: application/SDP\r\n", sdp},
      {"Content-Type: multipart/mixed;boundary=\"b1\"\r\n", parts}};
  for (const auto& [type, body] : cases) {
    CAPTURE(type);
    Fixture one;
    one.start();
    one.answer(one.dial(call_to(one.peer.port())), one.contact(), type, body);
    CHECK(one.caller.wait_answered());
    CHECK(one.caller.answer() == sdp);
  }
}

TEST_CASE_FIXTURE(Fixture, "the advertised address is shown instead of the listen address") {
  start({.listen_ip = "0.0.0.0", .advertise = "203.0.113.7"});
  const std::string invite = dial(call_to(peer.port()));
  const std::string shown = "203.0.113.7:" + std::to_string(stack->port());
  CHECK(header(invite, "Via").rfind("SIP/2.0/UDP " + shown, 0) == 0);
  CHECK(header(invite, "Contact") == "<sip:" + shown + ">");
  answer(invite, contact());
  CHECK(caller.wait_answered());
  CHECK_FALSE(peer.receive("ACK ").empty());
}

TEST_CASE_FIXTURE(Fixture, "listening on all addresses shows the source address towards the trunk") {
  start({.listen_ip = "0.0.0.0"});
  const std::string invite = dial(call_to(peer.port()));
  CHECK(header(invite, "Contact") == "<sip:127.0.0.1:" + std::to_string(stack->port()) + ">");
  CHECK(header(invite, "Via").find("0.0.0.0") == std::string::npos);
  answer(invite, contact());
  CHECK(caller.wait_answered());
  CHECK_FALSE(start_stack({.advertise = "0.0.0.0"}));
  CHECK_FALSE(start_stack({.advertise = "::1"}));
}

// A proxy forked the INVITE, and two telephones answered (RFC 3261 section 13.2.2.4).
TEST_CASE_FIXTURE(Fixture, "of two answers to one INVITE the second gets ACK and BYE") {
  start();
  const std::string invite = dial(call_to(peer.port()));
  answer(invite, contact());
  REQUIRE(caller.wait_answered());
  CHECK(header(peer.receive("ACK "), "To").find(";tag=peer") != std::string::npos);
  RawPeer other;
  peer.send(stack->port(), answer_to(invite, "200 OK", "sip:other@" + other.address(), "", kOffer, "other"));
  const std::string ack = other.receive("ACK sip:other@");
  CHECK(header(ack, "To").find(";tag=other") != std::string::npos);
  CHECK(header(ack, "CSeq") == header(invite, "CSeq").substr(0, header(invite, "CSeq").find(' ')) + " ACK");
  const std::string bye = other.receive("BYE sip:other@");
  REQUIRE_FALSE(bye.empty());
  CHECK(header(bye, "To").find(";tag=other") != std::string::npos);
  CHECK(header(bye, "Call-ID") == header(invite, "Call-ID"));
  other.send(stack->port(), answer_to(bye, "200 OK"));
  CHECK_FALSE(caller.ended());  // the first telephone's call continues
  stack->hangup(id);
  const std::string first = peer.receive("BYE ");
  REQUIRE_FALSE(first.empty());
  CHECK(header(first, "To").find(";tag=peer") != std::string::npos);
  say(first, "200 OK");
  CHECK(log.wait_down(1));
}

TEST_CASE_FIXTURE(DialogFixture,
                  "our re-INVITE in a call that we made is acknowledged, and its answer reported") {
  start();
  answer(dial(call_to(peer.port())), contact());
  REQUIRE(caller.wait_answered());
  CHECK_FALSE(peer.receive("ACK ").empty());
  stack->reoffer(id, kOffer);
  const std::string request = peer.receive("INVITE ");
  REQUIRE_FALSE(request.empty());
  answer(request, contact());
  CHECK_FALSE(peer.receive("ACK ").empty());
  CHECK(caller.wait_reoffer_answer(1) == "200 SDP");
  stack->hangup(id);
  const std::string bye = peer.receive("BYE ");
  say(bye, "200 OK");
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(DialogFixture, "our re-INVITE does not change where requests go to") {
  start();
  const std::string gateway = "sip:gw-17@sbc.example;x=1";
  answer(dial(call_to(peer.port())), gateway);
  REQUIRE(caller.wait_answered());
  CHECK(peer.receive("ACK ").rfind("ACK " + gateway + " ", 0) == 0);
  stack->reoffer(id, kOffer);
  answer(peer.receive("INVITE "), gateway);
  CHECK(peer.receive("ACK ").rfind("ACK " + gateway + " ", 0) == 0);
  CHECK(caller.wait_reoffer_answer(1) == "200 SDP");
  stack->hangup(id);
  const std::string bye = peer.receive("BYE ");
  CHECK(bye.rfind("BYE " + gateway + " ", 0) == 0);
  say(bye, "200 OK");
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
}
