// Unsolicited messages: from hosts without a call, or that pretend to have one.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>

#include "caller.h"
#include "raw_peer.h"
#include "support/child_process.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

struct QuietServer {
  QuietServer()
      : stack(*start_stack({.allowed_peers = {*patchbay::lib::SocketAddress::parse("127.0.0.1", 0)}})),
        us("sip:us@127.0.0.1:" + std::to_string(stack->port())) {}

  // Returns the status line of the answer to a request outside of any dialog.
  std::string ask(const std::string& method) {
    const std::string id = method + std::to_string(++asked);
    peer.send(stack->port(), peer.request(method, us, "<sip:x@127.0.0.1>;tag=" + id, "<" + us + ">", id, 1));
    std::string answer;
    do answer = peer.receive("SIP/2.0 ");
    while (!answer.empty() && (header(answer, "Call-ID") != id || answer.rfind("SIP/2.0 1", 0) == 0));
    return answer.substr(0, 11);
  }
  // Allows the other peer's address, as a second trunk in the configuration does.
  void configure(const RawPeer& other) {
    stack->set_allowed_peers({*patchbay::lib::SocketAddress::parse("127.0.0.1", 0),
                              *patchbay::lib::SocketAddress::parse("127.0.0.2", 0)});
    bool answered = false;
    for (int i = 0; i < 200 && !answered; ++i) {
      other.send(stack->port(), other.request("OPTIONS", us, "<sip:x@127.0.0.2>;tag=1", "<" + us + ">",
                                              "configure" + std::to_string(++asked), 1));
      answered = !other.receive("SIP/2.0 200", 200).empty();
    }
    REQUIRE(answered);
  }

  std::unique_ptr<SipStack> stack;
  std::string us;
  RawPeer peer;
  int asked = 0;
};

// Returns the status of the final answer to `request`.
std::string final_status(const RawPeer& asker, const std::string& request) {
  std::string answer;
  do answer = asker.receive("SIP/2.0 ");
  while (!answer.empty() &&
         (header(answer, "CSeq") != header(request, "CSeq") || answer.rfind("SIP/2.0 1", 0) == 0));
  return answer.substr(0, 11);
}

// A call that `peer` answers.
struct Answered : QuietServer {
  Answered() {
    auto dialled = stack->dial(call_to(peer.port()), caller);
    REQUIRE(dialled);
    id = *dialled;
    const std::string invite = peer.receive("INVITE ");
    from = header(invite, "From");
    to = header(invite, "To") + ";tag=peer";
    call_id = header(invite, "Call-ID");
    const std::string sdp = kOffer;
    peer.send(stack->port(),
              "SIP/2.0 200 OK\r\nVia: " + header(invite, "Via") + "\r\nFrom: " + from + "\r\nTo: " + to +
                  "\r\nCall-ID: " + call_id + "\r\nCSeq: " + header(invite, "CSeq") +
                  "\r\nContact: <sip:" + peer.address() +
                  ">\r\nContent-Type: application/sdp\r\nContent-Length: " + std::to_string(sdp.size()) +
                  "\r\n\r\n" + sdp);
    REQUIRE(caller.wait_answered());
    REQUIRE_FALSE(peer.receive("ACK ").empty());
  }
  void check_call_continues() {
    CHECK_FALSE(caller.ended());
    peer.send(stack->port(), peer.request("BYE", us, to, from, call_id, 900));
    const std::string answer = peer.receive("SIP/2.0 ");
    CAPTURE(answer);
    CHECK(answer.rfind("SIP/2.0 200", 0) == 0);
    CHECK(caller.wait_ended().reason == EndReason::far_hangup);
    CHECK(caller.ended_count() == 1);
    CHECK(wait_no_handles(*stack));
  }

  Caller caller;
  DialogId id = 0;
  std::string from, to, call_id;
};

}  // namespace

TEST_CASE_FIXTURE(QuietServer, "OPTIONS is answered and all other requests are refused") {
  CHECK(ask("OPTIONS") == "SIP/2.0 200");
  CHECK(ask("INVITE") == "SIP/2.0 480");
  for (const char* method :
       {"MESSAGE", "SUBSCRIBE", "REFER", "PUBLISH", "NOTIFY", "INFO", "REGISTER", "UPDATE", "PRACK", "FOO"}) {
    const std::string answer = ask(method);
    CAPTURE(std::string(method) + " " + answer);
    const bool refused = answer == "SIP/2.0 405" || answer == "SIP/2.0 481" || answer == "SIP/2.0 501";
    CHECK(refused);
  }
  CHECK(ask("BYE") == "SIP/2.0 481");
  CHECK(ask("CANCEL") == "SIP/2.0 481");
  CHECK(ask("OPTIONS") == "SIP/2.0 200");
  CHECK(stack->live_handles() == 0);
}

TEST_CASE_FIXTURE(QuietServer, "answers go to the source of the request, whatever its Via names") {
  const RawPeer named("127.0.0.3", peer.port());
  REQUIRE(named.port() == peer.port());
  const auto ask_via = [&](const std::string& sent_by, const std::string& parameters,
                           const std::string& end) {
    std::string request = peer.request("OPTIONS", us, "<sip:x@127.0.0.1>;tag=v", "<" + us + ">",
                                       "via" + std::to_string(++asked), 1);
    const size_t at = request.find("Via: SIP/2.0/UDP ") + 17;
    request.replace(at, request.find(';', at) - at, sent_by + ":" + std::to_string(peer.port()) + parameters);
    if (asked % 2 == 0) request.replace(request.find("Via: "), 3, "v");
    request.resize(request.size() - 4);
    peer.send(stack->port(), request + end);
    return peer.receive("SIP/2.0 ").substr(0, 8);
  };
  for (const char* sent_by : {"127.0.0.1", "no-such-host.invalid"})
    for (const char* parameters : {";maddr=127.0.0.3", ";maddr=no-such-host.invalid", ";received=127.0.0.3",
                                   ";received=no-such-host.invalid", ";rport;maddr=127.0.0.3",
                                   ";MADDR=127.0.0.3;maddr=127.0.0.3;received=127.0.0.3"})
      for (const char* end :
           {"\r\n\r\n", "\r\nContent-Length: x\r\n\r\n", "\r\nContent-Type: a/b\r\n\r\nbody", ""}) {
        CAPTURE(std::string(sent_by) + parameters + end);
        CHECK(ask_via(sent_by, parameters, end) == "SIP/2.0 ");
      }
  CHECK(named.receive("SIP/2.0 ", 0).empty());
}

TEST_CASE_FIXTURE(QuietServer, "errors that sofia-sip answers itself go to the source of the request") {
  const RawPeer named("127.0.0.3", peer.port());
  REQUIRE(named.port() == peer.port());
  struct Change {
    const char* from;
    const char* to;
  };
  // Another SIP version, and a transport in Via other than the one used; complete and truncated.
  for (const Change change : {Change{" SIP/2.0\r\n", " SIP/3.0\r\n"}, Change{"SIP/2.0/UDP", "SIP/2.0/udp"}})
    for (const char* sent_by : {"127.0.0.3", "no-such-host.invalid"})
      for (const char* end : {"\r\n\r\n", "\r\nContent-Length: x\r\n\r\n", ""}) {
        CAPTURE(std::string(change.to) + sent_by + end);
        std::string request = peer.request("OPTIONS", us, "<sip:x@127.0.0.1>;tag=v", "<" + us + ">",
                                           "via" + std::to_string(++asked), 1);
        const size_t host = request.find("Via: SIP/2.0/UDP ") + 17;
        request.replace(host, request.find(';', host) - host, sent_by + (":" + std::to_string(peer.port())));
        request.replace(request.find(change.from), std::strlen(change.from), change.to);
        request.resize(request.size() - 4);
        peer.send(stack->port(), request + end);
        // Sofia-sip drops a complete request whose Via names another transport.
        const bool is_dropped = std::strcmp(end, "\r\n\r\n") == 0 && change.to[0] != ' ';
        if (!is_dropped) CHECK(peer.receive("SIP/2.0 ") != "");
      }
  CHECK(named.receive("SIP/2.0 ", 0).empty());
}

TEST_CASE_FIXTURE(QuietServer, "the answer repeats what a proxy noted in a lower Via") {
  std::string request = peer.request("OPTIONS", us, "<sip:x@127.0.0.1>;tag=v", "<" + us + ">",
                                     "via" + std::to_string(++asked), 1);
  const size_t via = request.find("Via: ");
  request.insert(request.find("\r\n", via) + 2,
                 "Via: SIP/2.0/UDP 10.0.0.7;branch=z9hG4bK-below;received=192.0.2.7\r\n");
  peer.send(stack->port(), request);
  CHECK(peer.receive("SIP/2.0 ").find(";received=192.0.2.7") != std::string::npos);
}

TEST_CASE_FIXTURE(QuietServer, "a proxy's challenge gets a Proxy-Authorization") {
  auto call = call_to(peer.port());
  call.trunk.username = "alice";
  call.trunk.password = "secret";
  call.trunk.realm = "r";
  Caller caller;
  REQUIRE(stack->dial(call, caller));
  const std::string first = peer.receive("INVITE ");
  const auto answer = [&](const std::string& invite, const std::string& status) {
    peer.send(stack->port(),
              "SIP/2.0 " + status + "\r\nVia: " + header(invite, "Via") +
                  "\r\nFrom: " + header(invite, "From") + "\r\nTo: " + header(invite, "To") +
                  ";tag=p\r\nCall-ID: " + header(invite, "Call-ID") + "\r\nCSeq: " + header(invite, "CSeq") +
                  "\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 0\r\n\r\n");
  };
  answer(first, "407 Proxy Authentication Required");
  const std::string second = peer.receive("INVITE ");
  CHECK(
      header(second, "Proxy-Authorization").rfind("Digest username=\"alice\", realm=\"r\", nonce=\"n\"", 0) ==
      0);
  CHECK(header(second, "Authorization").empty());
  CHECK(header(second, "Call-ID") == header(first, "Call-ID"));
  CHECK(header(second, "From") == header(first, "From"));
  answer(second, "407 Proxy Authentication Required");
  CHECK(caller.wait_ended().sip_status == 407);
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(Answered, "a BYE from another address does not end the call") {
  RawPeer outsider("127.0.0.2");
  outsider.send(stack->port(), outsider.request("BYE", us, to, from, call_id, 100));
  CHECK(outsider.receive("SIP/2.0 ", 300).empty());
  check_call_continues();
}

TEST_CASE_FIXTURE(Answered, "requests inside the dialog from another address do not touch its CSeq") {
  RawPeer outsider("127.0.0.2");
  int sequence = 5000;
  for (const char* method : {"INVITE", "OPTIONS", "INFO", "BYE"})
    outsider.send(stack->port(), outsider.request(method, us, to, from, call_id, ++sequence));
  CHECK(outsider.receive("SIP/2.0 ", 300).empty());
  CHECK(caller.reoffers().empty());
  check_call_continues();
}

TEST_CASE_FIXTURE(Answered, "requests of another trunk inside the dialog get 481 and the call continues") {
  RawPeer other("127.0.0.2");
  configure(other);
  int sequence = 5000;
  const auto spoof = [&](const std::string& method, const std::string& from_them, const std::string& to_us) {
    const std::string request = other.request(method, us, from_them, to_us, call_id, ++sequence);
    other.send(stack->port(), request);
    return final_status(other, request);
  };
  for (const char* method : {"BYE", "INVITE", "OPTIONS"}) {
    CAPTURE(std::string(method));
    CHECK(spoof(method, to, from) == "SIP/2.0 481");
    CHECK(spoof(method, to, "<" + us + ">") == "SIP/2.0 481");  // without our tag
    CHECK(spoof(method, "<sip:x@127.0.0.2>;tag=", "<" + us + ">;tag=") != "SIP/2.0 200");
  }
  for (const char* method : {"INFO", "UPDATE", "MESSAGE", "REFER"}) {
    const std::string status = spoof(method, to, from);
    CAPTURE(std::string(method) + " " + status);
    CHECK((status == "SIP/2.0 405" || status == "SIP/2.0 481"));
  }
  other.send(stack->port(), other.request("ACK", us, to, from, call_id, ++sequence));
  CHECK(caller.reoffers().empty());
  CHECK(stack->counts().refused_foreign >= 10);  // headers with empty tags are malformed
  CHECK(stack->counts().refused_rate == 0);
  check_call_continues();  // the peer's CSeq starts at 900
}

TEST_CASE_FIXTURE(Answered, "a thousand spoofed BYEs leave the call intact") {
  RawPeer other("127.0.0.2");
  configure(other);
  for (int i = 1; i <= 1000; ++i) {
    const std::string request = other.request("BYE", us, to, from, call_id, 5000 + i);
    other.send(stack->port(), request);
    if (i % 50 != 0) continue;
    const std::string status = final_status(other, request);  // beyond 150 a second it is 400
    CHECK((status == "SIP/2.0 481" || status == "SIP/2.0 400"));
  }
  check_call_continues();
}

TEST_CASE_FIXTURE(QuietServer, "addresses that belong to no trunk get no answer until one is configured") {
  RawPeer outsider("127.0.0.2");
  const auto ask_from_outside = [&](int limit_ms) {
    outsider.send(stack->port(), outsider.request("OPTIONS", us, "<sip:x@127.0.0.2>;tag=1", "<" + us + ">",
                                                  "outside" + std::to_string(++asked), 1));
    return !outsider.receive("SIP/2.0 200", limit_ms).empty();
  };
  CHECK(stack->is_filtered());
  CHECK_FALSE(ask_from_outside(300));
  stack->set_allowed_peers({*patchbay::lib::SocketAddress::parse("127.0.0.2", 0)});
  bool answered = false;
  for (int i = 0; i < 100 && !answered; ++i) answered = ask_from_outside(200);
  CHECK(answered);
}

TEST_CASE_FIXTURE(Answered, "requests with wrong tags or Call-IDs match no dialog") {
  peer.send(stack->port(), peer.request("BYE", us, to + "x", from, call_id, 100));
  CHECK_FALSE(peer.receive("SIP/2.0 481").empty());
  peer.send(stack->port(), peer.request("BYE", us, to, from + "x", call_id, 101));
  CHECK_FALSE(peer.receive("SIP/2.0 481").empty());
  peer.send(stack->port(), peer.request("BYE", us, to, from, call_id + "x", 102));
  CHECK_FALSE(peer.receive("SIP/2.0 481").empty());
  check_call_continues();
}

TEST_CASE_FIXTURE(Answered, "other methods inside the dialog are refused and the call continues") {
  for (const char* method : {"REFER", "MESSAGE", "NOTIFY"}) {
    peer.send(stack->port(), peer.request(method, us, to, from, call_id, 100 + ++asked));
    CHECK_FALSE(peer.receive("SIP/2.0 405").empty());
  }
  check_call_continues();
}

TEST_CASE_FIXTURE(
    Answered, "digits in INFO are reported, other bodies are refused, and INFO without body is answered") {
  int sequence = 100;
  const auto inform = [&](const std::string& type, const std::string& body) {
    std::string request = peer.request("INFO", us, to, from, call_id, ++sequence);
    const std::string end = "Content-Length: 0\r\n\r\n";
    request.replace(request.size() - end.size(), end.size(),
                    (type.empty() ? "" : "Content-Type: " + type + "\r\n") +
                        "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    peer.send(stack->port(), request);
    return peer.receive("SIP/2.0 ").substr(0, 11);
  };
  CHECK(inform("application/dtmf-relay", "Signal=5\r\nDuration=160\r\n") == "SIP/2.0 200");
  CHECK(inform("application/dtmf", "#") == "SIP/2.0 200");
  CHECK(inform("application/dtmf-relay", "Signal=55\r\n") == "SIP/2.0 415");
  CHECK(inform("application/media_control+xml", "<x/>") == "SIP/2.0 415");
  CHECK(inform("", "") == "SIP/2.0 200");
  CHECK(caller.info_digits() == "5#");
  check_call_continues();
}

TEST_CASE_FIXTURE(QuietServer, "the stack survives the torture messages of RFC 4475") {
  int sent = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SIP_TRUNK_TEST_FOLDER) + "/rfc4475")) {
    if (entry.path().extension() != ".dat") continue;
    CAPTURE(entry.path().filename().string());
    peer.send(stack->port(), read_text(entry.path().string()));
    ++sent;
    CHECK(ask("OPTIONS") == "SIP/2.0 200");
  }
  CHECK(sent == 49);
  CHECK(stack->live_handles() == 0);
}
