// REFER of the far end in a server with the plugin: we call the target, which takes the call over.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "call_fixture.h"
#include "dialogs/refer_to.h"
#include "probe_gate.h"
#include "rtp_peer.h"
#include "voice.h"

using namespace patchbay;
using namespace patchbay::test;
using sip_trunk::read_refer_to;

namespace {

constexpr double kReferrerHz = 700;
constexpr double kTargetHz = 1900;
constexpr char kTarget[] = "<sip:+4930777@127.0.0.1>";

std::string audio_at(uint16_t port) {
  return "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio " +
         std::to_string(port) + " RTP/AVP 0\r\n";
}

uint16_t audio_port_in(const std::string& message) {
  return static_cast<uint16_t>(std::stoi(message.substr(message.find("m=audio ") + 8)));
}

// An answered call at a trunk whose far ends may transfer. The peer is the trunk, the far end and the target.
struct ReferringCall {
  explicit ReferringCall(const std::string& sdp = kAnswer, const std::string& foreign = "")
      : server(
            server_config("{id: a, host: 127.0.0.1, port: " + std::to_string(peer.port()) +
                          ", acceptRefer: 'on'}, {id: b, host: " + (foreign.empty() ? "127.0.0.1" : foreign) +
                          ", port: " + std::to_string(peer.port()) + "}"),
            nullptr, {probe::http_entry()}) {
    REQUIRE(server.start_error() == "");
    port = sip_port(server);
    owner.dial();
    invite = next("INVITE ");
    peer.send(port, answer_to(invite, "200 OK", "sip:" + peer.address(), "", sdp));
    const auto got = probe::wait(owner.answered.get_future());
    REQUIRE(got);
    answered = *got;
    REQUIRE_FALSE(next("ACK ").empty());
  }
  // The next message that begins so; others are kept, and repeated ones dropped.
  std::string next(const std::string& start, int limit_ms = 20'000) {
    const auto is_it = [&](const std::string& one) { return one.rfind(start, 0) == 0; };
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(limit_ms);
    while (true) {
      const auto found = std::find_if(inbox.begin(), inbox.end(), is_it);
      if (found != inbox.end()) {
        std::string message = *found;
        inbox.erase(found);
        return message;
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      std::string message = left.count() > 0 ? peer.receive("", static_cast<int>(left.count())) : "";
      if (message.empty()) return {};
      if (std::find(seen.begin(), seen.end(), message) != seen.end()) continue;
      seen.push_back(message);
      inbox.push_back(std::move(message));
    }
  }
  std::string inside(const RawPeer& from, const std::string& method, const std::string& more = "") {
    std::string request =
        from.request(method, "sip:us@127.0.0.1:" + std::to_string(port), header(invite, "To") + ";tag=peer",
                     header(invite, "From"), header(invite, "Call-ID"), ++sequence);
    request.insert(request.find("Content-Length: 0\r\n"), more);
    return request;
  }
  // The answer to a REFER; "": none.
  std::string refer(const std::string& refer_to, const std::string& more = "") {
    peer.send(port, inside(peer, "REFER", "Refer-To: " + refer_to + "\r\n" + more));
    std::string answer;
    do answer = next("SIP/2.0 ");
    while (!answer.empty() && header(answer, "CSeq") != std::to_string(sequence) + " REFER");
    return answer;
  }
  std::string refer_status(const std::string& refer_to) { return refer(refer_to).substr(8, 3); }
  // Answers the next NOTIFY, and returns the status in it, with '.' if it is the last.
  std::string reported() {
    const std::string notify = next("NOTIFY ");
    if (notify.empty()) return "none";
    peer.send(port, answer_to(notify, "200 OK"));
    CHECK(header(notify, "Event").rfind("refer", 0) == 0);
    CHECK(header(notify, "Content-Type") == "message/sipfrag");
    const std::string frag = notify.substr(notify.find("\r\n\r\n") + 4);
    const bool is_last = header(notify, "Subscription-State").rfind("terminated", 0) == 0;
    return frag.substr(8, 3) + (is_last ? "." : "");
  }
  void answer_target(const std::string& target, const std::string& status, const std::string& sdp = "") {
    peer.send(port, answer_to(target, status, "sip:" + peer.address(), "", sdp, "target"));
  }
  void expect_bye(const std::string& of) {
    const std::string bye = next("BYE ");
    REQUIRE_FALSE(bye.empty());
    CHECK(header(bye, "Call-ID") == header(of, "Call-ID"));
    peer.send(port, answer_to(bye, "200 OK"));
  }
  void bye() {
    peer.send(port, inside(peer, "BYE"));
    CHECK_FALSE(next("SIP/2.0 200").empty());
  }
  void bye_of_target(const std::string& target) {
    peer.send(port, peer.request("BYE", "sip:us@127.0.0.1", header(target, "To") + ";tag=target",
                                 header(target, "From"), header(target, "Call-ID"), 50));
  }
  std::string end_cause() {
    if (ended.wait_for(std::chrono::seconds(30)) != std::future_status::ready) return "none";
    const auto got = ended.get();
    return got ? got->cause : "lost";
  }
  bool has_ended() { return ended.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

  RawPeer peer;
  TestServer server;
  Owner owner;
  std::future<Result<telephony::Ended>> ended = owner.ended.get_future();
  std::string invite;
  telephony::Answered answered;
  uint16_t port = 0;
  int sequence = 10;
  std::vector<std::string> inbox, seen;
};

}  // namespace

TEST_CASE("a far end transfers its call to a number, and the owner hears the target in the same call") {
  RtpPeer referrer(kReferrerHz), target_phone(kTargetHz);
  ReferringCall call(audio_at(referrer.port()));
  CHECK(header(call.invite, "Allow").find("REFER") != std::string::npos);
  Voice voice(call.answered.port);
  referrer.start(audio_port_in(call.invite));
  CHECK(within(std::chrono::seconds(20), [&] { return voice.port.hears(kReferrerHz); }));
  CHECK(call.refer_status(kTarget) == "202");
  CHECK(call.reported() == "100");
  const std::string target = call.next("INVITE ");
  CHECK(target.rfind("INVITE sip:+4930777@127.0.0.1", 0) == 0);
  CHECK(header(target, "Call-ID") != header(call.invite, "Call-ID"));
  CHECK(header(target, "Replaces") == "");
  call.answer_target(target, "180 Ringing");
  CHECK(call.reported() == "180");
  CHECK(voice.port.hears(kReferrerHz));
  CHECK(call.refer_status(kTarget) == "491");  // one at a time
  target_phone.start(audio_port_in(target));
  call.answer_target(target, "200 OK", audio_at(target_phone.port()));
  CHECK_FALSE(call.next("ACK ").empty());
  CHECK(call.reported() == "200.");
  CHECK(within(std::chrono::seconds(20),
               [&] { return voice.port.hears(kTargetHz) && target_phone.hears(kOurHz); }));
  call.expect_bye(call.invite);  // the referrer has not hung up
  CHECK_FALSE(call.has_ended());
  call.bye_of_target(target);
  CHECK(call.end_cause() == "far");
  CHECK(wait_no_legs(call.server));
}

TEST_CASE("a transfer that fails is reported, and the call goes on with the far end") {
  ReferringCall call;
  CHECK(call.refer_status(kTarget) == "202");
  CHECK(call.reported() == "100");
  call.answer_target(call.next("INVITE "), "486 Busy Here");
  CHECK(call.reported() == "486.");
  const std::string silent = call.refer(kTarget, "Refer-Sub: false\r\n");  // RFC 4488
  CHECK(silent.rfind("SIP/2.0 202", 0) == 0);
  CHECK(header(silent, "Refer-Sub") == "false");
  call.answer_target(call.next("INVITE "), "603 Decline");
  CHECK(call.next("NOTIFY ", 200).empty());
  CHECK_FALSE(call.has_ended());
  call.bye();
  CHECK(call.end_cause() == "far");
  CHECK(wait_no_legs(call.server));
}

TEST_CASE("an attended transfer sends the Replaces to the same trunk, and nothing else of Refer-To") {
  ReferringCall call;
  const std::string headers =
      "Replaces=other%40127.0.0.1%3Bto-tag%3Dx%3Bfrom-tag%3Dy&Subject=z&Route=%3Csip:evil%3E";
  CHECK(call.refer_status("<sip:+4930777@evil.example;transport=tcp?" + headers + ">") == "202");
  CHECK(call.reported() == "100");
  const std::string target = call.next("INVITE ");
  CHECK(header(target, "Replaces") == "other@127.0.0.1;to-tag=x;from-tag=y");
  CHECK(target.find("evil") == std::string::npos);
  CHECK(header(target, "Subject") == "");
  call.answer_target(target, "200 OK", kAnswer);
  CHECK(call.reported() == "200.");
  call.bye();  // the referrer hangs up first
  CHECK(call.next("BYE ", 200).empty());
  CHECK_FALSE(call.has_ended());
  call.bye_of_target(target);
  CHECK(call.end_cause() == "far");
}

TEST_CASE("a far end may leave once its transfer is accepted: the call goes on, or ends with the transfer") {
  for (const bool is_reached : {true, false}) {
    CAPTURE(is_reached);
    ReferringCall call;
    CHECK(call.refer_status(kTarget) == "202");
    CHECK(call.reported() == "100");
    const std::string target = call.next("INVITE ");
    call.bye();
    if (is_reached) {
      call.answer_target(target, "200 OK", kAnswer);
      CHECK_FALSE(call.next("ACK ").empty());
      CHECK_FALSE(call.has_ended());
      call.bye_of_target(target);
    } else {
      call.answer_target(target, "480 Temporarily Unavailable");
    }
    CHECK(call.end_cause() == "far");
    CHECK(wait_no_legs(call.server));
  }
}

TEST_CASE("an owner that hangs up during a transfer ends both dialogs") {
  ReferringCall call;
  CHECK(call.refer_status(kTarget) == "202");
  CHECK(call.reported() == "100");
  const std::string target = call.next("INVITE ");
  call.answer_target(target, "180 Ringing");
  CHECK(call.reported() == "180");
  call.owner.go();
  call.expect_bye(call.invite);
  const std::string cancel = call.next("CANCEL ");
  CHECK_FALSE(cancel.empty());
  call.peer.send(call.port, answer_to(cancel, "200 OK"));
  call.answer_target(target, "487 Request Terminated");
  CHECK(wait_no_legs(call.server));
}

TEST_CASE("S7: a far end's REFER dials no number that the gates refuse, in no disguise") {
  ReferringCall call;
  Gate gate;
  for (const char* form : {"<sip:+4930666@127.0.0.1>", "<sip:%2B4930666@127.0.0.1>", "<tel:+49-30-666>",
                           "<sip:004930666@127.0.0.1>", "<sip:+49%2030%20666@127.0.0.1>"}) {
    CAPTURE(form);
    CHECK(call.refer_status(form) == "202");
    CHECK(call.reported() == "100");
    CHECK(call.reported() == "403.");
  }
  for (const char* form :
       {"<sip:+4930777;phone-context=+4930666@127.0.0.1>", "<sip:+4930777:x@127.0.0.1>", "<sip:x@+4930666@y>",
        "<sip:+4930777%0d%0aX@127.0.0.1>", "<sip:%D9%A4@127.0.0.1>", "<sip:127.0.0.1>",
        "<tel:+4930777;ext=666>", "<sip:+4930777@a>, <sip:+4930666@b>", "<sip:+4930777@a?Replaces=x>",
        "<sip:+4930777@a?Replaces=%>", "x", "<sip:+4930777%00@127.0.0.1>"}) {
    CAPTURE(form);
    CHECK(call.refer_status(form) == "400");
  }
  CHECK(call.refer_status("<sip:+4930777@a;method=BYE>") == "403");
  CHECK(call.refer_status("<http://example.com>") == "400");
  const std::string twice = call.refer(kTarget, "Refer-To: <sip:+4930666@127.0.0.1>\r\n");
  CHECK(twice.rfind("SIP/2.0 400", 0) == 0);
  CHECK(call.next("INVITE ", 200).empty());
  CHECK_FALSE(call.has_ended());
  call.bye();
  CHECK(call.end_cause() == "far");
}

TEST_CASE("S4: a REFER of a stranger, or at a trunk without acceptRefer, transfers nothing") {
  RawPeer foreign("127.0.0.2");
  ReferringCall call(kAnswer, "127.0.0.2");
  foreign.send(call.port, call.inside(foreign, "REFER", std::string("Refer-To: ") + kTarget + "\r\n"));
  CHECK(foreign.receive("SIP/2.0 ", 20'000).rfind("SIP/2.0 4", 0) == 0);
  CHECK(call.next("INVITE ", 200).empty());
  CHECK_FALSE(call.has_ended());
  call.bye();
  CHECK(call.end_cause() == "far");
}

TEST_CASE("of Refer-To only a number and one Replaces count") {
  CHECK(read_refer_to("sip:+4930777@a;method=BYE")->number == "+4930777");  // a parameter of the header
  CHECK(read_refer_to("\"J <x\" sip:+4930777@a").error().code == Code::invalid);
  CHECK(read_refer_to("<SIPS:%2b4930777@[::1]:5061>;x=y")->number == "+4930777");
  CHECK(read_refer_to("<tel:+49(30)777>")->number == "+4930777");
  const auto attended = read_refer_to("<sip:11@a?x=y&replaces=c%3Bto-tag%3D1%3Bfrom-tag%3D2>");
  REQUIRE(attended);
  CHECK(attended->number == "11");
  CHECK(attended->replaces == sip_trunk::Replaces{"c", "1", "2", false});
  for (const char* bad :
       {"", "<>", "<sip:>", "<sip:+4930777@a", "<sip:+4930777@a>x", "<sip:@a>",
        "<sip:11@a?Replaces=c%3Bto-tag%3D1%3Bfrom-tag%3D2&Replaces=c%3Bto-tag%3D1%3Bfrom-tag%3D2>"})
    CHECK_FALSE(read_refer_to(bad));
}
