// Calls from a trunk to a server with the plugin, which the probe answers.
#include <doctest/doctest.h>
#include <patchbay/services/answerer.h>

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "plugins/sip-trunk/call_fixture.h"
#include "support/probe_requests.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

// The answerer of the probe, and the owner of one call.
struct ProbeAnswerer {
  // `answer`: what it replies; with `takes`, it becomes the owner.
  explicit ProbeAnswerer(bool takes = true, telephony::Taken reply = {}, const std::string& name = "probe",
                         int64_t priority = 0) {
    std::promise<Result<int>> done;
    probe::run([&](const Host& host) {
      listener = std::make_unique<Provision<telephony::LegListener>>(host);
      using L = telephony::LegListener;
      listener
          ->on(L::progress,
               [this](const telephony::Progress& what) -> Result<Empty> {
                 progress.set_value(what);
                 return Empty{};
               })
          .on(L::answered,
              [this](const telephony::Answered& what) -> Result<Empty> {
                answered.set_value(what);
                return Empty{};
              })
          .on(L::digit, [](const telephony::Digit&) -> Result<Empty> { return Empty{}; })
          .on(L::ended, [this](const telephony::Ended& what) -> Result<Empty> {
            ended.set_value(what);
            return Empty{};
          });
      answerer = std::make_unique<Provision<telephony::Answerer>>(host);
      answerer->on(telephony::Answerer::offer,
                   [this, takes, reply, &host](const telephony::Offer& call) -> Result<telephony::Taken> {
                     if (std::exchange(was_offered, true)) return telephony::Taken{};  // one call only
                     leg = Lease<telephony::Leg>::open(host, call.leg);
                     telephony::Taken out = reply;
                     if (takes) out.listener = listener->handle();
                     offered.set_value(call);
                     return out;
                   });
      service = std::make_unique<Service<telephony::Telephony>>(host);
      service->call(
          telephony::Telephony::add_answerer, {name, answerer->handle(), priority},
          [&](const Result<Empty>& added) { done.set_value(added ? Result<int>(0) : added.error()); });
    });
    REQUIRE(probe::wait(done.get_future()));
  }
  ~ProbeAnswerer() { go(); }
  ProbeAnswerer(const ProbeAnswerer&) = delete;
  ProbeAnswerer& operator=(const ProbeAnswerer&) = delete;

  telephony::Offer offer() {
    const auto call = probe::wait(offered.get_future());
    REQUIRE(call);
    return *call;
  }
  template <class M>
  Status call(M method, const typename M::Request& request) {
    std::promise<Result<int>> done;
    probe::run([&](const Host&) {
      leg.call(method, request, [&](const Result<typename M::Reply>& reply) {
        done.set_value(reply ? Result<int>(0) : reply.error());
      });
    });
    const auto result = probe::wait(done.get_future());
    return result ? Status() : Status(result.error());
  }
  // Withdraws everything, as a plugin that ends does.
  void go() {
    std::promise<Result<int>> gone;
    probe::run([&](const Host&) {
      leg = {};
      answerer.reset();
      listener.reset();
      service.reset();
      gone.set_value(0);
    });
    CHECK(probe::wait(gone.get_future()));
  }

  std::unique_ptr<Provision<telephony::LegListener>> listener;
  std::unique_ptr<Provision<telephony::Answerer>> answerer;
  std::unique_ptr<Service<telephony::Telephony>> service;
  Lease<telephony::Leg> leg;
  bool was_offered = false;
  std::promise<Result<telephony::Offer>> offered;
  std::promise<Result<telephony::Progress>> progress;
  std::promise<Result<telephony::Answered>> answered;
  std::promise<Result<telephony::Ended>> ended;
};

// A server whose trunk is one peer.
struct InboundServer {
  explicit InboundServer(const std::string& trunk_more = "", const std::string& tenant_more = "")
      : server(
            "plugins:\n  media: {}\n  probe: {}\n  numbers: {}\n  sip-trunk: {listenPort: 0, requireGate: "
            "false}\ntenants:\n  acme.example:\n    primary: true\n    numbers:\n      list:\n      - {name: "
            "reception, "
            "number: '+4930111', mode: live-voice-ai, systemPrompt: Hi}\n      - {name: off, number: "
            "'+4930222', mode: disabled}\n    sip-trunk:\n      trunks: [{id: a, host: 127.0.0.1, port: " +
                std::to_string(peer.port()) + trunk_more +
                "}]\n      inboundRoutes: [{did: '+4930333', user: bob}]\n" + tenant_more,
            nullptr, {probe::http_entry()}) {
    REQUIRE(server.start_error() == "");
    port = sip_port(server);
    us = "sip:us@127.0.0.1:" + std::to_string(port);
  }
  std::string invite(const std::string& did, const std::string& call_id, const std::string& sdp = kAnswer) {
    std::string request = peer.request("INVITE", "sip:" + did + "@127.0.0.1:" + std::to_string(port),
                                       "\"Jane\" <sip:+4915112345@127.0.0.1>;tag=caller",
                                       "<sip:" + did + "@127.0.0.1>", call_id, 1);
    const std::string type = sdp.empty() ? "" : "Content-Type: application/sdp\r\n";
    request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                    type + "Content-Length: " + std::to_string(sdp.size()) + "\r\n\r\n" + sdp);
    return request;
  }
  void call(const std::string& did, const std::string& call_id = "call-1", const std::string& sdp = kAnswer) {
    peer.send(port, invite(did, call_id, sdp));
  }
  // The final answer to a call; acknowledged unless it is a 2xx.
  std::string final_answer() {
    std::string answer;
    do answer = peer.receive("SIP/2.0 ", 20'000);
    while (!answer.empty() && answer.rfind("SIP/2.0 1", 0) == 0);
    return answer;
  }
  std::string inside(const std::string& method, const std::string& answer, int sequence,
                     const std::string& sdp = "") {
    std::string request = peer.request(method, us, header(answer, "From"), header(answer, "To"),
                                       header(answer, "Call-ID"), sequence);
    if (!sdp.empty())
      request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                      "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(sdp.size()) +
                          "\r\n\r\n" + sdp);
    return request;
  }
  void bye(const std::string& answer) {
    peer.send(port, inside("BYE", answer, 9));
    // Refusals that were not acknowledged are repeated meanwhile.
    std::string reply;
    do reply = peer.receive("SIP/2.0 ", 20'000);
    while (!reply.empty() && header(reply, "CSeq") != "9 BYE");
    CHECK(reply.rfind("SIP/2.0 200", 0) == 0);
  }

  RawPeer peer;
  TestServer server;
  uint16_t port = 0;
  std::string us;
};

}  // namespace

TEST_CASE("an inbound call is offered, rings, is answered and ends") {
  InboundServer s;
  ProbeAnswerer owner;
  s.call("%2B4930111");
  const telephony::Offer offer = owner.offer();
  CHECK(offer.call_id.rfind("vnum-", 0) == 0);
  CHECK(offer.call_id.size() == 17);
  CHECK(offer.tenant == "acme.example");
  CHECK(offer.did == "+4930111");
  CHECK(offer.from_number == "+4915112345");
  CHECK(offer.display_name == "Jane");
  CHECK(offer.trunk_id == "a");
  CHECK(offer.target == "number");
  CHECK(offer.number == "+4930111");
  CHECK(owner.call(telephony::Leg::ring, {}));
  CHECK_FALSE(s.peer.receive("SIP/2.0 180", 20'000).empty());
  CHECK(probe::wait(owner.progress.get_future())->sip_status == 180);
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  CHECK(ok.rfind("SIP/2.0 200", 0) == 0);
  CHECK(ok.find("m=audio ") != std::string::npos);
  const auto answered = probe::wait(owner.answered.get_future());
  REQUIRE(answered);
  CHECK(answered->port);
  CHECK(answered->trunk_id == "a");
  s.peer.send(s.port, s.inside("ACK", ok, 1));
  CHECK(owner.call(telephony::Leg::answer, {}).error().code == Code::conflict);
  s.bye(ok);
  const auto ended = probe::wait(owner.ended.get_future());
  REQUIRE(ended);
  CHECK(ended->cause == "far");
  CHECK(ended->answered);
  CHECK(wait_no_legs(s.server));
  const std::string ladder =
      probe::call({"GET", "/api.ashx/v1/calls/" + offer.call_id + "/ladder", "", {}, "acme.example"}).body;
  CHECK(ladder.find("INVITE sip:%2B4930111@") != std::string::npos);
  CHECK(ladder.find("\"summary\":\"180 Ringing\"") != std::string::npos);
  CHECK(ladder.find("\"summary\":\"BYE ") != std::string::npos);
}

TEST_CASE("an inbound call whose owner has ended is hung up") {
  InboundServer s;
  ProbeAnswerer owner;
  s.call("+4930111");
  owner.offer();
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  s.peer.send(s.port, s.inside("ACK", ok, 1));
  owner.go();
  const std::string bye = s.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  s.peer.send(s.port, answer_to(bye, "200 OK"));
  CHECK(wait_no_legs(s.server));
}

TEST_CASE("a call that nothing takes is refused, and says why") {
  InboundServer s;
  s.call("+4930111", "a");
  CHECK(s.final_answer().rfind("SIP/2.0 480", 0) == 0);
  s.call("+4930222", "b");
  CHECK(s.final_answer().rfind("SIP/2.0 480", 0) == 0);
  s.call("+4930333", "c");
  CHECK(s.final_answer().rfind("SIP/2.0 480", 0) == 0);
  CHECK(wait_no_legs(s.server));
  CHECK(s.server.log().find("no telephone of the user bob") != std::string::npos);
}

TEST_CASE("an answerer refuses a call with a cause, before or after it has taken it") {
  InboundServer s;
  {
    ProbeAnswerer busy(false, {{}, 486, "all lines are busy"});
    s.call("+4930111", "a");
    busy.offer();
    const std::string refused = s.final_answer();
    CHECK(refused.rfind("SIP/2.0 486", 0) == 0);
    CHECK(header(refused, "Warning").find("all lines are busy") != std::string::npos);
  }
  ProbeAnswerer owner;
  s.call("+4930111", "b");
  owner.offer();
  CHECK(owner.call(telephony::Leg::reject, {99, ""}).error().code == Code::invalid);
  CHECK(owner.call(telephony::Leg::reject, {603, ""}));
  CHECK(s.final_answer().rfind("SIP/2.0 603", 0) == 0);
  const auto ended = probe::wait(owner.ended.get_future());
  REQUIRE(ended);
  CHECK(ended->cause == "local");
  CHECK(ended->sip_status == 603);
  CHECK_FALSE(ended->answered);
}

TEST_CASE("the answerer with the highest priority is asked first, also for numbers that nothing else takes") {
  InboundServer s;
  ProbeAnswerer last(true, {}, "a-last", 1);
  ProbeAnswerer first(false, {}, "first", 2);
  s.call("+4930999");
  CHECK(first.offer().target == "none");
  CHECK(last.offer().call_id.rfind("sip-", 0) == 0);
  CHECK(last.call(telephony::Leg::hangup, {"test"}));
  CHECK(s.final_answer().rfind("SIP/2.0 480", 0) == 0);
}

TEST_CASE("the caller may cancel while it rings, and the owner learns it") {
  InboundServer s;
  ProbeAnswerer owner;
  const std::string request = s.invite("+4930111", "a");
  s.peer.send(s.port, request);
  owner.offer();
  std::string cancel = request.substr(0, request.find("Content-Type")) + "Content-Length: 0\r\n\r\n";
  for (size_t at = cancel.find("INVITE"); at != std::string::npos; at = cancel.find("INVITE", at))
    if (cancel.compare(at, 8, "INVITE s") == 0 || cancel.compare(at - 2, 2, "1 ") == 0) {
      cancel.replace(at, 6, "CANCEL");
    } else {
      ++at;
    }
  s.peer.send(s.port, cancel);
  CHECK_FALSE(s.peer.receive("SIP/2.0 487", 20'000).empty());
  const auto ended = probe::wait(owner.ended.get_future());
  REQUIRE(ended);
  CHECK(ended->cause == "far");
  CHECK_FALSE(ended->answered);
  CHECK(owner.call(telephony::Leg::answer, {}).error().code == Code::gone);
  CHECK(wait_no_legs(s.server));
}

TEST_CASE("without an offer in the INVITE ours is in the 200, and the ACK brings the answer") {
  InboundServer s;
  ProbeAnswerer owner;
  s.call("+4930111", "a", "");
  owner.offer();
  CHECK(owner.call(telephony::Leg::ring, {true}));  // no early media without an offer
  CHECK_FALSE(probe::wait(owner.progress.get_future())->early_media);
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  CHECK(ok.find("m=audio ") != std::string::npos);
  s.peer.send(s.port, s.inside("ACK", ok, 1, kAnswer));
  s.bye(ok);
  CHECK(probe::wait(owner.ended.get_future())->cause == "far");
}

TEST_CASE("a call whose media cannot be used is refused with 488, or hung up after a late offer") {
  const std::string video =
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 4000 RTP/AVP 96\r\n";
  InboundServer s;
  {
    ProbeAnswerer owner;
    s.call("+4930111", "a", video);
    owner.offer();
    CHECK(owner.call(telephony::Leg::answer, {}));
    CHECK(s.final_answer().rfind("SIP/2.0 488", 0) == 0);
    const auto ended = probe::wait(owner.ended.get_future());
    REQUIRE(ended);
    CHECK(ended->cause == "failed");
    CHECK_FALSE(ended->answered);
  }
  ProbeAnswerer owner;
  s.call("+4930111", "b", "");
  owner.offer();
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  s.peer.send(s.port, s.inside("ACK", ok, 1, video));
  const std::string bye = s.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  s.peer.send(s.port, answer_to(bye, "200 OK"));
  CHECK(probe::wait(owner.ended.get_future())->cause == "failed");
}

TEST_CASE("early media opens the audio port before the answer") {
  InboundServer s;
  ProbeAnswerer owner;
  s.call("+4930111");
  owner.offer();
  CHECK(owner.call(telephony::Leg::ring, {true}));
  const std::string progress = s.peer.receive("SIP/2.0 183", 20'000);
  CHECK(progress.find("m=audio ") != std::string::npos);
  const auto early = probe::wait(owner.progress.get_future());
  REQUIRE(early);
  CHECK(early->early_media);
  CHECK(early->port);
  CHECK(owner.call(telephony::Leg::answer, {}));
  const auto answered = probe::wait(owner.answered.get_future());
  REQUIRE(answered);
  CHECK(answered->port.id == early->port.id);
  const std::string ok = s.final_answer();
  s.peer.send(s.port, s.inside("ACK", ok, 1));
  s.bye(ok);
}

TEST_CASE("the limits of a trunk count inbound calls") {
  InboundServer s(", maxCalls: 1");
  ProbeAnswerer owner;
  s.call("+4930111", "a");
  owner.offer();
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  s.peer.send(s.port, s.inside("ACK", ok, 1));
  s.call("+4930111", "b");
  const std::string refused = s.final_answer();
  CHECK(refused.rfind("SIP/2.0 503", 0) == 0);
  CHECK(header(refused, "Warning").find("maxCalls (1) of the trunk a") != std::string::npos);
  CHECK(wait_metric(s.server, "patchbay_sip_trunk_inbound_refused_total{reason=\"limit\"} 1"));
  CHECK(wait_metric(s.server, "patchbay_sip_trunk_limited_total{limit=\"maxCalls\"} 1"));
  s.bye(ok);
}

TEST_CASE("a tenant does not take the calls of another tenant with the same carrier") {
  const std::string other =
      "  a-first.example:\n    numbers:\n      list:\n      - {name: double, number: '+4930444', mode: "
      "live-voice-ai, systemPrompt: Hi}\n    sip-trunk:\n      trunks: [{id: t, host: 127.0.0.1}]\n"
      "      inboundRoutes: [{did: anonymous, user: eve}]\n  z-last.example:\n    numbers:\n      list:\n"
      "      - {name: double, number: '+4930444', mode: live-voice-ai, systemPrompt: Hi}\n    sip-trunk:\n"
      "      trunks: [{id: t, host: 127.0.0.1, username: '4930555', password: p, realm: r, register: "
      "true}]\n";
  InboundServer s("", other);
  {
    // The caller withholds the number, which the first tenant's route is about.
    ProbeAnswerer owner;
    std::string invite = s.invite("+4930111", "a");
    invite.replace(invite.find("Content-Type"), 0, "Privacy: id\r\n");
    s.peer.send(s.port, invite);
    CHECK(owner.offer().tenant == "acme.example");
    CHECK(owner.call(telephony::Leg::reject, {486, ""}));
    CHECK(s.final_answer().rfind("SIP/2.0 486", 0) == 0);
  }
  {
    // Both other tenants have the number.
    s.call("+4930444", "b");
    CHECK(s.final_answer().rfind("SIP/2.0 480", 0) == 0);
    CHECK(wait_metric(s.server, "patchbay_sip_trunk_inbound_refused_total{reason=\"ambiguous\"} 1"));
  }
  {
    // The account that the third tenant has registered there.
    ProbeAnswerer owner;
    s.call("4930555", "c");
    CHECK(owner.offer().tenant == "z-last.example");
    CHECK(owner.call(telephony::Leg::reject, {486, ""}));
    CHECK(s.final_answer().rfind("SIP/2.0 486", 0) == 0);
  }
}

TEST_CASE("an inbound call that a killed process left up is hung up by the next process") {
  InboundServer s;
  ProbeAnswerer owner;
  s.call("+4930111");
  owner.offer();
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  s.peer.send(s.port, s.inside("ACK", ok, 1));
  owner.go();
  // Answers no BYE of this process, as if it had sent none.
  REQUIRE_FALSE(s.peer.receive("BYE ", 20'000).empty());
  s.server.restart();
  std::string bye;
  do bye = s.peer.receive("BYE ", 20'000);
  while (!bye.empty() && std::stoi(header(bye, "CSeq")) < 1000);
  REQUIRE_FALSE(bye.empty());
  CHECK(header(bye, "Call-ID") == header(ok, "Call-ID"));
  CHECK(header(bye, "From") == header(ok, "To"));
  CHECK(header(bye, "To") == header(ok, "From"));
  s.peer.send(sip_port(s.server), answer_to(bye, "200 OK"));
}

TEST_CASE("the owner holds and resumes the far end, and learns when that is refused") {
  InboundServer s;
  ProbeAnswerer owner;
  s.call("+4930111");
  owner.offer();
  CHECK(owner.call(telephony::Leg::hold, {}).error().code == Code::conflict);
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  s.peer.send(s.port, s.inside("ACK", ok, 1));
  REQUIRE(probe::wait(owner.answered.get_future()));
  // Answers the re-INVITE on this thread while the method waits.
  const auto reinvited = [&](bool held, const std::string& status) {
    std::promise<Result<int>> done;
    probe::run([&](const Host&) {
      owner.leg.call(telephony::Leg::hold, {held}, [&](const Result<Empty>& reply) {
        done.set_value(reply ? Result<int>(0) : reply.error());
      });
    });
    const std::string request = s.peer.receive("INVITE ", 20'000);
    CHECK((request.find("a=sendonly") != std::string::npos) == held);
    s.peer.send(s.port, answer_to(request, status, "sip:" + s.peer.address(), "",
                                  status.rfind("200", 0) == 0 ? kAnswer : ""));
    CHECK_FALSE(s.peer.receive("ACK ", 20'000).empty());
    const auto result = probe::wait(done.get_future());
    return result ? Code::ok : result.error().code;
  };
  CHECK(reinvited(true, "200 OK") == Code::ok);
  CHECK(reinvited(false, "200 OK") == Code::ok);
  CHECK(reinvited(true, "488 Not Acceptable Here") == Code::denied);
  s.bye(ok);
  CHECK(probe::wait(owner.ended.get_future())->cause == "far");
}

TEST_CASE("digits are checked, and refused when the far end does not take them") {
  InboundServer s;
  ProbeAnswerer owner;
  s.call("+4930111");
  owner.offer();
  CHECK(owner.call(telephony::Leg::send_digits, {"1"}).error().code == Code::conflict);
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  s.peer.send(s.port, s.inside("ACK", ok, 1));
  for (const char* digits : {"", "123456789012345678901234567890123"})
    CHECK(owner.call(telephony::Leg::send_digits, {digits}).error().code == Code::invalid);
  CHECK(owner.call(telephony::Leg::send_digits, {"12#"}).error().code == Code::unsupported);
  s.bye(ok);
}

TEST_CASE("a server that drains refuses further calls with 503, and waits for those that run") {
  InboundServer s;
  ProbeAnswerer owner;
  s.call("+4930111", "a");
  owner.offer();
  CHECK(owner.call(telephony::Leg::answer, {}));
  const std::string ok = s.final_answer();
  s.peer.send(s.port, s.inside("ACK", ok, 1));
  std::thread draining([&] { s.server.core().drain(); });
  std::string refused;
  for (int i = 0; i < 200 && refused.rfind("SIP/2.0 503", 0) != 0; ++i) {
    s.call("+4930999", "b" + std::to_string(i));
    refused = s.final_answer();
  }
  CHECK(refused.rfind("SIP/2.0 503", 0) == 0);
  CHECK_FALSE(header(refused, "Retry-After").empty());
  s.bye(ok);
  draining.join();
  CHECK(probe::wait(owner.ended.get_future())->cause == "far");
}
