#include <arpa/inet.h>
#include <patchbay/descriptor.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <utility>

#include "bench/bridge/relays.h"

namespace patchbay::bench {
namespace {

std::string bencoded(const std::string& text) { return std::to_string(text.size()) + ":" + text; }

// `crypto_tag`: of the key; "": plain RTP.
std::string sdp(uint16_t port, const std::string& crypto_tag) {
  const bool secure = !crypto_tag.empty();
  return std::string("v=0\r\no=peer 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio ") +
         std::to_string(port) + (secure ? " RTP/SAVP 0\r\n" : " RTP/AVP 0\r\n") +
         (secure ? "a=crypto:" + crypto_tag +
                       " AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz\r\n"
                 : "") +
         "a=sendrecv\r\n";
}

// The tag of the offered key of the suite that both relays use.
std::string tag_of(const std::string& offer) {
  const size_t suite = offer.find(" AES_CM_128_HMAC_SHA1_80 ");
  const size_t at = suite != std::string::npos ? offer.rfind(':', suite) : std::string::npos;
  return at != std::string::npos ? offer.substr(at + 1, suite - at - 1) : "1";
}

// Sends a command and returns the SDP of the reply.
Result<std::string> command(uint16_t control_port, const std::string& dictionary) {
  const Descriptor fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(control_port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  static int cookie = 0;
  const std::string message = "c" + std::to_string(++cookie) + " " + dictionary;
  (void)::sendto(fd.get(), message.data(), message.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof to);
  pollfd ready{fd.get(), POLLIN, 0};
  char reply[8192];
  const ssize_t bytes = ::poll(&ready, 1, 5000) == 1 ? ::recv(fd.get(), reply, sizeof reply, 0) : 0;
  const std::string text(reply, static_cast<size_t>(std::max<ssize_t>(bytes, 0)));
  const size_t at = text.find("3:sdp");
  if (at == std::string::npos) return {Code::failed, "rtpengine: " + text};
  return text.substr(at);
}

}  // namespace

Result<Relay> start_rtpengine_relay(int calls, uint16_t from, uint16_t to) {
  Relay relay;
  relay.name = "rtpengine";
  PB_TRY_VALUE(relay.engine, test::RtpEngine::start(4 * calls + 100));
  relay.measured = relay.engine->pid();
  const uint16_t control = relay.engine->control_port();
  for (int call = 0; call < calls; ++call) {
    const std::string name = bencoded("call-id") + bencoded("bench-" + std::to_string(call)) +
                             bencoded("from-tag") + bencoded("a");
    const std::string plain = bencoded("transport-protocol") + bencoded("RTP/SAVP");
    PB_TRY_VALUE(const std::string offered,
                 command(control, "d" + bencoded("command") + bencoded("offer") + name + plain +
                                      bencoded("DTLS") + bencoded("off") + bencoded("ICE") +
                                      bencoded("remove") + bencoded("sdp") + bencoded(sdp(from, "")) + "e"));
    PB_TRY_VALUE(
        const std::string answered,
        command(control, "d" + bencoded("command") + bencoded("answer") + name + bencoded("to-tag") +
                             bencoded("b") + bencoded("sdp") + bencoded(sdp(to, tag_of(offered))) + "e"));
    const std::string mark = "m=audio ";
    const size_t at = answered.find(mark);
    if (at == std::string::npos) return {Code::failed, "rtpengine: " + answered};
    relay.ports.push_back(static_cast<uint16_t>(std::atoi(answered.c_str() + at + mark.size())));
  }
  return relay;
}

}  // namespace patchbay::bench
