// The leg method `transfer` in a server with the plugin; the far end is played by the test.
#include <doctest/doctest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "call_fixture.h"
#include "probe_gate.h"

using namespace patchbay;
using namespace patchbay::test;
using telephony::Leg;
using telephony::Transferred;

namespace {

// A pending transfer of a leg.
struct Transfer {
  Transfer(Handle of, const std::string& number, Handle other = {}, int64_t timeout_ms = 60'000) {
    probe::run([&, of, number, other, timeout_ms](const Host& host) {
      leg = Lease<Leg>::open(host, of);
      leg.call(Leg::transfer, {number, other, timeout_ms},
               [this](const Result<Transferred>& reply) { done.set_value(reply); });
    });
  }
  ~Transfer() {
    std::promise<Result<int>> gone;
    probe::run([&](const Host&) {
      leg = {};
      gone.set_value(0);
    });
    CHECK(probe::wait(gone.get_future()));
  }
  Result<Transferred> wait() { return probe::wait(done.get_future()); }
  Lease<Leg> leg;
  std::promise<Result<Transferred>> done;
};

struct AnsweredCall : RingingCall {
  AnsweredCall() {
    answer();
    REQUIRE_FALSE(peer.receive("ACK ").empty());
  }
  void notify(int sequence, const std::string& frag, const std::string& state = "terminated") {
    std::string request = peer.request("NOTIFY", "sip:us@127.0.0.1:" + std::to_string(sip_port(server)),
                                       header(invite, "To") + ";tag=peer", header(invite, "From"),
                                       header(invite, "Call-ID"), sequence);
    request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                    "Event: refer\r\nSubscription-State: " + state +
                        "\r\nContent-Type: message/sipfrag\r\nContent-Length: " +
                        std::to_string(frag.size()) + "\r\n\r\n" + frag);
    peer.send(sip_port(server), request);
    CHECK_FALSE(peer.receive("SIP/2.0 200").empty());
  }
  void accept(const std::string& refer, const std::string& status = "202 Accepted") {
    peer.send(sip_port(server), answer_to(refer, status));
  }
  void bye() {
    peer.send(sip_port(server), peer.request("BYE", "sip:us@127.0.0.1:" + std::to_string(sip_port(server)),
                                             header(invite, "To") + ";tag=peer", header(invite, "From"),
                                             header(invite, "Call-ID"), 90));
    CHECK(probe::wait(owner.ended.get_future())->cause == "far");
  }
};

}  // namespace

TEST_CASE("a far end is transferred to a number that the gates allow, and the owner learns the outcome") {
  AnsweredCall call;
  Gate gate;
  Transfer first(call.owner.leg, "+4930777");
  const std::string refer = call.peer.receive("REFER ");
  CHECK(header(refer, "Refer-To") == "<sip:+4930777@127.0.0.1:" + std::to_string(call.peer.port()) + ">");
  CHECK(Transfer(call.owner.leg, "+4930777").wait().error().code == Code::conflict);  // one at a time
  call.accept(refer);
  call.notify(10, "SIP/2.0 486 Busy Here\r\n");
  const auto busy = first.wait();
  REQUIRE(busy);
  CHECK_FALSE(busy->completed);
  CHECK(busy->sip_status == 486);
  CHECK(busy->detail == "busy (486)");
  Transfer second(call.owner.leg, "+4930777");
  call.accept(call.peer.receive("REFER "));
  call.notify(11, "SIP/2.0 200 OK\r\n");
  const auto reached = second.wait();
  REQUIRE(reached);
  CHECK(reached->completed);
  CHECK(reached->sip_status == 200);
  CHECK(reached->detail == "");
  call.bye();
}

TEST_CASE("S7: a transfer to a number that a gate refuses, or that is none, sends no REFER") {
  AnsweredCall call;
  Gate gate;
  CHECK(Transfer(call.owner.leg, "+4930666").wait().error().code == Code::denied);
  for (const char* bad :
       {"", "004930666", "+49 30 666", "+4930666;phone-context=x", "sip:+4930666@evil.example",
        "+4930666@evil.example", "+4930666?Replaces=x", "+4930666>\r\nRefer-To: <sip:x@y"})
    CHECK(Transfer(call.owner.leg, bad).wait().error().code == Code::invalid);
  CHECK(call.peer.receive("REFER ", 200).empty());
  call.bye();
}

TEST_CASE("far ends that do not transfer, or do not answer in time, keep their call") {
  AnsweredCall call;
  Transfer unsupported(call.owner.leg, "+4930777");
  call.accept(call.peer.receive("REFER "), "501 Not Implemented");
  CHECK(unsupported.wait().error().code == Code::unsupported);
  Transfer refused(call.owner.leg, "+4930777");
  call.accept(call.peer.receive("REFER "), "404 Not Found");
  const auto outcome = refused.wait();
  REQUIRE(outcome);
  CHECK_FALSE(outcome->completed);
  CHECK(outcome->sip_status == 404);
  Transfer silent(call.owner.leg, "+4930777", {}, 1000);
  call.accept(call.peer.receive("REFER "));
  CHECK(silent.wait().error().code == Code::timeout);
  CHECK(Transfer(call.owner.leg, "+4930777", {}, 999).wait().error().code == Code::invalid);
  call.bye();
}

TEST_CASE(
    "a far end that hangs up after it has accepted the transfer has left, and before that the call is gone") {
  for (const bool is_accepted : {true, false}) {
    CAPTURE(is_accepted);
    AnsweredCall call;
    Transfer transfer(call.owner.leg, "+4930777");
    const std::string refer = call.peer.receive("REFER ");
    if (is_accepted) call.accept(refer);
    call.bye();
    const auto outcome = transfer.wait();
    CHECK(outcome.ok() == is_accepted);
    if (is_accepted) CHECK(outcome->sip_status == 202);
    if (is_accepted) CHECK(outcome->completed);
    if (!is_accepted) CHECK(outcome.error().code == Code::gone);
  }
}

TEST_CASE("a far end that reports ringing and hangs up has not been transferred") {
  AnsweredCall call;
  Transfer transfer(call.owner.leg, "+4930777");
  call.accept(call.peer.receive("REFER "));
  call.notify(10, "SIP/2.0 180 Ringing\r\n", "active;expires=60");
  call.bye();
  const auto outcome = transfer.wait();
  REQUIRE(outcome);
  CHECK_FALSE(outcome->completed);
  CHECK(outcome->detail == "the far end hung up while the call to the number rang");
}

TEST_CASE("an attended transfer asks the gates about the other call's number") {
  AnsweredCall call;
  Gate gate;
  Owner other;
  other.dial("+4930777", "oac-000000000002");
  const std::string invite = call.peer.receive("INVITE ");
  CHECK(Transfer(call.owner.leg, "", other.leg).wait().error().code == Code::conflict);  // it rings
  call.peer.send(sip_port(call.server),
                 answer_to(invite, "200 OK", "sip:" + call.peer.address(), "", kAnswer, "b"));
  REQUIRE(probe::wait(other.answered.get_future()));
  CHECK(Transfer(call.owner.leg, "", call.owner.leg).wait().error().code == Code::conflict);
  CHECK(Transfer(call.owner.leg, "+4930777", other.leg).wait().error().code == Code::invalid);
  Transfer transfer(call.owner.leg, "", other.leg);
  const std::string refer = call.peer.receive("REFER ");
  CHECK(header(refer, "Refer-To").rfind("<sip:+4930777@127.0.0.1", 0) == 0);
  CHECK(header(refer, "Refer-To").find("?Replaces=oac-000000000002-1%40") != std::string::npos);
  call.accept(refer);
  call.notify(10, "SIP/2.0 200 OK\r\n");
  CHECK(transfer.wait()->completed);
  call.bye();
  other.go();
}
