#include "sdp/sdp_codecs.h"

#include <patchbay/text.h>
#include <sofia-sip/sdp.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "rtp/payload_type.h"

namespace patchbay::lib {
namespace {

std::string_view view(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

bool is_dynamic(const sdp_rtpmap_t* map) { return map->rm_pt >= kMinDynamicPayloadType; }

// A static payload type must have its own meaning. G722 with the clock 16000 is a common mistake.
bool matches(const sdp_rtpmap_t* map, Codec codec) {
  const CodecFormat& format = format_of(codec);
  if (!equals_ignoring_case(view(map->rm_encoding), format.name)) return false;
  if (!is_dynamic(map) && static_cast<int>(map->rm_pt) != format.payload_type) return false;
  return map->rm_rate == format.clock_hz || (codec == Codec::g722 && map->rm_rate == format.rate_hz);
}

std::optional<CommonCodec> read_codec(const LocalMedia& local, const sdp_rtpmap_t* map) {
  for (const Codec codec : local.codecs) {
    if (!matches(map, codec)) continue;
    CommonCodec common;
    common.codec = codec;
    common.send_type = common.receive_type = static_cast<int>(map->rm_pt);
    if (codec == Codec::opus) common.opus = read_opus_fmtp(view(map->rm_fmtp));
    return common;
  }
  return std::nullopt;
}

// Prefers the telephone-event of the clock of the codec that is sent (RFC 4733 section 2.1).
CommonEvents read_events(const sdp_media_t* line, Codec codec) {
  CommonEvents events;
  for (const sdp_rtpmap_t* map = line->m_rtpmaps; map != nullptr; map = map->rm_next) {
    if (!is_dynamic(map) || !equals_ignoring_case(view(map->rm_encoding), "telephone-event")) continue;
    if (map->rm_rate != 8000 && map->rm_rate != 48000) continue;
    const bool is_of_codec = map->rm_rate == format_of(codec).clock_hz;
    if (events.send_type >= 0 && !is_of_codec) continue;
    events = {static_cast<int>(map->rm_pt), static_cast<int>(map->rm_pt),
              static_cast<uint32_t>(map->rm_rate)};
    if (is_of_codec) break;
  }
  return events;
}

// CN has the clock 8000 (RFC 3389 section 4), so it goes with codecs of 8 kHz only.
bool has_comfort_noise(const sdp_media_t* line, Codec codec) {
  if (format_of(codec).rate_hz != 8000) return false;
  for (const sdp_rtpmap_t* map = line->m_rtpmaps; map != nullptr; map = map->rm_next)
    if (map->rm_pt == kComfortNoisePayloadType && equals_ignoring_case(view(map->rm_encoding), "CN"))
      return true;
  return false;
}

int own_type(const PayloadTypes& types, Codec codec) {
  return codec == Codec::opus ? types.opus : format_of(codec).payload_type;
}

// Assigns `type` to a member, and a free type to the member that had `type` before.
void adopt(PayloadTypes& types, int PayloadTypes::*which, int type) {
  constexpr int PayloadTypes::*kMembers[] = {&PayloadTypes::opus, &PayloadTypes::event_8000,
                                             &PayloadTypes::event_48000};
  const int previous = std::exchange(types.*which, type);
  for (const auto member : kMembers)
    if (member != which && types.*member == type) types.*member = previous;
}

}  // namespace

OpusOptions read_opus_fmtp(std::string_view fmtp) {
  OpusOptions options;
  options.fec = false;  // the default of the RFC
  while (!fmtp.empty()) {
    const size_t end = std::min(fmtp.find(';'), fmtp.size());
    const std::string_view one = trim(fmtp.substr(0, end));
    fmtp.remove_prefix(std::min(end + 1, fmtp.size()));
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = trim(one.substr(0, equals));
    const std::string_view value = trim(one.substr(equals + 1));
    uint32_t number = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc{}) continue;
    if (equals_ignoring_case(name, "useinbandfec")) options.fec = number == 1;
    if (equals_ignoring_case(name, "cbr")) options.constant_bit_rate = number == 1;
    if (equals_ignoring_case(name, "maxaveragebitrate")) options.max_bit_rate = number;
    if (equals_ignoring_case(name, "maxplaybackrate")) options.max_playback_hz = number;
  }
  return options;
}

bool read_answered_codecs(const LocalMedia& local, const sdp_media_t* line, RemoteMedia& out) {
  for (const sdp_rtpmap_t* map = line->m_rtpmaps; map != nullptr; map = map->rm_next) {
    auto common = read_codec(local, map);
    const auto is_same = [&](const CommonCodec& other) { return other.codec == common->codec; };
    if (!common || std::any_of(out.codecs.begin(), out.codecs.end(), is_same)) continue;
    // Our offer says what the peer sends, and its answer what we send.
    common->receive_type = own_type(local.types, common->codec);
    out.codecs.push_back(*common);
  }
  if (out.codecs.empty()) return false;
  const Codec codec = out.codecs.front().codec;
  if (local.events) out.events = read_events(line, codec);
  if (out.events.send_type >= 0)
    out.events.receive_type = out.events.clock_hz == 8000 ? local.types.event_8000 : local.types.event_48000;
  out.comfort_noise = local.comfort_noise && has_comfort_noise(line, codec);
  return true;
}

bool read_offered_codecs(const LocalMedia& local, const sdp_media_t* line, RemoteMedia& out,
                         PayloadTypes& types) {
  std::optional<CommonCodec> best;
  const auto rank = [&](Codec codec) { return std::find(local.codecs.begin(), local.codecs.end(), codec); };
  for (const sdp_rtpmap_t* map = line->m_rtpmaps; map != nullptr; map = map->rm_next) {
    const auto common = read_codec(local, map);
    if (common && (!best || rank(common->codec) < rank(best->codec))) best = common;
  }
  if (!best) return false;
  out.codecs = {*best};
  if (best->codec == Codec::opus) adopt(types, &PayloadTypes::opus, best->send_type);
  if (local.events) out.events = read_events(line, best->codec);
  if (out.events.send_type >= 0)
    adopt(types, out.events.clock_hz == 8000 ? &PayloadTypes::event_8000 : &PayloadTypes::event_48000,
          out.events.send_type);
  out.comfort_noise = local.comfort_noise && has_comfort_noise(line, best->codec);
  return true;
}

}  // namespace patchbay::lib
