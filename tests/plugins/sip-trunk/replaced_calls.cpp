// INVITE with Replaces (RFC 3891) in a server with the plugin: another far end takes an answered call over.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "call_fixture.h"
#include "dialogs/replaces.h"
#include "rtp_peer.h"
#include "voice.h"

using namespace patchbay;
using namespace patchbay::test;
using sip_trunk::read_replaces;

namespace {

constexpr double kFirstHz = 700;
constexpr double kSecondHz = 1900;

std::string sdp_at(uint16_t port) {
  return "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio " +
         std::to_string(port) + " RTP/AVP 0\r\n";
}

std::string tag_in(const std::string& value) { return value.substr(value.find(";tag=") + 5); }

// An answered call, which the peer may name in Replaces.
struct ReplaceableCall : RingingCall {
  explicit ReplaceableCall(const std::string& other = "", const std::string& sdp = kAnswer)
      : RingingCall("", other), port(sip_port(server)) {
    peer.send(port, answer_to(invite, "200 OK", "sip:" + peer.address(), "", sdp));
    auto got = probe::wait(owner.answered.get_future());
    REQUIRE(got);
    answered = *got;
    REQUIRE_FALSE(peer.receive("ACK ", 20'000).empty());
  }
  std::string named() const {
    return header(invite, "Call-ID") + ";to-tag=" + tag_in(header(invite, "From")) + ";from-tag=peer";
  }
  // Sends an INVITE of a third party, and returns its final answer, which is acknowledged.
  std::string invite_with(const std::string& headers, const RawPeer& from, const std::string& call_id = "new",
                          const std::string& sdp = kAnswer) {
    const std::string to = "<sip:us@127.0.0.1:" + std::to_string(port) + ">";
    const std::string whom = "<sip:+4915112345@127.0.0.1>;tag=third";
    std::string request = from.request("INVITE", "sip:us@127.0.0.1", whom, to, call_id, 1);
    const std::string type = sdp.empty() ? "" : "Content-Type: application/sdp\r\n";
    request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                    headers + type + "Content-Length: " + std::to_string(sdp.size()) + "\r\n\r\n" + sdp);
    from.send(port, request);
    std::string answer;
    do answer = from.receive("SIP/2.0 ", 20'000);
    while (!answer.empty() && answer.rfind("SIP/2.0 1", 0) == 0);
    std::string ack = from.request("ACK", "sip:us@127.0.0.1", whom, header(answer, "To"), call_id, 1);
    if (answer.rfind("SIP/2.0 2", 0) != 0)  // the ACK of a refusal belongs to its INVITE
      ack.replace(ack.find("Via: "), ack.find("\r\nFrom") - ack.find("Via: "),
                  "Via: " + header(request, "Via"));
    if (sdp.empty())  // then the answer to our offer
      ack.replace(ack.find("Content-Length: 0\r\n\r\n"), 21,
                  "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(sizeof kAnswer - 1) +
                      "\r\n\r\n" + kAnswer);
    from.send(port, ack);
    return answer;
  }
  std::string status_of(const std::string& headers, const RawPeer& from, const std::string& call_id) {
    return invite_with(headers, from, call_id).substr(0, 11);
  }
  void check_old_dialog_ends() {
    const std::string bye = peer.receive("BYE ", 20'000);
    REQUIRE_FALSE(bye.empty());
    CHECK(header(bye, "Call-ID") == header(invite, "Call-ID"));
    peer.send(port, answer_to(bye, "200 OK"));
  }
  bool has_ended() {
    return owner_ended.valid() && owner_ended.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  void check_bye_ends_it(const std::string& ok) {
    CHECK_FALSE(has_ended());
    peer.send(port, peer.request("BYE", "sip:us@127.0.0.1", header(ok, "From"), header(ok, "To"),
                                 header(ok, "Call-ID"), 7));
    CHECK(owner_ended.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
    const auto ended = owner_ended.get();
    REQUIRE(ended);
    CHECK(ended->cause == "far");
    CHECK(wait_no_legs(server));
  }

  const uint16_t port;
  telephony::Answered answered;
  std::future<Result<telephony::Ended>> owner_ended = owner.ended.get_future();
};

}  // namespace

TEST_CASE("a far end that replaces the dialog takes the call over, and its owner keeps one call") {
  ReplaceableCall call;
  CHECK(header(call.invite, "Supported").find("replaces") != std::string::npos);
  const std::string first = call.invite_with("Replaces: " + call.named() + "\r\n", call.peer);
  CHECK(first.rfind("SIP/2.0 200", 0) == 0);
  CHECK(first.find("m=audio ") != std::string::npos);
  call.check_old_dialog_ends();
  // And once more, with the offer in our answer; RFC 3891 allows the extension to be required.
  const std::string again = "new;from-tag=third;to-tag=" + tag_in(header(first, "To"));
  const std::string second =
      call.invite_with("Require: replaces\r\nReplaces: " + again + "\r\n", call.peer, "newer", "");
  CHECK(second.rfind("SIP/2.0 200", 0) == 0);
  std::string bye = call.peer.receive("BYE ", 20'000);
  CHECK(header(bye, "Call-ID") == "new");
  call.peer.send(call.port, answer_to(bye, "200 OK"));
  const std::string ladder =
      probe::call({"GET", "/api.ashx/v1/calls/oac-0123456789ab/ladder", "", {}, "acme.example"}).body;
  CHECK(ladder.find("Replaces: ") != std::string::npos);
  call.check_bye_ends_it(second);
}

TEST_CASE("S4: a Replaces that does not name an answered call of its trunk leaves every call as it is") {
  RawPeer foreign("127.0.0.2");
  ReplaceableCall call(foreign.address());
  const std::string named = call.named(), id = header(call.invite, "Call-ID");
  const std::string ours = tag_in(header(call.invite, "From"));
  CHECK(call.status_of("Replaces: " + named + "\r\n", foreign, "a") == "SIP/2.0 481");
  CHECK(call.status_of("Replaces: " + id + ";to-tag=peer;from-tag=" + ours + "\r\n", call.peer, "b") ==
        "SIP/2.0 481");
  CHECK(call.status_of("Replaces: " + id + ";to-tag=" + ours + ";from-tag=other\r\n", call.peer, "c") ==
        "SIP/2.0 481");
  CHECK(call.status_of("Replaces: other;to-tag=" + ours + ";from-tag=peer\r\n", call.peer, "d") ==
        "SIP/2.0 481");
  CHECK(call.status_of("Replaces: " + named + ";early-only\r\n", call.peer, "e") == "SIP/2.0 486");
  CHECK(call.status_of("Replaces: " + id + ";to-tag=" + ours + "\r\n", call.peer, "f") == "SIP/2.0 400");
  CHECK(call.status_of("Replaces: " + named + "\r\nReplaces: " + named + "\r\n", call.peer, "g") ==
        "SIP/2.0 400");
  CHECK(call.status_of("Replaces: ;;\r\n", call.peer, "h") == "SIP/2.0 400");
  const std::string video =
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 4000 RTP/AVP 96\r\n";
  CHECK(call.invite_with("Replaces: " + named + "\r\n", call.peer, "i", video).rfind("SIP/2.0 488", 0) == 0);
  CHECK(call.peer.receive("BYE ", 100).empty());
  CHECK(call.server.log().find("names no call of its trunk") != std::string::npos);
  CHECK_FALSE(call.has_ended());
  call.peer.send(call.port,
                 call.peer.request("BYE", "sip:us@127.0.0.1", header(call.invite, "To") + ";tag=peer",
                                   header(call.invite, "From"), id, 90));
  CHECK_FALSE(call.peer.receive("SIP/2.0 200", 20'000).empty());
  CHECK(call.owner_ended.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  CHECK(call.status_of("Replaces: " + named + "\r\n", call.peer, "j") == "SIP/2.0 481");
}

TEST_CASE("after a replacement the owner hears the new far end, not the old one") {
  RtpPeer first(kFirstHz), second(kSecondHz);
  ReplaceableCall call("", sdp_at(first.port()));
  Voice voice(call.answered.port);
  const size_t at = call.invite.find("m=audio ") + 8;
  first.start(static_cast<uint16_t>(std::stoi(call.invite.substr(at))));
  CHECK(within(std::chrono::seconds(20), [&] { return voice.port.hears(kFirstHz) && first.hears(kOurHz); }));
  const std::string ok =
      call.invite_with("Replaces: " + call.named() + "\r\n", call.peer, "new", sdp_at(second.port()));
  REQUIRE(ok.rfind("SIP/2.0 200", 0) == 0);
  second.start(static_cast<uint16_t>(std::stoi(ok.substr(ok.find("m=audio ") + 8))));
  // The old one goes on sending, as if it had not noticed.
  CHECK(
      within(std::chrono::seconds(20), [&] { return voice.port.hears(kSecondHz) && second.hears(kOurHz); }));
  call.check_old_dialog_ends();
  call.check_bye_ends_it(ok);
}

TEST_CASE("Replaces has a Call-ID and each tag once") {
  const auto full = read_replaces(" a@b ; from-tag=1;x=y;to-tag=2 ;early-only");
  REQUIRE(full);
  CHECK(*full == sip_trunk::Replaces{"a@b", "2", "1", true});
  CHECK(*read_replaces(text_of(*full)) == *full);
  for (const char* bad :
       {"", "a", "a;to-tag=1", "a;from-tag=1", "a;to-tag=1;to-tag=2;from-tag=3", "a b;to-tag=1;from-tag=2",
        "a;to-tag=;from-tag=2", "a;to-tag=1;from-tag=2;early-only=1", "a;to-tag=1;from-tag=2;",
        "a@b@c;to-tag=1;from-tag=2", "a\r\nX: y;to-tag=1;from-tag=2", "a;to-tag=1\r\n;from-tag=2 3",
        "\"a\";to-tag=1;from-tag=2"})
    CHECK_FALSE(read_replaces(bad));
  CHECK_FALSE(read_replaces("a;to-tag=1;from-tag=2;x=" + std::string(2000, 'y')));
}
