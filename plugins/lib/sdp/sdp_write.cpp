#include "rtp/payload_type.h"
#include "sdp/sdp.h"

namespace patchbay::lib {
namespace {

std::string connection(const SocketAddress& address) {
  return (address.family() == AF_INET6 ? "IN IP6 " : "IN IP4 ") + address.ip_text();
}

std::string session_lines(const LocalMedia& local) {
  return "v=0\r\no=- " + std::to_string(local.session_id) + " " + std::to_string(local.version) + " " +
         connection(local.rtp) + "\r\ns=-\r\nc=" + connection(local.rtp) + "\r\nt=0 0\r\n";
}

std::string audio_lines(const LocalMedia& local, const std::vector<G711>& laws, int event_payload_type,
                        const char* direction) {
  std::string formats;
  std::string maps;
  for (G711 law : laws) {
    const bool mu = law == G711::mu_law;
    const std::string type = std::to_string(mu ? kPcmuPayloadType : kPcmaPayloadType);
    formats += " " + type;
    maps += "a=rtpmap:" + type + (mu ? " PCMU/8000\r\n" : " PCMA/8000\r\n");
  }
  if (event_payload_type >= 0) {
    const std::string type = std::to_string(event_payload_type);
    formats += " " + type;
    maps += "a=rtpmap:" + type + " telephone-event/8000\r\na=fmtp:" + type + " 0-15\r\n";
  }
  return "m=audio " + std::to_string(local.rtp.port()) + " RTP/AVP" + formats + "\r\n" + maps +
         "a=ptime:20\r\na=silenceSupp:off - - - -\r\na=" + direction + "\r\n";
}

const char* answer_direction(const RemoteMedia& remote) {
  if (remote.send) return remote.receive ? "sendrecv" : "sendonly";
  return remote.receive ? "recvonly" : "inactive";
}

}  // namespace

std::string write_offer(const LocalMedia& local) {
  return session_lines(local) +
         audio_lines(local, local.laws, local.events ? kDefaultEventPayloadType : -1, "sendrecv");
}

std::string write_answer(const LocalMedia& local, const RemoteOffer& offer) {
  std::string out = session_lines(local);
  for (const auto& line : offer.lines) {
    if (line.accepted) {
      out += audio_lines(local, {offer.media.law}, offer.media.event_payload_type,
                         answer_direction(offer.media));
    } else {
      out += "m=" + line.type + " 0 " + line.protocol + " " + line.formats + "\r\n";
    }
  }
  return out;
}

}  // namespace patchbay::lib
