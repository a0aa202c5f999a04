// Calls that come in for a user: the carrier and the user's telephones are played by the test.
#include "users/user_calls.h"

#include <doctest/doctest.h>

#include <string>

#include "../registrar/raw_phone.h"

using namespace patchbay;
using namespace patchbay::test;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct UserServer : RegistrarServer {
  explicit UserServer(const std::string& inbound = "", const std::string& registrar = "")
      : RegistrarServer(registrar, inbound) {}

  void call(const std::string& call_id = "call-1") {
    std::string request = carrier.request("INVITE", "sip:+4930333@127.0.0.1:" + std::to_string(trunk_port),
                                          "\"Jane\" <sip:+4915112345@127.0.0.1>;tag=caller",
                                          "<sip:+4930333@127.0.0.1>", call_id, 1);
    request.replace(request.find("Content-Length: 0\r\n\r\n"), 21,
                    "Content-Type: application/sdp\r\nContent-Length: " +
                        std::to_string(sizeof(kAnswer) - 1) + "\r\n\r\n" + kAnswer);
    invite = request;
    carrier.send(trunk_port, request);
  }
  // The next answer to the call that is not 100.
  std::string answer() {
    std::string text;
    do text = carrier.receive("SIP/2.0 ", 20'000);
    while (!text.empty() && text.rfind("SIP/2.0 100", 0) == 0);
    return text;
  }
  std::string final_answer() {
    std::string text;
    do text = answer();
    while (!text.empty() && text.rfind("SIP/2.0 1", 0) == 0);
    return text;
  }
  void inside(const std::string& method, const std::string& ok, int sequence) {
    carrier.send(trunk_port,
                 carrier.request(method, "sip:us@127.0.0.1:" + std::to_string(trunk_port), header(ok, "From"),
                                 header(ok, "To"), header(ok, "Call-ID"), sequence));
  }
  std::string invite;
};

struct Telephone : RawPhone {
  explicit Telephone(const UserServer& of) : RawPhone(of) { CHECK(register_with(of.bob_password) == "200"); }
  std::string rings(bool says_so = true) {
    call = peer.receive("INVITE ", 20'000);
    REQUIRE_FALSE(call.empty());
    if (says_so) say("180 Ringing");
    return call;
  }
  void say(const std::string& status, const std::string& sdp = "") {
    peer.send(server.port, answer_to(call, status, "sip:bob@10.9.8.7:5060", "", sdp));
  }
  void accept() {
    say("200 OK", kAnswer);
    CHECK_FALSE(peer.receive("ACK ", 20'000).empty());
  }
  void is_cancelled(const std::string& reason) {
    const std::string cancel = peer.receive("CANCEL ", 20'000);
    REQUIRE_FALSE(cancel.empty());
    CHECK(contains(header(cancel, "Reason"), reason));
    peer.send(server.port, answer_to(cancel, "200 OK"));
    say("487 Request Terminated");
    CHECK_FALSE(peer.receive("ACK ", 20'000).empty());
  }
  std::string call;
};

}  // namespace

TEST_CASE("a call for a user rings the telephone, which answers and hangs up") {
  UserServer s;
  Telephone phone(s);
  s.call();
  const std::string invite = phone.rings();
  CHECK(invite.rfind("INVITE sip:bob@" + phone.peer.address() + " SIP/2.0\r\n", 0) == 0);
  CHECK(header(invite, "To") == "<sip:bob@acme.example>");
  CHECK(header(invite, "From").rfind("\"Jane\" <sip:+4915112345@acme.example>;tag=", 0) == 0);
  CHECK(s.answer().rfind("SIP/2.0 180", 0) == 0);
  // The Contact of the answer is not reachable, as behind NAT: the ACK goes to where the answer came from.
  phone.accept();
  const std::string ok = s.final_answer();
  CHECK(ok.rfind("SIP/2.0 200", 0) == 0);
  s.inside("ACK", ok, 1);
  const std::string id = header(invite, "Call-ID").substr(0, 16);
  phone.peer.send(s.port, phone.peer.request("BYE", "sip:us@127.0.0.1:" + std::to_string(s.port),
                                             header(invite, "To") + ";tag=peer", header(invite, "From"),
                                             header(invite, "Call-ID"), 5));
  const std::string bye = s.carrier.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  s.carrier.send(s.trunk_port, answer_to(bye, "200 OK"));
  CHECK(wait_no_legs(s.server));
  const std::string ladder =
      probe::call({"GET", "/api.ashx/v1/calls/" + id + "/ladder", "", {}, "acme.example"}).body;
  CHECK(contains(ladder, "INVITE sip:+4930333@"));
  CHECK(contains(ladder, "INVITE sip:bob@" + phone.peer.address()));
}

TEST_CASE("the caller hangs up, before and after the answer") {
  UserServer s;
  Telephone phone(s);
  s.call("a");
  phone.rings();
  CHECK(s.answer().rfind("SIP/2.0 180", 0) == 0);
  std::string cancel = s.invite.substr(0, s.invite.find("Content-Type")) + "Content-Length: 0\r\n\r\n";
  cancel.replace(0, 6, "CANCEL");
  cancel.replace(cancel.find("1 INVITE"), 8, "1 CANCEL");
  s.carrier.send(s.trunk_port, cancel);
  phone.is_cancelled("");
  CHECK(wait_no_legs(s.server));
  s.call("b");
  phone.rings();
  phone.accept();
  std::string ok;
  do ok = s.final_answer();
  while (!ok.empty() && header(ok, "CSeq") + header(ok, "Call-ID") != "1 INVITEb");
  s.inside("ACK", ok, 1);
  s.inside("BYE", ok, 2);
  const std::string bye = phone.peer.receive("BYE ", 20'000);
  REQUIRE_FALSE(bye.empty());
  phone.peer.send(s.port, answer_to(bye, "200 OK"));
  CHECK(wait_no_legs(s.server));
}

TEST_CASE("all telephones ring, the first that answers gets the call, and the others have not missed it") {
  UserServer s;
  Telephone first(s), second(s), silent(s);
  s.call();
  const std::string one = first.rings(), two = second.rings();
  silent.rings(false);
  CHECK(header(one, "Call-ID") != header(two, "Call-ID"));
  second.accept();
  first.is_cancelled("SIP;cause=200");
  const std::string ok = s.final_answer();
  CHECK(ok.rfind("SIP/2.0 200", 0) == 0);
  s.inside("ACK", ok, 1);
  // One whose answer crosses the CANCEL is hung up.
  silent.accept();
  CHECK_FALSE(silent.peer.receive("BYE ", 20'000).empty());
  s.inside("BYE", ok, 2);
  CHECK_FALSE(second.peer.receive("BYE ", 20'000).empty());
}

TEST_CASE("a user is busy when all telephones are, and a decline for all ends the call") {
  UserServer s;
  Telephone first(s), second(s);
  s.call("a");
  first.rings();
  second.rings();
  first.say("486 Busy Here");
  second.say("486 Busy Here");
  CHECK(s.final_answer().rfind("SIP/2.0 486", 0) == 0);
  CHECK(wait_no_legs(s.server));
  s.call("b");
  first.rings();
  second.rings();
  first.say("603 Decline");
  second.is_cancelled("");
  std::string declined;
  do declined = s.final_answer();
  while (!declined.empty() && header(declined, "Call-ID") != "b");
  CHECK(declined.rfind("SIP/2.0 603", 0) == 0);
}

TEST_CASE("a user without a telephone, and one who does not answer, is 480") {
  UserServer s("      inbound: {ringTimeoutSec: 5}\n");
  s.call("a");
  CHECK(s.final_answer().rfind("SIP/2.0 480", 0) == 0);
  CHECK(s.server.log().find("no telephone of the user bob") != std::string::npos);
  Telephone phone(s);
  s.call("b");
  phone.rings();
  phone.is_cancelled("");
  std::string refused;
  do refused = s.final_answer();
  while (!refused.empty() && header(refused, "Call-ID") != "b");
  CHECK(refused.rfind("SIP/2.0 480", 0) == 0);
}

TEST_CASE("a telephone whose user has another password now is not rung any more") {
  UserServer s;
  Telephone phone(s);
  CHECK(probe::call({"POST", "/api.ashx/v1/admin/users/bob/sip-password", "", {}, "acme.example"}).status ==
        200);
  s.call();
  CHECK(s.final_answer().rfind("SIP/2.0 480", 0) == 0);
  CHECK(phone.peer.receive("INVITE ", 200) == "");
  CHECK(contains(s.contacts(), R"("data":[])"));
}
