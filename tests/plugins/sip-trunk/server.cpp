// The plugin in a server: the owner of a call, the choice of trunks, and calls that a killed process left up.
#include <doctest/doctest.h>
#include <patchbay/services/dial_gate.h>
#include <patchbay/services/telephony.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "call_fixture.h"
#include "raw_peer.h"
#include "support/own_network.h"
#include "support/probe_plugin.h"
#include "support/test_server.h"
#include "support/test_store.h"

using namespace patchbay;
using namespace patchbay::test;

TEST_CASE("a call whose owner has ended is hung up") {
  RingingCall call;
  call.answer();
  call.owner.go();
  const std::string bye = call.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  call.peer.send(sip_port(call.server), answer_to(bye, "200 OK"));
  CHECK(wait_no_legs(call.server));
}

TEST_CASE("an answer cannot direct audio at addresses that its trunk could not have") {
  for (const char* target : {"169.254.1.1", "224.0.0.5", "255.255.255.255", "0.0.0.9"}) {
    CAPTURE(std::string(target));
    RawPeer peer;
    TestServer server(server_config(trunk_entry("a", "127.0.0.1", peer.port()) + ", " +
                                    trunk_entry("b", "127.0.0.1", peer.port())),
                      nullptr, {probe::http_entry()});
    REQUIRE(server.start_error() == "");
    Owner owner;
    owner.dial();
    const std::string invite = peer.receive("INVITE ", 20'000);
    REQUIRE_FALSE(invite.empty());
    std::string sdp = kAnswer;
    sdp.replace(sdp.find("c=IN IP4 127.0.0.1"), 18, std::string("c=IN IP4 ") + target);
    const uint16_t port = sip_port(server);
    peer.send(port, answer_to(invite, "200 OK", "sip:" + peer.address(), "", sdp));
    const auto answered = probe::wait(owner.answered.get_future());
    REQUIRE(answered);
    CHECK_FALSE(answered->port);
    const std::string bye = peer.receive("BYE ", 20'000);
    REQUIRE_FALSE(bye.empty());
    peer.send(port, answer_to(bye, "200 OK"));
    const auto ended = probe::wait(owner.ended.get_future());
    REQUIRE(ended);
    CHECK(ended->cause == "failed");
    CHECK(ended->detail.rfind("the answer carried no usable media: its address " + std::string(target), 0) ==
          0);
    owner.go();
  }
}

TEST_CASE("a re-INVITE that directs audio where its trunk could not be gets 488 and the call continues") {
  RingingCall call;
  call.answer();
  REQUIRE_FALSE(call.peer.receive("ACK ", 20'000).empty());
  const uint16_t port = sip_port(call.server);
  const auto reinvite = [&](const std::string& target, int sequence) {
    std::string sdp = kAnswer;
    sdp.replace(sdp.find("c=IN IP4 127.0.0.1"), 18, "c=IN IP4 " + target);
    std::string request = call.peer.request(
        "INVITE", "sip:us@127.0.0.1:" + std::to_string(port), header(call.invite, "To") + ";tag=peer",
        header(call.invite, "From"), header(call.invite, "Call-ID"), sequence);
    request.replace(
        request.find("Content-Length: 0\r\n\r\n"), 21,
        "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(sdp.size()) + "\r\n\r\n" + sdp);
    call.peer.send(port, request);
    std::string answer;
    do answer = call.peer.receive("SIP/2.0 ", 20'000);
    while (!answer.empty() && (answer.rfind("SIP/2.0 100", 0) == 0 ||
                               header(answer, "CSeq") != std::to_string(sequence) + " INVITE"));
    std::string ack =
        call.peer.request("ACK", "sip:us@127.0.0.1:" + std::to_string(port), header(request, "From"),
                          header(answer, "To"), header(request, "Call-ID"), sequence);
    // The ACK of a refused INVITE is part of its transaction (RFC 3261 section 17.1.1.3).
    if (answer.rfind("SIP/2.0 2", 0) != 0)
      ack.replace(ack.find(header(ack, "Via")), header(ack, "Via").size(), header(request, "Via"));
    call.peer.send(port, ack);
    return answer.substr(0, 11);
  };
  CHECK(reinvite("169.254.1.1", 7) == "SIP/2.0 488");
  CHECK(reinvite("127.0.0.1", 8) == "SIP/2.0 200");
  call.owner.go();
  const std::string bye = call.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  call.peer.send(port, answer_to(bye, "200 OK"));
  CHECK(wait_no_legs(call.server));
}

TEST_CASE("after an unresolved or a silent trunk the next one is tried, and the end names the failure") {
  RawPeer silent, peer;
  for (const std::string& first :
       {trunk_entry("a", "no-such-host.invalid", 5060), trunk_entry("a", "127.0.0.1", silent.port())}) {
    CAPTURE(first);
    TestServer server(server_config(first + ", " + trunk_entry("b", "127.0.0.1", peer.port())), nullptr,
                      {probe::http_entry()});
    REQUIRE(server.start_error() == "");
    Owner owner;
    owner.dial();
    const std::string invite = peer.receive("INVITE ", 20'000);
    REQUIRE_FALSE(invite.empty());
    peer.send(sip_port(server), answer_to(invite, "486 Busy Here"));
    const auto ended = probe::wait(owner.ended.get_future());
    REQUIRE(ended);
    CHECK(ended->cause == "no-answer");
    CHECK(ended->detail == "busy (486)");
    CHECK(ended->sip_status == 486);
    CHECK(ended->trunk_id == "b");
    CHECK(ended->earlier_trunks.rfind("a: the ", 0) == 0);
    owner.go();
  }
}

TEST_CASE("a call that a killed process left up is hung up by the next process") {
  RingingCall call;
  call.answer();
  call.owner.go();
  // Answers no BYE of this process, as if it had sent none.
  REQUIRE_FALSE(call.peer.receive("BYE ", 20'000).empty());
  call.server.restart();
  std::string bye;
  do bye = call.peer.receive("BYE ", 20'000);
  while (!bye.empty() && std::stoi(header(bye, "CSeq")) < 1000);
  REQUIRE_FALSE(bye.empty());
  CHECK(header(bye, "Call-ID") == header(call.invite, "Call-ID"));
  CHECK(header(bye, "From") == header(call.invite, "From"));
  CHECK(wait_metric(call.server, "patchbay_sip_trunk_dialogs_left_behind_total 1"));
  call.peer.send(sip_port(call.server), answer_to(bye, "200 OK"));
  CHECK(call.peer.receive("BYE ", 3000).empty());
}

TEST_CASE("packets to a call that the kernel dropped are counted with the call") {
  RawPeer outsider("127.0.0.7");
  RingingCall call;
  call.answer();
  const size_t at = call.invite.find("m=audio ");
  REQUIRE(at != std::string::npos);
  const auto audio = static_cast<uint16_t>(std::stoi(call.invite.substr(at + 8)));
  // No media loop reads them, because the port is not joined.
  for (int i = 0; i < 3000; ++i) outsider.send(audio, "no audio");
  call.owner.go();
  const std::string bye = call.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  call.peer.send(sip_port(call.server), answer_to(bye, "200 OK"));
  CHECK(wait_no_legs(call.server));
  const std::string metrics = call.server.core().report("metrics");
  const std::string name = "\npatchbay_sip_trunk_rtp_dropped_total ";
  REQUIRE(metrics.find(name) != std::string::npos);
  CHECK(std::stod(metrics.substr(metrics.find(name) + name.size())) > 1000);
  CHECK(call.server.log().find(" dropped=") != std::string::npos);
}

TEST_CASE("requests inside a call from another trunk are counted") {
  RawPeer other("127.0.0.2");
  RingingCall call("", other.address());
  call.answer();
  const uint16_t port = sip_port(call.server);
  CHECK(wait_metric(call.server, "patchbay_sip_trunk_requests_refused_total{reason=\"foreign\"} 0"));
  other.send(port, other.request("BYE", "sip:us@127.0.0.1:" + std::to_string(port),
                                 header(call.invite, "To") + ";tag=peer", header(call.invite, "From"),
                                 header(call.invite, "Call-ID"), 9));
  CHECK(other.receive("SIP/2.0 ", 20'000).rfind("SIP/2.0 481", 0) == 0);
  CHECK(wait_metric(call.server, "patchbay_sip_trunk_requests_refused_total{reason=\"foreign\"} 1"));
  CHECK(wait_metric(call.server, "patchbay_sip_trunk_requests_refused_total{reason=\"rate\"} 0"));
  call.owner.go();
  const std::string bye = call.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  call.peer.send(port, answer_to(bye, "200 OK"));
}

TEST_CASE("a call whose end the trunk does not confirm is counted and named in the log") {
  RingingCall call;
  call.answer();
  CHECK(wait_metric(call.server, "patchbay_sip_trunk_byes_given_up_total 0"));
  call.owner.go();
  const std::string bye = call.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  call.peer.send(sip_port(call.server), answer_to(bye, "403 Forbidden"));
  CHECK(wait_metric(call.server, "patchbay_sip_trunk_byes_given_up_total 1"));
  CHECK(call.server.log().find("the trunk did not confirm the end of a call") != std::string::npos);
  CHECK(call.server.log().find("dialog=" + header(bye, "Call-ID")) != std::string::npos);
}

TEST_CASE("a gate that never answers blocks neither hangup nor the call for long") {
  RawPeer peer;
  TestServer server(server_config(trunk_entry("a", "127.0.0.1", peer.port()) + ", " +
                                  trunk_entry("b", "127.0.0.1", peer.port())),
                    nullptr, {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  std::vector<Reply<telephony::Verdict>> unanswered;
  std::unique_ptr<telephony::DialGateRegistration> gate;
  std::promise<Result<int>> asked[2];
  probe::run([&](const Host& host) {
    gate = std::make_unique<telephony::DialGateRegistration>(
        host, "mute", [&](const telephony::Check&, Reply<telephony::Verdict> reply) {
          asked[unanswered.size()].set_value(0);
          unanswered.push_back(std::move(reply));
        });
  });
  Owner hanging_up;
  hanging_up.dial();
  REQUIRE(probe::wait(asked[0].get_future()));
  hanging_up.go();
  CHECK(wait_no_legs(server));
  Owner patient;
  patient.dial();
  REQUIRE(probe::wait(asked[1].get_future()));
  auto ended = patient.ended.get_future();
  REQUIRE(ended.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  CHECK(ended.get()->cause == "denied");
  patient.go();
  std::promise<Result<int>> gone;
  probe::run([&](const Host&) {
    unanswered.clear();
    gate.reset();
    gone.set_value(0);
  });
  CHECK(probe::wait(gone.get_future()));
  CHECK(peer.receive("INVITE ", 0).empty());
}

TEST_CASE("of two stored dialogs with one Call-ID, ending one keeps the other") {
  RawPeer slow, peer;
  TestServer server(server_config(trunk_entry("a", "127.0.0.1", slow.port()) + ", " +
                                  trunk_entry("b", "127.0.0.1", peer.port())),
                    nullptr, {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  Owner owner;
  owner.dial();
  const std::string late = slow.receive("INVITE ", 20'000);
  const std::string invite = peer.receive("INVITE ", 20'000);
  REQUIRE(header(invite, "Call-ID") == header(late, "Call-ID"));
  peer.send(sip_port(server), answer_to(invite, "200 OK", "sip:" + peer.address(), "", kAnswer));
  REQUIRE(probe::wait(owner.answered.get_future()));
  slow.send(sip_port(server), answer_to(late, "200 OK", "sip:" + slow.address(), "", kAnswer));
  const std::string bye = slow.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  slow.send(sip_port(server), answer_to(bye, "200 OK"));
  owner.go();
  REQUIRE_FALSE(peer.receive("BYE ", 20'000).empty());
  server.restart();
  std::string again;
  do again = peer.receive("BYE ", 20'000);
  while (!again.empty() && std::stoi(header(again, "CSeq")) < 1000);
  REQUIRE_FALSE(again.empty());
  CHECK(header(again, "From") == header(invite, "From"));
  peer.send(sip_port(server), answer_to(again, "200 OK"));
}

TEST_CASE("the SDP has an address that the trunk can send to") {
  struct Row {
    const char* settings;
    const char* shown;
  };
  for (const Row& row : {Row{", listenIp: 0.0.0.0", "127.0.0.1"},
                         Row{", listenIp: 0.0.0.0, advertise: 203.0.113.7", "203.0.113.7"},
                         Row{", mediaIp: 127.0.0.9", "127.0.0.9"}}) {
    CAPTURE(std::string(row.settings));
    RingingCall call(row.settings);
    CHECK(call.invite.find(std::string("c=IN IP4 ") + row.shown + "\r\n") != std::string::npos);
    CHECK(call.invite.find(" IN IP4 0.0.0.0") == std::string::npos);
    call.owner.go();
  }
}

TEST_CASE("without a route to the DNS server calls through other trunks go on and the server stops" *
          doctest::skip(patchbay::test::on_postgres())) {
  if (!OwnNetwork::is_inside())
    return OwnNetwork::repeat("without a route to the DNS server calls through other trunks go on*",
                              "192.0.2.53");
  RawPeer peer;
  TestServer server(
      "plugins:\n  media: {}\n  probe: {}\n  sip-trunk: {listenPort: 0, requireGate: false, "
      "silenceTimeoutMs: "
      "2000}\ntenants:\n  acme.example:\n    sip-trunk:\n      trunks: [" +
          trunk_entry("named", "sip.carrier.example", 5060) + ", " +
          trunk_entry("numeric", "127.0.0.1", peer.port()) +
          "]\n      outboundRoutes: [{match: \"+1*\", trunkIds: [named]}, {match: global, trunkIds: "
          "[numeric]}]\n",
      nullptr, {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  Owner unresolved, owner;
  unresolved.dial("+14155550100", "oac-000000000001");
  owner.dial();
  // Host names where sofia-sip could resolve them: in the Contact of an answer and in the Via of a request.
  const std::string invite = peer.receive("INVITE ", 20'000);
  REQUIRE_FALSE(invite.empty());
  const uint16_t port = sip_port(server);
  peer.send(port, answer_to(invite, "200 OK", "sip:callee@pbx.carrier.example", "", kAnswer));
  REQUIRE(probe::wait(owner.answered.get_future()));
  CHECK_FALSE(peer.receive("ACK ", 20'000).empty());
  std::string options = peer.request("OPTIONS", "sip:us@127.0.0.1", "<sip:x@127.0.0.1>;tag=1",
                                     "<sip:us@127.0.0.1>", "named-via", 1);
  options.replace(options.find(peer.address()), peer.address().size(), "pbx.carrier.example");
  peer.send(port, options);
  const auto ended = probe::wait(unresolved.ended.get_future());
  REQUIRE(ended);
  CAPTURE(ended->detail);
  CHECK(ended->cause == "failed");
  CHECK(ended->trunk_id == "named");
  owner.go();
  const std::string bye = peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  peer.send(port, answer_to(bye, "200 OK"));
  CHECK(wait_no_legs(server));
  unresolved.go();
  const auto began = std::chrono::steady_clock::now();
  CHECK(server.core().stop().ok());
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(25));
}
