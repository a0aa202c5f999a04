// Our REFER inside a call, at the level of the stack: the peer is a raw socket that the test plays.
#include <doctest/doctest.h>

#include <string>

#include "dialogs/sipfrag.h"
#include "plugins/sip-trunk/dialog_fixture.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

constexpr char kUri[] = "sip:+4930999@127.0.0.1";

// An answered call.
struct Referring : DialogFixture {
  void answered(const std::string& more = "", OutboundCall call = {}) {
    start({.allowed_peers = {*patchbay::lib::SocketAddress::parse("127.0.0.2", 0)}});
    if (call.number.empty()) call = call_to(peer.port());
    call.trunk.port = peer.port();
    invite = dial(call);
    answer(invite, contact(), more);
    REQUIRE(caller.wait_answered());
    REQUIRE_FALSE(peer.receive("ACK ").empty());
  }
  std::string inside(const RawPeer& from, const std::string& method, int sequence,
                     const std::string& more = "", const std::string& body = "") const {
    std::string request = from.request(method, us, header(invite, "To") + ";tag=peer", header(invite, "From"),
                                       header(invite, "Call-ID"), sequence);
    request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                    more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return request;
  }
  // Sends a NOTIFY, and returns the status of the answer.
  std::string notify(int sequence, const std::string& state, const std::string& frag) {
    return notify_from(peer, sequence, state, frag);
  }
  std::string notify_from(const RawPeer& from, int sequence, const std::string& state,
                          const std::string& frag) {
    from.send(stack->port(),
              inside(from, "NOTIFY", sequence,
                     "Event: refer\r\nSubscription-State: " + state + "\r\nContent-Type: message/sipfrag\r\n",
                     frag));
    return from.receive("SIP/2.0 ").substr(0, 11);
  }
  void check_up_until_bye() {
    CHECK_FALSE(caller.ended());
    peer.send(stack->port(), inside(peer, "BYE", 900));
    CHECK(peer.receive("SIP/2.0 ").rfind("SIP/2.0 200", 0) == 0);
    CHECK(caller.wait_ended().reason == EndReason::far_hangup);
    CHECK(caller.ended_count() == 1);
    CHECK(wait_no_handles(*stack));
  }
  std::string invite;
};

}  // namespace

TEST_CASE_FIXTURE(Referring, "a far end that is referred reports the outcome, and the call goes on") {
  answered();
  stack->refer(id, kUri);
  const std::string refer = peer.receive("REFER ");
  CHECK(header(refer, "Refer-To") == "<" + std::string(kUri) + ">");
  CHECK(header(refer, "Supported") == "norefersub");
  CHECK(header(refer, "To") == header(invite, "To") + ";tag=peer");
  say(refer, "202 Accepted");
  CHECK(caller.wait_refer_step(1) == "accepted 202 Accepted");
  CHECK(notify(10, "active;expires=60", "SIP/2.0 100 Trying\r\n") == "SIP/2.0 200");
  CHECK(notify(11, "active;expires=60", "SIP/2.0 180 Ringing\r\n") == "SIP/2.0 200");
  CHECK(notify(12, "terminated;reason=noresource", "SIP/2.0 486 Busy Here\r\n") == "SIP/2.0 200");
  CHECK(caller.wait_refer_step(2) == "rings 180 Ringing");
  CHECK(caller.wait_refer_step(3) == "reported 486 Busy Here");
  stack->refer(id, kUri);  // again
  const std::string second = peer.receive("REFER ");
  say(second, "202 Accepted");
  CHECK(notify(13, "terminated;reason=noresource", "SIP/2.0 200 OK\r\n") == "SIP/2.0 200");
  CHECK(caller.wait_refer_step(5) == "reported 200 OK");
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Referring, "a far end that accepts without a subscription reports nothing") {
  answered();
  stack->refer(id, kUri);
  const std::string refer = peer.receive("REFER ");
  peer.send(stack->port(), answer_to(refer, "202 Accepted", contact(), "Refer-Sub: false\r\n"));
  CHECK(caller.wait_refer_step(1) == "unreported 202 Accepted");
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Referring, "a subscription that ends without a final status leaves the outcome open") {
  answered();
  stack->refer(id, kUri);
  say(peer.receive("REFER "), "202 Accepted");
  CHECK(notify(10, "terminated;reason=noresource", "SIP/2.0 100 Trying\r\n") == "SIP/2.0 200");
  CHECK(caller.wait_refer_step(2) == "unreported 100 ");
  check_up_until_bye();
}

TEST_CASE("no refusal of REFER ends the call") {
  for (const char* status : {"404 Not Found", "603 Decline", "405 Method Not Allowed", "481 No Call",
                             "502 Bad Gateway", "400 Bad Request", "604 Does Not Exist"}) {
    CAPTURE(std::string(status));
    Referring call;
    call.answered();
    call.stack->refer(call.id, kUri);
    call.say(call.peer.receive("REFER "), status);
    CHECK(call.caller.wait_refer_step(1) == "refused " + std::string(status));
    call.check_up_until_bye();
  }
}

TEST_CASE_FIXTURE(Referring, "REFER is not sent to a far end whose Allow leaves it out") {
  answered("Allow: INVITE, ACK, BYE, CANCEL\r\n");
  stack->refer(id, kUri);
  CHECK(caller.wait_refer_step(1).rfind("refused 405", 0) == 0);
  CHECK(peer.receive("REFER ", 100).empty());
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Referring, "a challenge to REFER is answered for the trunk's realm") {
  OutboundCall call = call_to(0);
  call.trunk.username = "user";
  call.trunk.password = "secret";
  call.trunk.realm = "trunk";
  answered("", call);
  stack->refer(id, kUri);
  peer.send(stack->port(),
            answer_to(peer.receive("REFER "), "401 Unauthorized", "",
                      "WWW-Authenticate: Digest realm=\"trunk\", nonce=\"n1\", algorithm=MD5\r\n"));
  const std::string again = peer.receive("REFER ");
  CHECK(header(again, "Authorization").find("username=\"user\"") != std::string::npos);
  peer.send(stack->port(), answer_to(again, "401 Unauthorized", "",
                                     "WWW-Authenticate: Digest realm=\"other\", nonce=\"n2\"\r\n"));
  CHECK(caller.wait_refer_step(1) == "refused 401 Unauthorized");
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Referring, "an attended transfer names the other call by its tags") {
  answered();
  Caller other;
  auto second = call_to(peer.port());
  second.call_id = "call-second";
  const auto other_id = stack->dial(std::move(second), other);
  REQUIRE(other_id);
  const std::string other_invite = peer.receive("INVITE ");
  stack->refer(id, kUri, *other_id);  // not answered yet
  CHECK(caller.wait_refer_step(1).rfind("refused 481", 0) == 0);
  answer(other_invite, contact());
  REQUIRE(other.wait_answered());
  stack->refer(id, kUri, *other_id);
  const std::string refer = peer.receive("REFER ");
  const std::string from = header(other_invite, "From");
  const std::string tag = from.substr(from.find(";tag=") + 5);
  CHECK(header(refer, "Refer-To") == "<" + std::string(kUri) +
                                         "?Replaces=call-second-1%40127.0.0.1%3Bto-tag%3Dpeer%3Bfrom-tag%3D" +
                                         tag + ">");
  say(refer, "202 Accepted");
  CHECK(notify(10, "terminated;reason=noresource", "SIP/2.0 200 OK\r\n") == "SIP/2.0 200");
  CHECK(caller.wait_refer_step(3) == "reported 200 OK");
  stack->hangup(*other_id);
  std::string bye = peer.receive("BYE ");
  say(bye, "200 OK");
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Referring, "S4: a NOTIFY of a stranger, or without a REFER of ours, does not count") {
  RawPeer stranger("127.0.0.2");
  answered();
  CHECK(notify(9, "terminated", "SIP/2.0 200 OK\r\n") == "SIP/2.0 405");
  stack->refer(id, kUri);
  say(peer.receive("REFER "), "202 Accepted");
  CHECK(caller.wait_refer_step(1) == "accepted 202 Accepted");
  const std::string spoofed = notify_from(stranger, 10, "terminated", "SIP/2.0 200 OK\r\n");
  CHECK((spoofed == "SIP/2.0 481" || spoofed == "SIP/2.0 405"));
  CHECK(notify(11, "terminated", "SIP/2.0 603 Decline\r\n") == "SIP/2.0 200");
  CHECK(caller.wait_refer_step(2) == "reported 603 Decline");
  check_up_until_bye();
}

TEST_CASE("a sipfrag has a status only if it is a whole status line") {
  CHECK(read_sipfrag("SIP/2.0 200 OK\r\n").status == 200);
  CHECK(read_sipfrag("SIP/2.0 486 Busy Here").text == "Busy Here");
  CHECK(read_sipfrag("SIP/2.0 603").status == 603);
  for (const char* bad : {"", "SIP/2.0", "SIP/2.0 20", "SIP/2.0 2000 OK", "SIP/2.0 099 X", "SIP/2.0 999 X",
                          "SIP/3.0 200 OK", "HTTP/1.1 200 OK", "SIP/2.0 2x0 OK"})
    CHECK(read_sipfrag(bad).status == 0);
}
