// Outbound calls against SIPp.
#include <doctest/doctest.h>

#include "caller.h"
#include "support/free_ports.h"
#include "support/sipp_peer.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

Sipp start_peer(const std::string& scenario, std::map<std::string, std::string> values = {},
                bool tcp = false) {
  Sipp::Options options;
  options.scenario = std::string(SIP_TRUNK_TEST_FOLDER) + "/sipp/" + scenario + ".xml";
  options.tcp = tcp;
  options.values = std::move(values);
  auto peer = Sipp::start(options);
  if (!peer) FAIL(peer.error().text);
  return *std::move(peer);
}

struct Call {
  explicit Call(const std::string& scenario, std::map<std::string, std::string> values = {}, bool tcp = false)
      : peer(start_peer(scenario, std::move(values), tcp)), call(call_to(peer.port())) {
    if (tcp) call.trunk.transport = Transport::tcp;
  }
  void dial() {
    auto dialled = stack->dial(call, caller);
    REQUIRE(dialled);
    id = *dialled;
  }
  void check_scenario() {
    const int result = peer.result();
    if (result != 0) MESSAGE(peer.messages());
    CHECK(result == 0);
    CHECK(wait_no_handles(*stack));
    CHECK(caller.ended_count() == 1);
  }

  Sipp peer;
  OutboundCall call;
  Caller caller;
  std::unique_ptr<SipStack> stack = *start_stack();
  DialogId id = 0;
};

}  // namespace

TEST_CASE("a call is answered and hung up by us") {
  for (bool tcp : {false, true}) {
    CAPTURE(tcp);
    Call call("answer", {}, tcp);
    call.dial();
    CHECK(call.caller.wait_answered());
    CHECK(call.caller.progress() == std::vector<int>{180});
    CHECK(call.caller.answer().find("m=audio") != std::string::npos);
    CHECK(call.caller.peer_ip() == "127.0.0.1");
    CHECK(call.stack->live_handles() == 1);
    call.stack->hangup(call.id);
    CHECK(call.caller.wait_ended().reason == EndReason::local_hangup);
    call.check_scenario();
    CHECK(call.peer.messages().find("Call-ID: call-0123456789ab-1@127.0.0.1") != std::string::npos);
  }
}

TEST_CASE("forty concurrent calls leave no dialogs behind") {
  constexpr int kCalls = 40;
  Sipp::Options options;
  options.scenario = std::string(SIP_TRUNK_TEST_FOLDER) + "/sipp/answer.xml";
  options.calls = kCalls;
  auto peer = Sipp::start(options);
  REQUIRE(peer);
  auto stack = *start_stack();
  std::vector<std::unique_ptr<Caller>> callers;
  std::vector<DialogId> ids;
  for (int i = 0; i < kCalls; ++i) {
    auto call = call_to(peer->port());
    call.call_id = "call-" + std::to_string(i);
    auto id = stack->dial(call, *callers.emplace_back(std::make_unique<Caller>()));
    REQUIRE(id);
    ids.push_back(*id);
  }
  for (auto& caller : callers) CHECK(caller->wait_answered());
  CHECK(stack->live_handles() == kCalls);
  for (DialogId id : ids) stack->hangup(id);
  for (auto& caller : callers) CHECK(caller->wait_ended().reason == EndReason::local_hangup);
  CHECK(peer->result() == 0);
  CHECK(wait_no_handles(*stack));
}

TEST_CASE("early media is reported and the peer hangs up") {
  Call call("answer_then_bye");
  call.dial();
  CHECK(call.caller.wait_ended().reason == EndReason::far_hangup);
  CHECK(call.caller.progress() == std::vector<int>{183});
  CHECK(call.caller.early_sdp().find("m=audio") != std::string::npos);
  call.check_scenario();
}

TEST_CASE("refusals are reported with their status") {
  struct Row {
    const char* status;
    int code;
    const char* extra;
  };
  for (const Row& row :
       {Row{"486 Busy Here", 486, "X-Nothing: 1"}, Row{"503 Service Unavailable", 503, "Retry-After: 1"},
        Row{"403 Forbidden", 403, "X-Nothing: 1"}, Row{"603 Decline", 603, "X-Nothing: 1"},
        Row{"302 Moved Temporarily", 302, "Contact: <sip:fraud@127.0.0.1:9>"}}) {
    CAPTURE(row.status);
    Call call("reject", {{"status", row.status}, {"extra", row.extra}});
    call.dial();
    const DialogEnd ended = call.caller.wait_ended();
    CHECK(ended.reason == EndReason::rejected);
    CHECK(ended.sip_status == row.code);
    call.check_scenario();
    const std::string messages = call.peer.messages();
    const size_t first = messages.find("INVITE sip:");
    CHECK(messages.find("INVITE sip:", first + 1) == std::string::npos);
  }
}

TEST_CASE("a call that rings too long is cancelled") {
  Call call("no_answer");
  call.call.no_answer_timeout_ms = 400;
  call.dial();
  CHECK(call.caller.wait_ended().reason == EndReason::no_answer);
  call.check_scenario();
}

TEST_CASE("hanging up while the call rings sends CANCEL") {
  Call call("no_answer");
  call.dial();
  CHECK(call.caller.wait_progress(180));
  call.stack->hangup(call.id);
  call.stack->hangup(call.id);
  CHECK(call.caller.wait_ended().reason == EndReason::cancelled);
  call.check_scenario();
}

TEST_CASE("S8: an answer that crosses our CANCEL gets ACK and BYE") {
  Call call("cancel_race");
  call.dial();
  CHECK(call.caller.wait_progress(180));
  call.stack->hangup(call.id);
  CHECK(call.caller.wait_ended().reason == EndReason::cancelled);
  call.check_scenario();
  CHECK(call.caller.answer().empty());
}

TEST_CASE("S8: an answer after the silence timeout gets ACK and BYE") {
  Call call("late_answer");
  SipStack::Options options;
  options.silence_timeout_ms = 300;
  auto stack = start_stack(options);
  REQUIRE(stack);
  call.stack = *std::move(stack);
  call.dial();
  CHECK(call.caller.wait_ended().reason == EndReason::silence);
  call.check_scenario();
}

TEST_CASE("an answer without SDP is hung up") {
  Call call("no_sdp");
  call.dial();
  CHECK(call.caller.wait_ended().reason == EndReason::no_media);
  call.check_scenario();
}

TEST_CASE("a digest challenge with MD5 is answered where it comes before SHA-256") {
  Call call("digest");
  call.call.trunk.username = "alice";
  call.call.trunk.password = "secret";
  call.call.trunk.realm = "trunk.test";
  call.dial();
  CHECK(call.caller.wait_answered());
  CHECK(call.stack->live_handles() == 1);
  call.stack->hangup(call.id);
  call.check_scenario();
  const std::string messages = call.peer.messages();
  CHECK(messages.find("Authorization: Digest username=\"alice\"") != std::string::npos);
  CHECK(messages.find("CSeq: 3 INVITE") != std::string::npos);
}

TEST_CASE("a challenge of another realm or without configured credentials ends the call") {
  for (bool has_credentials : {false, true}) {
    Call call("reject", {{"status", "401 Unauthorized"},
                         {"extra", "WWW-Authenticate: Digest realm=\"evil\", nonce=\"1\", algorithm=MD5"}});
    if (has_credentials) {
      call.call.trunk.username = "alice";
      call.call.trunk.password = "secret";
      call.call.trunk.realm = "trunk.test";
    }
    call.dial();
    CHECK(call.caller.wait_ended().sip_status == 401);
    call.check_scenario();
    CHECK(call.peer.messages().find("Authorization:") == std::string::npos);
  }
}

TEST_CASE("a wrong password is not tried again") {
  Call call("digest");
  call.call.trunk.username = "alice";
  call.call.trunk.password = "wrong";
  call.call.trunk.realm = "trunk.test";
  call.dial();
  CHECK(call.caller.wait_ended().sip_status == 403);
  call.check_scenario();
}

TEST_CASE("S5: a challenged BYE is answered for the trunk's realm only") {
  for (const char* realm : {"trunk.test", "other.test"}) {
    CAPTURE(std::string(realm));
    const bool is_ours = std::string(realm) == "trunk.test";
    Call call(is_ours ? "bye_challenged" : "bye_challenged_by_other");
    call.call.trunk.username = "alice";
    call.call.trunk.password = "secret";
    call.call.trunk.realm = "trunk.test";
    call.dial();
    CHECK(call.caller.wait_answered());
    call.stack->hangup(call.id);
    CHECK(call.caller.wait_ended().reason == EndReason::local_hangup);
    call.check_scenario();
    const bool authorized = call.peer.messages().find("Proxy-Authorization:") != std::string::npos;
    CHECK(authorized == is_ours);
  }
}

TEST_CASE("a re-INVITE is answered by the listener") {
  Call call("reinvite");
  call.caller.reanswer = std::string(kOffer) + "a=recvonly\r\n";
  call.dial();
  CHECK(call.caller.wait_ended().reason == EndReason::far_hangup);
  REQUIRE(call.caller.reoffers().size() == 1);
  CHECK(call.caller.reoffers()[0].find("a=sendonly") != std::string::npos);
  call.check_scenario();
}

TEST_CASE("a refused TCP connection ends the call at once") {
  auto stack = *start_stack();
  Caller caller;
  auto call = call_to(free_port());
  call.trunk.transport = Transport::tcp;
  const auto began = std::chrono::steady_clock::now();
  REQUIRE(stack->dial(call, caller));
  CHECK(caller.wait_ended().reason == EndReason::transport);
  // Long before a transaction without an answer ends, after 32 s.
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(25));
  CHECK(wait_no_handles(*stack));
}

TEST_CASE("the stack refuses a host name that is not resolved") {
  auto stack = *start_stack();
  Caller caller;
  auto call = call_to(5060);
  call.trunk.host = "localhost";
  CHECK(stack->dial(call, caller).error().code == patchbay::Code::invalid);
}

TEST_CASE("stopping ends every call once and sends BYE or CANCEL") {
  Call call("answer");
  call.dial();
  CHECK(call.caller.wait_answered());
  call.stack->stop();
  CHECK(call.caller.wait_ended().reason == EndReason::stopped);
  CHECK(call.peer.result() == 0);
  CHECK(call.caller.ended_count() == 1);
  CHECK(call.stack->live_handles() == 0);
  CHECK_FALSE(call.stack->dial(call.call, call.caller));
}

TEST_CASE("a port in use is an error that names the address") {
  auto stack = *start_stack();
  auto second = start_stack({.listen_port = stack->port()});
  REQUIRE_FALSE(second);
  CHECK(second.error().text.find(std::to_string(stack->port())) != std::string::npos);
  CHECK_FALSE(start_stack({.listen_ip = "localhost"}));
}
