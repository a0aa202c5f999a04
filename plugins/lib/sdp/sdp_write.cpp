#include <algorithm>

#include "rtp/payload_type.h"
#include "sdp/sdp.h"

namespace patchbay::lib {
namespace {

// What we can receive: 10 ms and more, and copies of lost packets (RFC 7587 section 7).
constexpr std::string_view kOpusFmtp = "minptime=10;useinbandfec=1";

std::string connection(const SocketAddress& address) {
  return (address.family() == AF_INET6 ? "IN IP6 " : "IN IP4 ") + address.ip_text();
}

std::string session_lines(const LocalMedia& local) {
  return "v=0\r\no=- " + std::to_string(local.session_id) + " " + std::to_string(local.version) + " " +
         connection(local.rtp) + "\r\ns=-\r\nc=" + connection(local.rtp) + "\r\nt=0 0\r\n";
}

// The formats of an m= line and their attributes.
struct Formats {
  std::string list;
  std::string attributes;

  void add(int type, std::string_view name, uint32_t clock_hz, uint32_t channels, std::string_view fmtp) {
    const std::string number = std::to_string(type);
    list += " " + number;
    attributes.append("a=rtpmap:" + number + " ").append(name).append("/" + std::to_string(clock_hz));
    attributes += (channels > 1 ? "/" + std::to_string(channels) : std::string()) + "\r\n";
    if (!fmtp.empty()) attributes.append("a=fmtp:" + number + " ").append(fmtp).append("\r\n");
  }
  void add(Codec codec, int type) {
    const CodecFormat& format = format_of(codec);
    add(type, format.name, format.clock_hz, format.channels, codec == Codec::opus ? kOpusFmtp : "");
  }
  void add_events(int type, uint32_t clock_hz) { add(type, "telephone-event", clock_hz, 1, "0-15"); }
  void add_comfort_noise() { add(kComfortNoisePayloadType, "CN", 8000, 1, ""); }
};

// `attributes`: whole lines about the security of the stream.
std::string audio_lines(const LocalMedia& local, const std::string& protocol, const Formats& formats,
                        bool comfort_noise, uint32_t ptime_ms, const std::string& attributes,
                        const char* direction) {
  return "m=audio " + std::to_string(local.rtp.port()) + " " + protocol + formats.list + "\r\n" +
         formats.attributes + attributes + "a=ptime:" + std::to_string(ptime_ms) + "\r\na=maxptime:60\r\n" +
         (comfort_noise ? "" : "a=silenceSupp:off - - - -\r\n") + "a=" + direction + "\r\n";
}

const char* answer_direction(const RemoteMedia& remote) {
  if (remote.send) return remote.receive ? "sendrecv" : "sendonly";
  return remote.receive ? "recvonly" : "inactive";
}

}  // namespace

std::string write_offer(const LocalMedia& local) {
  Formats formats;
  for (const Codec codec : local.codecs)
    formats.add(codec, codec == Codec::opus ? local.types.opus : format_of(codec).payload_type);
  const auto uses_clock = [&](uint32_t clock_hz) {
    return std::any_of(local.codecs.begin(), local.codecs.end(),
                       [&](Codec codec) { return format_of(codec).clock_hz == clock_hz; });
  };
  if (local.comfort_noise) formats.add_comfort_noise();
  if (local.events && uses_clock(48000)) formats.add_events(local.types.event_48000, 48000);
  if (local.events && uses_clock(8000)) formats.add_events(local.types.event_8000, 8000);
  return session_lines(local) + audio_lines(local, offered_protocol(local.security), formats,
                                            local.comfort_noise, 20, offered_attributes(local.security),
                                            local.held ? "sendonly" : "sendrecv");
}

std::string write_answer(const LocalMedia& local, const RemoteOffer& offer) {
  const RemoteMedia& media = offer.media;
  Formats formats;
  if (!media.codecs.empty()) formats.add(media.codecs.front().codec, media.codecs.front().receive_type);
  if (media.comfort_noise) formats.add_comfort_noise();
  if (media.events.receive_type >= 0) formats.add_events(media.events.receive_type, media.events.clock_hz);
  std::string out = session_lines(local);
  for (const auto& line : offer.lines) {
    if (line.accepted) {
      out += audio_lines(
          local, line.protocol, formats, media.comfort_noise, media.ptime_ms,
          answered_attributes(local.security, media.security) + (media.rtcp_mux ? "a=rtcp-mux\r\n" : ""),
          answer_direction(media));
    } else {
      out += "m=" + line.type + " 0 " + line.protocol + " " + line.formats + "\r\n";
    }
  }
  return out;
}

}  // namespace patchbay::lib
