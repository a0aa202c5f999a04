// The plugin in a server: whose call it is, which trunk, and what is left after the end of a process.
#include "support/server.h"

#include <doctest/doctest.h>
#include <net/if.h>
#include <patchbay/services/dial_gate.h>
#include <patchbay/services/telephony.h>
#include <sys/ioctl.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "raw_peer.h"
#include "support/child.h"
#include "support/probe.h"

using namespace patchbay;
using namespace patchbay::test;
using telephony::LegListener;

namespace {

const char kAnswer[] =
    "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n";

std::string config(const std::string& trunks, const std::string& more = "") {
  return "plugins:\n  media: {}\n  probe: {}\n  sip-trunk: {listenPort: 0, requireGate: false, "
         "silenceTimeoutMs: 2000" +
         more + "}\ntenants:\n  acme.example:\n    sip-trunk:\n      trunks: [" + trunks +
         "]\n      outboundRoutes: [{match: global, trunkIds: [a, b]}]\n";
}

std::string trunk(const std::string& id, const std::string& host, uint16_t port) {
  return "{id: " + id + ", host: " + host + ", port: " + std::to_string(port) + "}";
}

// The owner of a call, on the probe's strand.
struct Owner {
  void dial(const std::string& number = "+4930123456", const std::string& call_id = "oac-0123456789ab") {
    std::promise<Result<telephony::Dialled>> dialled;
    probe::run([&](const Host& host) {
      listener = std::make_unique<Provision<LegListener>>(host);
      listener->on(LegListener::progress, [](const telephony::Progress&) -> Result<Empty> { return Empty{}; })
          .on(LegListener::digit, [](const telephony::Digit&) -> Result<Empty> { return Empty{}; })
          .on(LegListener::answered,
              [this](const telephony::Answered& what) -> Result<Empty> {
                answered.set_value(what);
                return Empty{};
              })
          .on(LegListener::ended, [this](const telephony::Ended& what) -> Result<Empty> {
            ended.set_value(what);
            return Empty{};
          });
      service = std::make_unique<Service<telephony::Telephony>>(host);
      telephony::Dial request;
      request.call_id = call_id;
      request.tenant = "acme.example";
      request.number = number;
      request.ring_timeout_ms = 500;
      request.listener = listener->handle();
      request.correlation = "c";
      service->call(telephony::Telephony::dial, request,
                    [&](const Result<telephony::Dialled>& result) { dialled.set_value(result); });
    });
    const auto result = probe::wait(dialled.get_future());
    REQUIRE(result);
    leg = result->leg;
  }
  void go() {
    std::promise<Result<int>> gone;
    probe::run([&](const Host&) {
      listener.reset();
      service.reset();
      gone.set_value(0);
    });
    CHECK(probe::wait(gone.get_future()));
  }
  Handle leg;
  std::unique_ptr<Provision<LegListener>> listener;
  std::unique_ptr<Service<telephony::Telephony>> service;
  std::promise<Result<telephony::Answered>> answered;
  std::promise<Result<telephony::Ended>> ended;
};

// Where the server listens for SIP.
uint16_t sip_port(TestServer& server) {
  const std::string log = server.log();
  const size_t at = log.find("address=127.0.0.1:", log.rfind("listening for SIP"));
  REQUIRE(at != std::string::npos);
  return static_cast<uint16_t>(std::strtoul(log.c_str() + at + 18, nullptr, 10));
}

bool wait_no_legs(TestServer& server) {
  for (int i = 0; i < 3000; ++i) {
    if (server.core().report("metrics").find("\npatchbay_sip_trunk_legs 0\n") != std::string::npos)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// A server whose trunks both lead to one peer, and a call that has arrived there.
struct RingingCall {
  explicit RingingCall(const std::string& settings = "")
      : server(config(trunk("a", "127.0.0.1", peer.port()) + ", " + trunk("b", "127.0.0.1", peer.port()),
                      settings),
               nullptr, {probe::http_entry()}) {
    REQUIRE(server.start_error() == "");
    owner.dial();
    invite = peer.receive("INVITE ", 20'000);
    REQUIRE_FALSE(invite.empty());
  }
  void answer() {
    peer.send(sip_port(server), answer_to(invite, "200 OK", "sip:" + peer.address(), "", kAnswer));
    REQUIRE(probe::wait(owner.answered.get_future()));
  }

  RawPeer peer;
  TestServer server;
  Owner owner;
  std::string invite;
};

// A network of loopback only, without a route to the DNS server that resolv.conf names. Needs the rights to
// make namespaces.
class NoRoute {
 public:
  NoRoute() { std::ofstream(folder_.file("resolv.conf")) << "nameserver 192.0.2.53\n"; }
  bool is_allowed() const { return run("true") == 0; }
  // The exit code of this program with that test only, whose name has no comma; what it printed.
  int repeat(const std::string& test, std::string& output) const {
    const int code = run("exec env PATCHBAY_TEST_NO_ROUTE=1 \"$2\" \"-tc=" + test + "\"");
    output = read_text(folder_.file("output"));
    return code;
  }
  static bool is_inside() { return std::getenv("PATCHBAY_TEST_NO_ROUTE") != nullptr; }
  static bool open_loopback() {
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const bool done = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    ::close(fd);
    return done;
  }

 private:
  int run(const std::string& command) const {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    auto child = Child::spawn(
        {"unshare", "--map-root-user", "--net", "--mount", "sh", "-c",
         "mount --bind \"$1\" /etc/resolv.conf && " + command, "sh", folder_.file("resolv.conf"), self},
        folder_.path(), folder_.file("output"));
    if (!child) return -1;
    return child->wait(std::chrono::seconds(50)).value_or(-1);
  }

  TempFolder folder_;
};

}  // namespace

TEST_CASE("a call whose owner is gone is hung up") {
  RingingCall call;
  call.answer();
  call.owner.go();
  const std::string bye = call.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  call.peer.send(sip_port(call.server), answer_to(bye, "200 OK"));
  CHECK(wait_no_legs(call.server));
}

TEST_CASE("an answer cannot aim audio at addresses that its trunk could not have") {
  for (const char* target : {"169.254.1.1", "224.0.0.5", "255.255.255.255", "0.0.0.9"}) {
    CAPTURE(std::string(target));
    RawPeer peer;
    TestServer server(
        config(trunk("a", "127.0.0.1", peer.port()) + ", " + trunk("b", "127.0.0.1", peer.port())), nullptr,
        {probe::http_entry()});
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
    CHECK(ended->detail == "the answer carried no usable media");
    owner.go();
  }
}

TEST_CASE("a trunk that is not resolved and one that is silent lead to the next, and the end says so") {
  RawPeer silent, peer;
  for (const std::string& first :
       {trunk("a", "no-such-host.invalid", 5060), trunk("a", "127.0.0.1", silent.port())}) {
    CAPTURE(first);
    TestServer server(config(first + ", " + trunk("b", "127.0.0.1", peer.port())), nullptr,
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

TEST_CASE("a call that an ended process left up is hung up by the next one") {
  RingingCall call;
  call.answer();
  call.owner.go();
  // No answer to any BYE of this process, as if none had been sent.
  REQUIRE_FALSE(call.peer.receive("BYE ", 20'000).empty());
  call.server.restart();
  std::string bye;
  do bye = call.peer.receive("BYE ", 20'000);
  while (!bye.empty() && std::stoi(header(bye, "CSeq")) < 1000);
  REQUIRE_FALSE(bye.empty());
  CHECK(header(bye, "Call-ID") == header(call.invite, "Call-ID"));
  CHECK(header(bye, "From") == header(call.invite, "From"));
  call.peer.send(sip_port(call.server), answer_to(bye, "200 OK"));
  CHECK(call.peer.receive("BYE ", 3000).empty());
}

TEST_CASE("a gate that never answers holds up neither the hang-up nor the call for long") {
  RawPeer peer;
  TestServer server(
      config(trunk("a", "127.0.0.1", peer.port()) + ", " + trunk("b", "127.0.0.1", peer.port())), nullptr,
      {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  std::vector<Reply<telephony::Verdict>> unanswered;
  std::unique_ptr<telephony::Gate> gate;
  std::promise<Result<int>> asked[2];
  probe::run([&](const Host& host) {
    gate = std::make_unique<telephony::Gate>(host, "mute",
                                             [&](const telephony::Check&, Reply<telephony::Verdict> reply) {
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

TEST_CASE("of two dialogs with one Call-ID the end of one does not forget the other") {
  RawPeer slow, peer;
  TestServer server(
      config(trunk("a", "127.0.0.1", slow.port()) + ", " + trunk("b", "127.0.0.1", peer.port())), nullptr,
      {probe::http_entry()});
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

TEST_CASE("the SDP shows an address that the trunk can send to") {
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

TEST_CASE("without a route to the DNS server calls through other trunks go on and the server stops") {
  if (!NoRoute::is_inside()) {
    const NoRoute no_route;
    if (!no_route.is_allowed()) {
      MESSAGE("skipped: no namespaces here");
      return;
    }
    std::string output;
    const int code =
        no_route.repeat("without a route to the DNS server calls through other trunks go on*", output);
    CAPTURE(output);
    CHECK(code == 0);
    return;
  }
  REQUIRE(NoRoute::open_loopback());
  RawPeer peer;
  TestServer server(
      "plugins:\n  media: {}\n  probe: {}\n  sip-trunk: {listenPort: 0, requireGate: false, "
      "silenceTimeoutMs: "
      "2000}\ntenants:\n  acme.example:\n    sip-trunk:\n      trunks: [" +
          trunk("named", "sip.carrier.example", 5060) + ", " + trunk("numeric", "127.0.0.1", peer.port()) +
          "]\n      outboundRoutes: [{match: \"+1*\", trunkIds: [named]}, {match: global, trunkIds: "
          "[numeric]}]\n",
      nullptr, {probe::http_entry()});
  REQUIRE(server.start_error() == "");
  Owner unresolved, owner;
  unresolved.dial("+14155550100", "oac-000000000001");
  owner.dial();
  // Names where sofia-sip could meet them: in the Contact of an answer, in the Via of a request.
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
