// Malformed answers as real carriers and devices send them: the call works, or it ends with a reason and
// leaves nothing behind.
#include <doctest/doctest.h>

#include "caller.h"
#include "raw_peer.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

constexpr char kSdpLine[] = "Content-Type: application/sdp\r\n";

std::string without_carriage_returns(std::string text) {
  std::erase(text, '\r');
  return text;
}

// A 200 to `invite` with these lines instead of, or in addition to, Content-Length.
std::string ok_with(const std::string& invite, const std::string& lines, const std::string& contact,
                    bool with_length = true) {
  std::string text = answer_to(invite, "200 OK", contact, lines + kSdpLine, kOffer);
  if (with_length) return text;
  const size_t at = text.rfind("Content-Length: ");
  return text.erase(at, text.find("\r\n", at) + 2 - at);
}

struct Odd {
  const char* what;
  bool must_work;
  std::string (*answer)(const std::string& invite, const std::string& contact);
};

using Text = const std::string&;

const Odd kOdd[] = {
    {"nothing odd", true, [](Text invite, Text contact) { return ok_with(invite, "", contact); }},
    {"lines end with LF only", false,
     [](Text invite, Text contact) {
       const std::string sdp = without_carriage_returns(kOffer);
       return without_carriage_returns(answer_to(invite, "200 OK", contact, kSdpLine, sdp));
     }},
    {"a NUL in a header", false,
     [](Text invite, Text contact) {
       return ok_with(invite, "X-Odd: a" + std::string(1, '\0') + "b\r\n", contact);
     }},
    {"a NUL in the phrase", false,
     [](Text invite, Text contact) {
       return answer_to(invite, "200 O" + std::string(1, '\0') + "K", contact, "", kOffer);
     }},
    {"a Session-Expires that is no number", true,
     [](Text invite, Text contact) { return ok_with(invite, "Session-Expires: soon\r\n", contact); }},
    {"a Session-Expires that is too large", true,
     [](Text invite, Text contact) {
       return ok_with(invite, "Session-Expires: 99999999999999999999;refresher=who\r\n", contact);
     }},
    {"a Min-SE and an RSeq that are no numbers", true,
     [](Text invite, Text contact) { return ok_with(invite, "Min-SE: -\r\nRSeq: x\r\n", contact); }},
    {"Content-Length twice, alike", false,
     [](Text invite, Text contact) {
       return ok_with(invite, "Content-Length: " + std::to_string(sizeof(kOffer) - 1) + "\r\n", contact);
     }},
    {"Content-Length twice, 0 first", false,
     [](Text invite, Text contact) { return ok_with(invite, "Content-Length: 0\r\n", contact); }},
    {"Content-Length twice, too large first", false,
     [](Text invite, Text contact) { return ok_with(invite, "Content-Length: 60000\r\n", contact); }},
    {"no Content-Length", true,
     [](Text invite, Text contact) { return ok_with(invite, "", contact, false); }},
    {"a Content-Length that is negative", false,
     [](Text invite, Text contact) { return ok_with(invite, "Content-Length: -1\r\n", contact, false); }},
    {"a Content-Length that is huge", false,
     [](Text invite, Text contact) {
       return ok_with(invite, "Content-Length: 18446744073709551617\r\n", contact, false);
     }},
    {"a Contact that is none", false,
     [](Text invite, Text) { return ok_with(invite, "Contact: <<<\r\n", ""); }},
    {"no Contact", false, [](Text invite, Text) { return ok_with(invite, "", ""); }},
    {"a Record-Route that is none", false,
     [](Text invite, Text contact) { return ok_with(invite, "Record-Route: <sip:\r\n", contact); }},
    {"a Content-Type that is none", false,
     [](Text invite, Text contact) {
       return answer_to(invite, "200 OK", contact, "Content-Type: ;;\r\n", kOffer);
     }},
    {"the To of another call", false,
     [](Text invite, Text contact) {
       std::string text = ok_with(invite, "", contact);
       const size_t at = text.find("\r\nTo: ");
       return text.replace(at, text.find("\r\n", at + 2) - at, "\r\nTo: <sip:x@127.0.0.1>;tag=");
     }},
    {"a CSeq of another method", false,
     [](Text invite, Text contact) {
       std::string text = ok_with(invite, "", contact);
       return text.replace(text.find(" INVITE"), 7, " BYE");
     }},
};

}  // namespace

TEST_CASE("a malformed answer leads to a call or to an end with a reason") {
  auto hasty = *start_stack({.silence_timeout_ms = 700, .transaction_timeout_ms = 1500});
  auto patient = *start_stack();
  int number = 0;
  for (const Odd& odd : kOdd) {
    CAPTURE(std::string(odd.what));
    RawPeer peer;
    Caller caller;
    auto call = call_to(peer.port());
    call.call_id = "odd-" + std::to_string(++number);
    SipStack& stack = odd.must_work ? *patient : *hasty;
    const auto id = stack.dial(call, caller);
    REQUIRE(id);
    const std::string invite = peer.receive("INVITE ");
    REQUIRE_FALSE(invite.empty());
    peer.send(stack.port(), odd.answer(invite, "sip:" + peer.address()));
    CHECK(caller.wait_answered_or_ended());
    const bool works = !caller.answer().empty();
    CAPTURE(works);
    if (odd.must_work) CHECK(works);
    if (works) {
      stack.hangup(*id);
      CHECK(caller.wait_ended().reason == EndReason::local_hangup);
    } else {
      CHECK_FALSE(caller.wait_ended().text.empty());
    }
    const std::string bye = peer.receive("BYE ", works ? 60'000 : 300);
    if (works) CHECK_FALSE(bye.empty());
    if (!bye.empty()) peer.send(stack.port(), answer_to(bye, "200 OK"));
    CHECK(wait_no_handles(stack));
    CHECK(caller.ended_count() == 1);
  }
}
