// Calls from a trunk, at the level of the stack: the peer is a raw socket that the test plays.
#include <doctest/doctest.h>

#include <deque>
#include <mutex>
#include <string>

#include "plugins/sip-trunk/dialog_fixture.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

// A stack that one peer may call, and the calls that came.
struct Called : DialogFixture {
  Called() { start(options()); }
  SipStack::Options options() {
    SipStack::Options out;
    out.allowed_peers = {*patchbay::lib::SocketAddress::parse("127.0.0.1", 0),
                         *patchbay::lib::SocketAddress::parse("127.0.0.2", 0)};
    out.on_call = [this](DialogId call, const InboundInvite& invite) {
      const std::lock_guard lock(mutex);
      calls.emplace_back(call, invite);
    };
    return out;
  }

  std::string invite(const std::string& call_id, const std::string& body = kOffer,
                     const std::string& more = "") {
    std::string request = peer.request("INVITE", "sip:%2B493012345678@127.0.0.1:" + port(),
                                       "\"Jane \\\"J\\\"\" <sip:+4915112345@127.0.0.1>;tag=caller",
                                       "<sip:+493012345678@127.0.0.1>", call_id, 1);
    const std::string type = body.empty() ? "" : "Content-Type: application/sdp\r\n";
    request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                    more + type + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return request;
  }
  std::string port() const { return std::to_string(stack->port()); }
  void send(const std::string& request) { peer.send(stack->port(), request); }
  // Waits for the call, and takes it for the fixture's caller.
  InboundInvite take() {
    InboundInvite out;
    REQUIRE(wait_until([&] {
      const std::lock_guard lock(mutex);
      if (calls.empty()) return false;
      id = calls.front().first;
      out = calls.front().second;
      calls.pop_front();
      return true;
    }));
    REQUIRE(stack->take(id, {"acme.example", "main", {}}, caller));
    return out;
  }
  size_t call_count() {
    const std::lock_guard lock(mutex);
    return calls.size();
  }
  // A request of the peer inside the dialog that `answer` established.
  std::string inside(const std::string& method, const std::string& answer, int sequence,
                     const std::string& body = "") const {
    return inside(peer, method, answer, sequence, body);
  }
  std::string inside(const RawPeer& from, const std::string& method, const std::string& answer, int sequence,
                     const std::string& body = "") const {
    std::string request = from.request(method, us, header(answer, "From"), header(answer, "To"),
                                       header(answer, "Call-ID"), sequence);
    if (body.empty()) return request;
    request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                    "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(body.size()) +
                        "\r\n\r\n" + body);
    return request;
  }
  // Answers the call that is taken, and returns our 200, acknowledged.
  std::string answered(const std::string& sdp = kOffer) {
    stack->answer(id, sdp);
    const std::string ok = peer.receive("SIP/2.0 200");
    REQUIRE_FALSE(ok.empty());
    send(inside("ACK", ok, 1));
    return ok;
  }
  // Returns the status of the final answer to a request.
  std::string final_status(const RawPeer& asker, const std::string& request) {
    asker.send(stack->port(), request);
    std::string answer;
    do answer = asker.receive("SIP/2.0 ");
    while (!answer.empty() &&
           (header(answer, "CSeq") != header(request, "CSeq") || answer.rfind("SIP/2.0 1", 0) == 0));
    return answer.substr(0, 11);
  }
  void check_up_until_bye(const std::string& ok) {
    CHECK_FALSE(caller.ended());
    CHECK(final_status(peer, inside("BYE", ok, 900)) == "SIP/2.0 200");
    CHECK(caller.wait_ended().reason == EndReason::far_hangup);
    CHECK(caller.ended_count() == 1);
    CHECK(wait_no_handles(*stack));
  }

  std::mutex mutex;
  std::deque<std::pair<DialogId, InboundInvite>> calls;
};

std::string retarget(std::string text, const std::string& method, const std::string& with) {
  text.replace(0, method.size(), with);
  const size_t at = text.find(" " + method + "\r\n");
  text.replace(at + 1, method.size(), with);
  return text;
}

}  // namespace

TEST_CASE_FIXTURE(Called,
                  "a call is offered with who calls whom, rings, is answered, and ends with the peer's BYE") {
  send(invite("a"));
  const InboundInvite call = take();
  CHECK(call.called_user == "+493012345678");
  CHECK(call.to_user == "+493012345678");
  CHECK(call.calling_user == "+4915112345");
  CHECK(call.display_name == "Jane \"J\"");
  CHECK(call.sdp == kOffer);
  CHECK(call.source.ip_text() == "127.0.0.1");
  stack->ring(id, 180, "");
  const std::string ringing = peer.receive("SIP/2.0 180");
  CHECK(header(ringing, "Contact").find("127.0.0.1:" + port()) != std::string::npos);
  const std::string ok = answered();
  CHECK(header(ok, "To") == header(ringing, "To"));
  CHECK(header(ok, "Content-Type") == "application/sdp");
  check_up_until_bye(ok);
  CHECK(log.wait_down(1));
}

TEST_CASE_FIXTURE(Called, "a number that the caller withholds is not shown, one that the trunk asserts is") {
  send(invite("a", kOffer, "P-Asserted-Identity: \"Bob\" <sip:+491701@127.0.0.1>, <tel:+491702>\r\n"));
  InboundInvite call = take();
  CHECK(call.calling_user == "+491701");
  CHECK(call.display_name == "Bob");
  stack->refuse(id, {486, "Busy Here"});
  CHECK_FALSE(peer.receive("SIP/2.0 486").empty());
  send(invite("b", kOffer, "P-Asserted-Identity: <sip:+491701@127.0.0.1>\r\nPrivacy: id\r\n"));
  Caller second;
  REQUIRE(wait_until([&] { return call_count() == 1; }));
  const std::lock_guard lock(mutex);
  CHECK(calls.front().second.calling_user == "");
  CHECK(calls.front().second.display_name == "");
}

TEST_CASE_FIXTURE(Called, "our BYE ends a call, and waits for the ACK of our answer") {
  send(invite("a"));
  take();
  stack->answer(id, kOffer);
  const std::string ok = peer.receive("SIP/2.0 200");
  stack->hangup(id);
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
  CHECK(peer.receive("BYE ", 300).empty());
  send(inside("ACK", ok, 1));
  const std::string bye = peer.receive("BYE ");
  CHECK(header(bye, "To") == header(ok, "From"));
  CHECK(header(bye, "From") == header(ok, "To"));
  say(bye, "200 OK");
  CHECK(wait_no_handles(*stack));
  CHECK(log.wait_down(1));
  CHECK(log.unconfirmed() == 0);
}

TEST_CASE_FIXTURE(Called, "a refused call gets our status, and its owner one end") {
  send(invite("a"));
  take();
  stack->refuse(id, {503, "Service Unavailable", 7, "399 patchbay \"maxCalls (1) of the trunk main\""});
  const std::string refused = peer.receive("SIP/2.0 503");
  CHECK(header(refused, "Retry-After") == "7");
  CHECK(header(refused, "Warning").find("maxCalls") != std::string::npos);
  send(retarget(invite("a", ""), "INVITE", "ACK"));
  const DialogEnd ended = caller.wait_ended();
  CHECK(ended.reason == EndReason::cancelled);
  CHECK(ended.sip_status == 503);
  CHECK(caller.ended_count() == 1);
  CHECK(wait_no_handles(*stack));
  CHECK(log.up().empty());
}

TEST_CASE_FIXTURE(Called, "CANCEL ends a ringing call, also before it is taken") {
  for (const bool is_taken : {true, false}) {
    CAPTURE(is_taken);
    Caller owner;
    const std::string request = invite(is_taken ? "a" : "b");
    send(request);
    REQUIRE(wait_until([&] { return call_count() == 1; }));
    {
      const std::lock_guard lock(mutex);
      id = calls.front().first;
      calls.pop_front();
    }
    if (is_taken) REQUIRE(stack->take(id, {}, owner));
    std::string cancel = retarget(request, "INVITE", "CANCEL");
    cancel = cancel.substr(0, cancel.find("Content-Type")) + "Content-Length: 0\r\n\r\n";
    send(cancel);
    CHECK_FALSE(peer.receive("SIP/2.0 487").empty());
    if (!is_taken) REQUIRE(stack->take(id, {}, owner));
    CHECK(owner.wait_ended().reason == EndReason::far_hangup);
    CHECK(wait_no_handles(*stack));
  }
}

TEST_CASE_FIXTURE(Called, "a retransmitted INVITE is answered again and makes no second call") {
  const std::string request = invite("a");
  send(request);
  take();
  stack->ring(id, 180, "");
  CHECK_FALSE(peer.receive("SIP/2.0 180").empty());
  send(request);
  CHECK_FALSE(peer.receive("SIP/2.0 180").empty());
  stack->answer(id, kOffer);
  const std::string ok = peer.receive("SIP/2.0 200");
  send(request);
  CHECK(header(peer.receive("SIP/2.0 200"), "To") == header(ok, "To"));
  CHECK(call_count() == 0);
  send(inside("ACK", ok, 1));
  check_up_until_bye(ok);
}

TEST_CASE_FIXTURE(Called, "the peer that never acknowledges our answer gets it again, and then a BYE") {
  SipStack::Options impatient = options();
  impatient.transaction_timeout_ms = 2000;
  start(impatient);
  send(invite("a"));
  take();
  stack->answer(id, kOffer);
  CHECK_FALSE(peer.receive("SIP/2.0 200").empty());
  CHECK_FALSE(peer.receive("SIP/2.0 200").empty());
  const std::string bye = peer.receive("BYE ");
  REQUIRE_FALSE(bye.empty());
  say(bye, "200 OK");
  CHECK(caller.wait_ended().reason == EndReason::lost);
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(Called, "an INVITE without SDP gets our offer, and the ACK brings the answer") {
  send(invite("a", ""));
  CHECK(take().sdp == "");
  stack->answer(id, kOffer);
  const std::string ok = peer.receive("SIP/2.0 200");
  CHECK(ok.find("m=audio") != std::string::npos);
  send(inside("ACK", ok, 1, kOffer));
  CHECK(caller.wait_reanswers(1));
  check_up_until_bye(ok);
}

TEST_CASE_FIXTURE(Called, "re-INVITE and UPDATE of the peer are answered, or refused with 488") {
  caller.reanswer = kOffer;
  send(invite("a"));
  take();
  const std::string ok = answered();
  CHECK(final_status(peer, inside("INVITE", ok, 2, kOffer)) == "SIP/2.0 200");
  send(inside("ACK", ok, 2));
  CHECK(final_status(peer, inside("UPDATE", ok, 3, kOffer)) == "SIP/2.0 200");
  CHECK(final_status(peer, inside("UPDATE", ok, 4)) == "SIP/2.0 200");
  CHECK(caller.reoffers().size() == 2);
  caller.reanswer.clear();
  CHECK(final_status(peer, inside("UPDATE", ok, 5, kOffer)) == "SIP/2.0 488");
  check_up_until_bye(ok);
}

TEST_CASE_FIXTURE(Called,
                  "S4: BYE, CANCEL, re-INVITE and UPDATE from another trunk or with wrong tags get 481 and "
                  "the call stays up") {
  const RawPeer other("127.0.0.2");
  const std::string request = invite("a");
  send(request);
  take();
  std::string cancel = retarget(request, "INVITE", "CANCEL");
  cancel = cancel.substr(0, cancel.find("Content-Type")) + "Content-Length: 0\r\n\r\n";
  cancel.replace(cancel.find(";branch="), 8, ";rport;branch=");
  CHECK(final_status(other, cancel) == "SIP/2.0 481");
  CHECK_FALSE(caller.ended());
  const std::string ok = answered();
  int sequence = 10;
  for (const char* method : {"BYE", "INVITE", "UPDATE"}) {
    CAPTURE(std::string(method));
    CHECK(final_status(other, inside(other, method, ok, ++sequence)) == "SIP/2.0 481");
  }
  // With a wrong tag, from the peer itself.
  std::string wrong = inside("BYE", ok, 20);
  wrong.replace(wrong.find(";tag=caller"), 11, ";tag=nobody");
  CHECK(final_status(peer, wrong) == "SIP/2.0 481");
  check_up_until_bye(ok);
}

TEST_CASE_FIXTURE(Called,
                  "another trunk begins a call with the same Call-ID, and has no part in the first one") {
  const RawPeer other("127.0.0.2");
  send(invite("a"));
  take();
  const std::string ok = answered();
  const std::string call_id = header(ok, "Call-ID");
  std::string second =
      other.request("INVITE", "sip:493012345678@127.0.0.1:" + port(), "<sip:4930@127.0.0.2>;tag=second",
                    "<sip:493012345678@127.0.0.1>", call_id, 1);
  other.send(stack->port(), second);
  REQUIRE(wait_until([&] { return call_count() == 1; }));
  const DialogId first = id;
  {
    const std::lock_guard lock(mutex);
    id = calls.front().first;
    CHECK(calls.front().second.source.ip_text() == "127.0.0.2");
    calls.pop_front();
  }
  // While it is up.
  CHECK(final_status(other, inside(other, "BYE", ok, 10)) == "SIP/2.0 481");
  std::string loud = inside(other, "BYE", ok, 11);
  loud.replace(loud.find(";tag=caller"), 11, ";tag=CALLER");
  CHECK(final_status(other, loud) == "SIP/2.0 481");
  stack->refuse(id, {486, "Busy Here"});
  CHECK(final_status(other, second) == "SIP/2.0 486");
  id = first;
  CHECK_FALSE(caller.ended());
  check_up_until_bye(ok);
}

TEST_CASE_FIXTURE(Called, "an INVITE from an address that is no trunk's gets one answer and no call") {
  stack->set_allowed_peers({*patchbay::lib::SocketAddress::parse("127.0.0.9", 0)});
  std::string answer;
  for (int i = 0; i < 100 && answer.rfind("SIP/2.0 4", 0) != 0; ++i) {
    send(invite("a" + std::to_string(i)));
    answer = peer.receive("SIP/2.0 ", 200);
  }
  // Without the kernel's filter it is refused; with it, there is no answer at all.
  const bool is_refused = answer.empty() || answer.rfind("SIP/2.0 400", 0) == 0;
  CHECK(is_refused);
}

TEST_CASE_FIXTURE(Called, "our re-INVITE is acknowledged and answered, or refused, and the call stays up") {
  send(invite("a"));
  take();
  const std::string ok = answered();
  stack->reoffer(id, kOffer);
  std::string request = peer.receive("INVITE ");
  CHECK(request.find("m=audio") != std::string::npos);
  CHECK(header(request, "From") == header(ok, "To"));
  peer.send(stack->port(), answer_to(request, "200 OK", contact(), "", kOffer));
  CHECK_FALSE(peer.receive("ACK ").empty());
  CHECK(caller.wait_reoffer_answer(1) == "200 SDP");
  stack->reoffer(id, kOffer);
  request = peer.receive("INVITE ");
  say(request, "488 Not Acceptable Here");
  CHECK_FALSE(peer.receive("ACK ").empty());
  CHECK(caller.wait_reoffer_answer(2) == "488");
  check_up_until_bye(ok);
}

TEST_CASE_FIXTURE(Called, "a caller's session timer is accepted, unless its interval is too short") {
  send(invite("a", kOffer, "Supported: timer\r\nSession-Expires: 1800\r\n"));
  take();
  std::string ok = answered();
  CHECK(header(ok, "Session-Expires") == "1800;refresher=uac");
  CHECK(header(ok, "Require") == "timer");
  check_up_until_bye(ok);
  send(invite("b", kOffer, "Require: timer\r\nSession-Expires: 30\r\n"));
  CHECK(header(peer.receive("SIP/2.0 422"), "Min-SE") == "90");
  CHECK(call_count() == 0);
}

TEST_CASE_FIXTURE(Called,
                  "a caller that requires reliable ringing gets it, and the 200 waits for its PRACK") {
  send(invite("a", kOffer, "Require: 100rel\r\n"));
  take();
  stack->ring(id, 180, "");
  const std::string ringing = peer.receive("SIP/2.0 180");
  CHECK(header(ringing, "Require") == "100rel");
  const std::string sequence = header(ringing, "RSeq");
  REQUIRE_FALSE(sequence.empty());
  stack->answer(id, kOffer);
  CHECK(peer.receive("SIP/2.0 200", 300).empty());
  std::string prack = inside("PRACK", ringing, 2);
  prack.replace(prack.find("Max-Forwards"), 0, "RAck: " + sequence + " 1 INVITE\r\n");
  send(prack);
  std::string ok = peer.receive("SIP/2.0 200");
  if (header(ok, "CSeq") == "2 PRACK") ok = peer.receive("SIP/2.0 200");
  CHECK(header(ok, "CSeq") == "1 INVITE");
  CHECK(ok.find("m=audio") != std::string::npos);
  send(inside("ACK", ok, 1));
  check_up_until_bye(ok);
}

TEST_CASE_FIXTURE(Called, "early media goes reliably to a caller that supports it, ringing does not") {
  send(invite("a", kOffer, "Supported: 100rel\r\n"));
  take();
  stack->ring(id, 180, "");
  CHECK(header(peer.receive("SIP/2.0 180"), "RSeq").empty());
  stack->ring(id, 183, kOffer);
  const std::string early = peer.receive("SIP/2.0 183");
  CHECK_FALSE(header(early, "RSeq").empty());
  CHECK(early.find("m=audio") != std::string::npos);
  stack->refuse(id, {486, "Busy Here"});
  CHECK_FALSE(peer.receive("SIP/2.0 486").empty());
  CHECK(caller.wait_ended().sip_status == 486);
  send(retarget(invite("a", ""), "INVITE", "ACK"));
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(Called, "a caller that hangs up instead of acknowledging our answer ends the call once") {
  send(invite("a"));
  take();
  stack->answer(id, kOffer);
  const std::string ok = peer.receive("SIP/2.0 200");
  CHECK(final_status(peer, inside("BYE", ok, 2)) == "SIP/2.0 200");
  CHECK(caller.wait_ended().reason == EndReason::far_hangup);
  send(inside("ACK", ok, 1));
  CHECK(caller.ended_count() == 1);
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(Called, "our re-INVITE that meets the caller's is sent again within two seconds") {
  send(invite("a"));
  take();
  const std::string ok = answered();
  stack->reoffer(id, kOffer);
  say(peer.receive("INVITE "), "491 Request Pending");
  CHECK_FALSE(peer.receive("ACK ").empty());
  const std::string again = peer.receive("INVITE ", 10'000);
  peer.send(stack->port(), answer_to(again, "200 OK", contact(), "", kOffer));
  CHECK_FALSE(peer.receive("ACK ").empty());
  CHECK(caller.wait_reoffer_answer(1) == "200 SDP");
  check_up_until_bye(ok);
}

TEST_CASE_FIXTURE(
    Called, "S4: REFER from the far end, within and outside of a call, is refused and the call stays up") {
  send(invite("a"));
  take();
  const std::string ok = answered();
  std::string refer = inside("REFER", ok, 5);
  refer.replace(refer.find("Max-Forwards"), 0, "Refer-To: <sip:+4930666@127.0.0.1>\r\n");
  CHECK(final_status(peer, refer) == "SIP/2.0 405");
  RawPeer stranger("127.0.0.2");
  std::string spoofed = inside(stranger, "REFER", ok, 6);
  spoofed.replace(spoofed.find("Max-Forwards"), 0, "Refer-To: <sip:+4930666@127.0.0.1>\r\n");
  const std::string refused = final_status(stranger, spoofed);
  CHECK((refused == "SIP/2.0 481" || refused == "SIP/2.0 405"));
  check_up_until_bye(ok);
}
