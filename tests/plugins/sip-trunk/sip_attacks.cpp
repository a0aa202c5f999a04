// Rows S1, S3 and S6 of the attacks that a SIP port must survive: each ends with OPTIONS that is answered.
#include <doctest/doctest.h>

#include <vector>

#include "caller.h"
#include "raw_peer.h"
#include "wire.h"

using namespace patchbay::sip_trunk;
using namespace patchbay::test;

namespace {

struct Attacked {
  Attacked()
      : stack(*start_stack({.allowed_peers = {*patchbay::lib::SocketAddress::parse("127.0.0.1", 0)}})),
        us("sip:us@127.0.0.1:" + std::to_string(stack->port())) {}

  std::string options(const std::string& transport, const std::string& id) const {
    return "OPTIONS " + us + " SIP/2.0\r\nVia: SIP/2.0/" + transport + " 127.0.0.1:9;branch=z9hG4bK" + id +
           "\r\nFrom: <sip:x@127.0.0.1>;tag=1\r\nTo: <" + us + ">\r\nCall-ID: " + id +
           "\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n";
  }
  // Whether OPTIONS is answered, over UDP.
  bool is_alive() {
    const std::string id = "alive" + std::to_string(++asked);
    peer.send(stack->port(), peer.request("OPTIONS", us, "<sip:x@127.0.0.1>;tag=1", "<" + us + ">", id, 1));
    std::string answer;
    do answer = peer.receive("SIP/2.0 ", 10'000);
    while (!answer.empty() && header(answer, "Call-ID") != id);
    return answer.rfind("SIP/2.0 200", 0) == 0;
  }
  // A request whose parts are replaced.
  std::string changed(const std::string& method, const std::string& from, const std::string& to) {
    std::string text = peer.request(method, us, "<sip:x@127.0.0.1>;tag=1", "<" + us + ">",
                                    "changed" + std::to_string(++asked), 1);
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  }

  std::unique_ptr<SipStack> stack;
  std::string us;
  RawPeer peer;
  int asked = 0;
};

}  // namespace

TEST_CASE_FIXTURE(Attacked, "S1: short methods, broken escapes and STUN do not disturb the SIP port") {
  std::vector<std::string> messages;
  for (const char* method : {"A", "IN", "INV", "\x01", "", "%", "INVITEINVITEINVITEINVITEINVITEINVITEINVITE"})
    messages.push_back(changed("OPTIONS", "OPTIONS sip:", std::string(method) + " sip:"));
  for (const char* uri :
       {"sip:a%", "sip:a%4", "sip:%00@h", "sip:a@h;%", "sip:a@h?%", "sips:%", "tel:%", "%", "sip:"})
    messages.push_back(changed("OPTIONS", us + " SIP", std::string(uri) + " SIP"));
  // A STUN binding request whose attribute is longer than the packet, and whole and truncated headers.
  const std::string stun(
      "\0\1\0\x08\x21\x12\xA4\x42"
      "0123456789ab"
      "\0\6\xFF\xFF"
      "abcd",
      28);
  for (size_t size = 1; size <= stun.size(); ++size) messages.push_back(stun.substr(0, size));
  const std::string sdp =
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\nm=";
  for (size_t size = 0; size <= sdp.size(); size += 3)
    messages.push_back(changed("INVITE", "Content-Length: 0\r\n\r\n",
                               "Content-Type: application/sdp\r\nContent-Length: " + std::to_string(size) +
                                   "\r\n\r\n" + sdp.substr(0, size)));
  for (const std::string& message : messages) {
    CAPTURE(message.substr(0, 60));
    peer.send(stack->port(), message);
    CHECK(is_alive());
  }
}

TEST_CASE_FIXTURE(Attacked,
                  "S3: silent, split, endless and reset connections over TCP leave the port usable") {
  std::vector<std::unique_ptr<Wire>> silent;
  for (int i = 0; i < 1000; ++i) silent.push_back(std::make_unique<Wire>(stack->port(), nullptr));
  {
    Wire split(stack->port(), nullptr);
    for (const char byte : options("TCP", "split")) split.send(std::string(1, byte));
    CHECK(split.receive().rfind("SIP/2.0 200", 0) == 0);
  }
  for (const char* length : {"2147483648", "4294967296", "-1", "99999999999999999999", "x"}) {
    std::string text = options("TCP", "length");
    text.replace(text.find("Content-Length: 0"), 17, std::string("Content-Length: ") + length);
    Wire(stack->port(), nullptr).send(text);
    CHECK(is_alive());
  }
  std::string wide = options("TCP", "wide");
  wide.insert(wide.find("Max-Forwards"), "X-Wide: " + std::string(65'000, 'x') + "\r\n");
  Wire(stack->port(), nullptr).send(wide);
  for (int i = 0; i < 10; ++i) {
    std::string invite = options("TCP", "reset" + std::to_string(i));
    for (size_t at = invite.find("OPTIONS"); at != std::string::npos; at = invite.find("OPTIONS"))
      invite.replace(at, 7, "INVITE");
    Wire wire(stack->port(), nullptr);
    wire.send(invite);
    wire.reset();
  }
  CHECK(is_alive());
  Wire last(stack->port(), nullptr);
  last.send(options("TCP", "last"));
  CHECK(last.receive().rfind("SIP/2.0 200", 0) == 0);
  CHECK(wait_no_handles(*stack));
}

TEST_CASE_FIXTURE(Attacked,
                  "S6: deep bodies, many Vias, spent hops and huge numbers are refused or ignored") {
  const auto with = [this](const std::string& method, const std::string& type, const std::string& body) {
    return changed(
        method, "Content-Length: 0\r\n\r\n",
        "Content-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  std::string deep = "x";
  for (int i = 0; i < 50; ++i) {
    const std::string mark = "b" + std::to_string(i);
    deep = "--" + mark + "\r\nContent-Type: multipart/mixed;boundary=" + mark + "\r\n\r\n" + deep + "\r\n--" +
           mark + "--";
  }
  std::string vias;
  for (int i = 0; i < 100; ++i)
    vias += "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKv" + std::to_string(i) + "\r\n";
  const std::string sdp =
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP ";
  std::string types;
  for (int i = 0; i < 5000; ++i) types += std::to_string(i % 128) + " ";
  for (const std::string& message :
       {with("INVITE", "multipart/mixed;boundary=b49", deep),
        with("INVITE", "multipart/mixed", "--\r\n--\r\n"),
        with("INVITE", "application/sdp", sdp + types + "\r\n"),
        with("INVITE", "application/sdp", sdp + "0\r\na=fmtp:0 " + std::string(30'000, 'f') + "\r\n"),
        changed("INVITE", "Max-Forwards: 70", vias + "Max-Forwards: 70"),
        changed("INVITE", "Max-Forwards: 70", "Max-Forwards: 0"),
        changed("INVITE", "CSeq: 1 ", "CSeq: 2147483648 "),
        changed("INVITE", "CSeq: 1 ", "CSeq: 99999999999 "),
        changed("INVITE", "Max-Forwards: 70", "Replaces: none;to-tag=a;from-tag=b\r\nMax-Forwards: 70"),
        changed("INVITE", "Max-Forwards: 70", "Route: <" + us + ";lr>\r\nMax-Forwards: 70")}) {
    CAPTURE(message.substr(0, 200));
    peer.send(stack->port(), message);
    CHECK(is_alive());
  }
}
