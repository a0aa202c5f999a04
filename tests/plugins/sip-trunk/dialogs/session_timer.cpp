// Session timers (RFC 4028), conflicts and challenges of requests inside a call, reliable ringing (RFC 3262).
#include "dialogs/session_timer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <string>

#include "plugins/sip-trunk/dialog_fixture.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

constexpr char kTimer[] = "Supported: timer\r\n";

// A call that we make, with a session timer of seconds.
struct Timed : DialogFixture {
  Timed() {
    caller.reanswer = kOffer;
    start({.transaction_timeout_ms = 1500, .min_session_sec = 1});
  }
  void dial_and_answer(const std::string& more) {
    auto call = call_to(peer.port());
    call.trunk.session_sec = 2;
    call.trunk.username = "user";
    call.trunk.password = "secret";
    call.trunk.realm = "trunk";
    invite = dial(call);
    answer(invite, contact(), more);
    REQUIRE(caller.wait_answered());
    REQUIRE_FALSE(peer.receive("ACK ").empty());
  }
  std::string inside(const std::string& method, int sequence, const std::string& more = "",
                     const std::string& body = "") const {
    std::string request = peer.request(method, us, header(invite, "To") + ";tag=peer", header(invite, "From"),
                                       header(invite, "Call-ID"), sequence);
    const std::string type = body.empty() ? "" : "Content-Type: application/sdp\r\n";
    request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                    more + type + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return request;
  }
  void send(const std::string& text) { peer.send(stack->port(), text); }
  void check_up_until_bye() {
    CHECK_FALSE(caller.ended());
    send(inside("BYE", 900));
    CHECK(caller.wait_ended().reason == EndReason::far_hangup);
    CHECK(caller.ended_count() == 1);
  }
  std::string invite;
};

}  // namespace

TEST_CASE("who refreshes, and how often, follows Session-Expires of both sides") {
  CHECK(terms_as_answerer({}, 90).interval_sec == 0);
  CHECK(terms_as_answerer({1800, 0, Refresher::none, true}, 90).interval_sec == 1800);
  CHECK_FALSE(terms_as_answerer({1800, 0, Refresher::none, true}, 90).we_refresh);
  CHECK(terms_as_answerer({1800, 0, Refresher::uas, true}, 90).we_refresh);
  CHECK(terms_as_answerer({30, 0, Refresher::none, false}, 90).interval_sec == 90);
  CHECK(terms_as_answerer({30, 0, Refresher::none, false}, 90).we_refresh);
  CHECK(session_answer({1800, 0, Refresher::none, true}, {1800, false}).session_expires ==
        "1800;refresher=uac");
  CHECK(session_answer({1800, 0, Refresher::none, true}, {1800, false}).require == "timer");
  CHECK(session_answer({1800, 0, Refresher::uas, true}, {1800, true}).require.empty());
  CHECK(terms_as_asker({0, 0, Refresher::none, true}, 90).interval_sec == 0);
  CHECK(terms_as_asker({600, 0, Refresher::uac, true}, 90).we_refresh);
  CHECK_FALSE(terms_as_asker({600, 0, Refresher::uas, true}, 90).we_refresh);
  CHECK(terms_as_asker({1, 0, Refresher::uac, true}, 90).interval_sec == 90);
  CHECK(is_too_short({89, 0, Refresher::none, true}, 90));
  CHECK_FALSE(is_too_short({89, 0, Refresher::none, false}, 90));
  CHECK(SessionTerms{1800, true}.act_after_ms() == 900'000);
  CHECK(SessionTerms{1800, false}.act_after_ms() == 1'768'000);
  CHECK(SessionTerms{90, false}.act_after_ms() == 60'000);
}

TEST_CASE_FIXTURE(Timed, "a session is refreshed by UPDATE, and by re-INVITE where UPDATE is not known") {
  dial_and_answer("Session-Expires: 2;refresher=uac\r\nRequire: timer\r\nAllow: INVITE, UPDATE, BYE\r\n");
  CHECK(header(invite, "Session-Expires") == "2");
  CHECK(header(invite, "Supported") == "timer, replaces");
  const std::string update = peer.receive("UPDATE ", 10'000);
  CHECK(header(update, "Session-Expires") == "2;refresher=uac");
  CHECK(update.find("m=audio") == std::string::npos);
  // A challenge is answered.
  send(answer_to(update, "401 Unauthorized", "",
                 "WWW-Authenticate: Digest realm=\"trunk\", nonce=\"n1\", algorithm=MD5\r\n"));
  const std::string again = peer.receive("UPDATE ", 10'000);
  CHECK(header(again, "Authorization").find("username=\"user\"") != std::string::npos);
  send(answer_to(again, "200 OK", contact(), "Session-Expires: 2;refresher=uac\r\n"));
  const std::string second = peer.receive("UPDATE ", 10'000);
  send(answer_to(second, "405 Method Not Allowed"));
  const std::string reinvite = peer.receive("INVITE ", 10'000);
  CHECK(header(reinvite, "Session-Expires") == "2;refresher=uac");
  CHECK(reinvite.find("m=audio") != std::string::npos);
  send(answer_to(reinvite, "200 OK", contact(), "Session-Expires: 2;refresher=uac\r\n", kOffer));
  CHECK_FALSE(peer.receive("ACK ").empty());
  CHECK(caller.wait_reanswers(1));
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Timed, "a far end that does not refresh its session in time is hung up, with the reason") {
  dial_and_answer("Session-Expires: 2;refresher=uas\r\nRequire: timer\r\n");
  const std::string bye = peer.receive("BYE ", 10'000);
  REQUIRE_FALSE(bye.empty());
  say(bye, "200 OK");
  const DialogEnd ended = caller.wait_ended();
  CHECK(ended.reason == EndReason::lost);
  CHECK(ended.text == "the far end did not refresh the session in time");
  CHECK(caller.ended_count() == 1);
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(Timed, "a far end that has vanished, or does not know the call, ends it at the refresh") {
  for (const char* answer : {"", "481 Call Does Not Exist"}) {
    CAPTURE(std::string(answer));
    Timed call;
    call.dial_and_answer("Session-Expires: 2;refresher=uac\r\nAllow: INVITE, UPDATE, BYE\r\n");
    const std::string update = call.peer.receive("UPDATE ", 10'000);
    if (*answer != '\0') call.say(update, answer);
    const DialogEnd ended = call.caller.wait_ended();
    CHECK(ended.reason == EndReason::lost);
    CHECK(ended.text.find("far end") != std::string::npos);
    const std::string bye = call.peer.receive("BYE ", 10'000);
    CHECK_FALSE(bye.empty());
    call.say(bye, "481 Call Does Not Exist");
    CHECK(call.caller.ended_count() == 1);
    CHECK(wait_no_handles(*call.stack));
  }
}

TEST_CASE_FIXTURE(Timed, "without Session-Expires in the answer nothing is refreshed") {
  dial_and_answer("");
  CHECK(peer.receive("INVITE ", 1500).empty());
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Timed,
                  "an INVITE whose interval is too short for the trunk is sent again with the trunk's") {
  auto call = call_to(peer.port());
  call.trunk.session_sec = 90;
  invite = dial(call);
  send(answer_to(invite, "422 Session Interval Too Small", "", "Min-SE: 900\r\n"));
  CHECK_FALSE(peer.receive("ACK ").empty());
  const std::string again = peer.receive("INVITE ");
  CHECK(header(again, "Session-Expires") == "900");
  send(answer_to(again, "422 Session Interval Too Small", "", "Min-SE: 900\r\n"));
  CHECK(caller.wait_ended().sip_status == 422);
}

TEST_CASE_FIXTURE(Timed, "re-INVITEs and UPDATEs of the far end renew the session, or are too short") {
  dial_and_answer("Session-Expires: 3;refresher=uas\r\n");
  send(inside("UPDATE", 7, std::string(kTimer) + "Session-Expires: 1\r\n"));
  const std::string updated = peer.receive("SIP/2.0 200");
  CHECK(header(updated, "Session-Expires") == "1;refresher=uac");
  CHECK(header(updated, "Require") == "timer");
  send(inside("INVITE", 8, std::string(kTimer) + "Session-Expires: 60;refresher=uac\r\n", kOffer));
  const std::string renewed = peer.receive("SIP/2.0 200");
  CHECK(header(renewed, "Session-Expires") == "60;refresher=uac");
  send(inside("ACK", 8));
  CHECK(peer.receive("BYE ", 1500).empty());  // the interval of 1 s does not count any more
  check_up_until_bye();
  DialogFixture strict;
  strict.caller.reanswer = kOffer;
  strict.start();
  const std::string other = strict.dial(call_to(strict.peer.port()));
  CHECK(header(other, "Session-Expires").empty());
  strict.answer(other, strict.contact());
  REQUIRE(strict.caller.wait_answered());
  std::string request = strict.peer.request("UPDATE", strict.us, header(other, "To") + ";tag=peer",
                                            header(other, "From"), header(other, "Call-ID"), 7);
  request.replace(request.find("Max-Forwards"), 0, std::string(kTimer) + "Session-Expires: 89\r\n");
  strict.peer.send(strict.stack->port(), request);
  CHECK(header(strict.peer.receive("SIP/2.0 422"), "Min-SE") == "90");
}

TEST_CASE_FIXTURE(Timed, "a re-INVITE that meets another, or is challenged, is sent again") {
  dial_and_answer("");
  stack->reoffer(id, kOffer);
  const auto begin = std::chrono::steady_clock::now();
  say(peer.receive("INVITE "), "491 Request Pending");
  CHECK_FALSE(peer.receive("ACK ").empty());
  const std::string again = peer.receive("INVITE ", 10'000);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(2000));
  send(answer_to(again, "407 Proxy Authentication Required", "",
                 "Proxy-Authenticate: Digest realm=\"trunk\", nonce=\"n1\", algorithm=MD5\r\n"));
  const std::string authorised = peer.receive("INVITE ", 10'000);
  CHECK(header(authorised, "Proxy-Authorization").find("username=\"user\"") != std::string::npos);
  answer(authorised, contact());
  CHECK_FALSE(peer.receive("ACK ").empty());
  CHECK(caller.wait_reoffer_answer(1) == "200 SDP");
  stack->reoffer(id, kOffer);
  send(answer_to(peer.receive("INVITE "), "401 Unauthorized", "",
                 "WWW-Authenticate: Digest realm=\"other\", nonce=\"n1\"\r\n"));
  CHECK(caller.wait_reoffer_answer(2) == "401");
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Timed, "reliable ringing of a trunk is acknowledged") {
  auto call = call_to(peer.port());
  invite = dial(call);
  send(answer_to(invite, "421 Extension Required", "", "Require: 100rel\r\n"));
  CHECK_FALSE(peer.receive("ACK ").empty());
  invite = peer.receive("INVITE ");
  CHECK(header(invite, "Supported") == "timer, 100rel, replaces");
  send(answer_to(invite, "183 Session Progress", contact(), "Require: 100rel\r\nRSeq: 7\r\n", kOffer));
  const std::string prack = peer.receive("PRACK ");
  CHECK(header(prack, "RAck") == "7 " + header(invite, "CSeq"));
  say(prack, "200 OK");
  CHECK(caller.wait_progress(183));
  CHECK(caller.early_sdp() == kOffer);
  answer(invite, contact());
  REQUIRE(caller.wait_answered());
  CHECK_FALSE(peer.receive("ACK ").empty());
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Timed, "reliable ringing is offered at once to a trunk that is configured so") {
  auto call = call_to(peer.port());
  call.trunk.offers_100rel = true;
  invite = dial(call);
  CHECK(header(invite, "Supported") == "timer, 100rel, replaces");
  answer(invite, contact());
  REQUIRE(caller.wait_answered());
  CHECK_FALSE(peer.receive("ACK ").empty());
  check_up_until_bye();
}

TEST_CASE_FIXTURE(Timed,
                  "of several phones that ring the first that answers has the call, the others are hung up") {
  invite = dial(call_to(peer.port()));
  const auto from = [&](const char* tag, const char* status, const char* body = "") {
    send(answer_to(invite, status, contact(), "", body, tag));
  };
  from("one", "180 Ringing");
  from("two", "183 Session Progress", kOffer);
  from("three", "180 Ringing");
  CHECK(wait_until([&] { return caller.progress().size() == 3; }));
  from("two", "200 OK", kOffer);
  REQUIRE(caller.wait_answered());
  CHECK(header(peer.receive("ACK "), "To").find("tag=two") != std::string::npos);
  from("three", "200 OK", kOffer);
  CHECK(header(peer.receive("ACK "), "To").find("tag=three") != std::string::npos);
  const std::string bye = peer.receive("BYE ");
  CHECK(header(bye, "To").find("tag=three") != std::string::npos);
  say(bye, "200 OK");
  CHECK_FALSE(caller.ended());
  stack->hangup(id);
  const std::string last = peer.receive("BYE ");
  CHECK(header(last, "To").find("tag=two") != std::string::npos);
  say(last, "200 OK");
  CHECK(caller.wait_ended().reason == EndReason::local_hangup);
}
