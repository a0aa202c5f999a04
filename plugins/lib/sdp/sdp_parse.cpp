#include <patchbay/text.h>
#include <sofia-sip/sdp.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sdp/sdp.h"
#include "sdp/sdp_codecs.h"
#include "sdp/sdp_security.h"

namespace patchbay::lib {
namespace {

constexpr size_t kMaxBytes = 64 * 1024;
constexpr size_t kMaxLines = 1000;
constexpr std::string_view kLinesRead = "vosctma";
constexpr std::string_view kOrigin = "o=- 0 0 IN IP4 0.0.0.0";  // replaces the peer's, which we do not use
constexpr size_t kMaxMediaLines = 16;
constexpr size_t kMaxFormatsText = 256;
constexpr size_t kMaxSecurityLines = 16;  // of each attribute
constexpr unsigned kDefaultPacketMs = 20;
constexpr unsigned kMaxAskedPacketMs = 60;

struct ParserDeleter {
  void operator()(sdp_parser_t* parser) const { sdp_parser_free(parser); }
};
using Parser = std::unique_ptr<sdp_parser_t, ParserDeleter>;

// A text in the form that the parser reads.
struct Canonical {
  std::string text;
  std::vector<std::string> protocols;  // of the media lines, which are RTP/AVP in the text if they are of RTP
};
struct Parsed {
  Parser parser;
  std::vector<std::string> protocols;

  const sdp_session_t* session() const { return sdp_session(parser.get()); }
};

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

bool is_token(std::string_view text, bool with_slash) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alphanumeric(c) || std::string_view("-._+*").find(c) != std::string_view::npos ||
           (with_slash && c == '/');
  });
}

// "5004" or "5004/2"
bool is_port(std::string_view text) {
  const size_t slash = std::min(text.find('/'), text.size());
  return is_digits(text.substr(0, slash)) && (slash == text.size() || is_digits(text.substr(slash + 1)));
}

// Returns "m=<media> <port>[/<count>] <protocol> <format>..." with single spaces, or empty if the line has
// another form, because sofia-sip 1.12.11 allocates without end on a trailing space, or on a format that is
// not a token. Sets `protocol`; one of RTP becomes RTP/AVP, because of others sofia-sip reads no formats.
std::string canonical_media_line(std::string_view line, std::string& protocol) {
  std::string out = "m=";
  size_t fields = 0;
  for (size_t at = 2; at < line.size();) {
    const size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view field = line.substr(at, end - at);
    at = end + 1;
    if (field.empty()) continue;
    if (fields == 1 ? !is_port(field) : !is_token(field, fields == 2)) return {};
    if (fields > 0) out += ' ';
    if (fields == 2) protocol = field;
    out += fields == 2 && is_rtp_protocol(field) ? std::string_view("RTP/AVP") : field;
    ++fields;
  }
  return fields >= 4 ? out : std::string();
}

// Removes the TTL of a unicast address ("c=IN IP4 192.0.2.1/127"), which must not have one: the parser
// refuses it.
std::string_view without_ttl(std::string_view line) {
  const size_t slash = line.find('/');
  const size_t begin = line.rfind(' ', slash);
  if (slash == std::string_view::npos || begin == std::string_view::npos) return line;
  const auto address = SocketAddress::parse(std::string(line.substr(begin + 1, slash - begin - 1)), 0);
  if (!address) return line;
  sockaddr_storage storage;
  address->fill(storage);
  const bool multicast =
      address->family() == AF_INET
          ? IN_MULTICAST(ntohl(reinterpret_cast<const sockaddr_in&>(storage).sin_addr.s_addr))
          : IN6_IS_ADDR_MULTICAST(&reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr);
  return multicast ? line : line.substr(0, slash);
}

// Keeps only the lines that we use, because the parser fails on errors in others.
Result<Canonical> canonical(std::string_view text) {
  if (text.empty() || text.size() > kMaxBytes) return {Code::invalid, "SDP is empty or larger than 64 KiB"};
  Canonical out;
  size_t lines = 0;
  while (!text.empty()) {
    const size_t size = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (++lines > kMaxLines) return {Code::invalid, "SDP of too many lines"};
    if (line.size() < 2 || line[1] != '=' || line.find('\0') != std::string_view::npos)
      return {Code::invalid, "SDP with a bad line"};
    if (kLinesRead.find(line[0]) == std::string_view::npos) continue;
    std::string protocol;
    const std::string media = line[0] == 'm' ? canonical_media_line(line, protocol) : std::string();
    if (line[0] == 'm' && media.empty()) return {Code::invalid, "SDP with a bad media line"};
    if (line[0] == 'm') out.protocols.push_back(std::move(protocol));
    if (line[0] == 'o') line = kOrigin;
    if (line[0] == 'c') line = without_ttl(line);
    out.text.append(line[0] == 'm' ? media : line).append("\r\n");
  }
  return out;
}

Result<Parsed> parse(std::string_view text) {
  PB_TRY_VALUE(Canonical clean, canonical(text));
  Parser parser(
      sdp_parse(nullptr, clean.text.data(), static_cast<issize_t>(clean.text.size()), sdp_f_mode_0000));
  if (!parser || sdp_session(parser.get()) == nullptr) {
    const char* reason = parser ? sdp_parsing_error(parser.get()) : nullptr;
    return {Code::invalid, std::string("SDP: ") + (reason != nullptr ? reason : "out of memory")};
  }
  size_t lines = 0;
  for (const sdp_media_t* line = sdp_session(parser.get())->sdp_media; line != nullptr; line = line->m_next)
    ++lines;
  if (lines != clean.protocols.size()) return {Code::invalid, "SDP with a bad media line"};
  return Parsed{std::move(parser), std::move(clean.protocols)};
}

// Returns a length in milliseconds, or nullopt if the line has none.
std::optional<unsigned> read_length(const sdp_media_t* line, const char* name) {
  const sdp_attribute_t* attribute = sdp_attribute_find(line->m_attributes, name);
  if (attribute == nullptr || attribute->a_value == nullptr) return std::nullopt;
  return number(attribute->a_value);
}

// "a=rtcp:53020" or "a=rtcp:53020 IN IP4 126.16.64.4" (RFC 3605).
SocketAddress read_rtcp(const sdp_media_t* line, const SocketAddress& rtp) {
  const sdp_attribute_t* attribute = sdp_attribute_find(line->m_attributes, "rtcp");
  const auto next = rtp.with_port(rtp.port() == 65535 ? uint16_t{0} : static_cast<uint16_t>(rtp.port() + 1));
  if (attribute == nullptr || attribute->a_value == nullptr) return next;
  const std::string_view value = attribute->a_value;
  const auto port = number(value);
  if (!port || *port == 0 || *port > 65535) return next;
  const size_t space = value.rfind(' ');
  if (space != std::string_view::npos) {
    auto address = SocketAddress::parse(std::string(value.substr(space + 1)), static_cast<uint16_t>(*port));
    // Ignored otherwise, because RTCP to a third host would make this server a reflector.
    if (address && address->same_ip(rtp)) return *address;
  }
  return rtp.with_port(static_cast<uint16_t>(*port));
}

void read_attributes(const sdp_media_t* line, RemoteMedia& out) {
  out.rtcp = read_rtcp(line, out.rtp);
  out.rtcp_mux = sdp_attribute_find(line->m_attributes, "rtcp-mux") != nullptr;
  if (out.rtcp_mux) out.rtcp = out.rtp;
  const unsigned wanted = read_length(line, "ptime").value_or(kDefaultPacketMs);
  const unsigned greatest = read_length(line, "maxptime").value_or(kMaxAskedPacketMs);
  out.ptime_ms = packet_ms(out.codecs.front().codec, std::min(wanted, greatest));
  // The attribute describes the peer's view: what it sends, we receive.
  out.send = (line->m_mode & sdp_recvonly) != 0 && !out.rtp.is_unspecified();
  out.receive = (line->m_mode & sdp_sendonly) != 0;
}

// The fingerprint and setup may also be those of the session (RFC 5763 section 5).
SecurityAttributes read_security(const sdp_media_t* line) {
  SecurityAttributes out;
  const auto read = [&out](const sdp_attribute_t* attribute) {
    for (; attribute != nullptr; attribute = attribute->a_next) {
      if (attribute->a_name == nullptr || attribute->a_value == nullptr) continue;
      const std::string_view name = attribute->a_name, value = attribute->a_value;
      if (name == "crypto" && out.crypto.size() < kMaxSecurityLines) out.crypto.push_back(value);
      if (name == "fingerprint" && out.fingerprints.size() < kMaxSecurityLines)
        out.fingerprints.push_back(value);
      if (name == "setup" && out.setup.empty()) out.setup = value;
    }
  };
  read(line->m_attributes);
  const std::vector<std::string_view> crypto = out.crypto;
  if (line->m_session != nullptr) read(line->m_session->sdp_attributes);
  out.crypto = crypto;  // which is of media lines only
  return out;
}

// `offered_types`: of an offer; null for an answer.
Result<RemoteMedia> read_line(const LocalMedia& local, const sdp_media_t* line, const std::string& protocol,
                              const AgreedSecurity& previous, PayloadTypes* offered_types) {
  RemoteMedia out;
  if (line->m_type != sdp_media_audio) return {Code::unsupported, "the SDP has no audio line"};
  if (line->m_rejected != 0 || line->m_port == 0) return {Code::unsupported, "the peer refuses audio"};
  if (!is_rtp_protocol(protocol)) return {Code::unsupported, "the audio is not RTP"};
  if (line->m_port > 65535) return {Code::invalid, "SDP with an impossible port"};
  if (!(offered_types != nullptr ? read_offered_codecs(local, line, out, *offered_types)
                                 : read_answered_codecs(local, line, out)))
    return {Code::unsupported, "no codec in common"};
  const auto read = offered_types != nullptr ? read_offered_security : read_answered_security;
  PB_TRY_VALUE(out.security, read(local.security, protocol, read_security(line), previous));
  out.security.protocol = protocol;
  const sdp_connection_t* connection = sdp_media_connections(line);
  if (connection == nullptr || connection->c_mcast || connection->c_address == nullptr)
    return {Code::invalid, "SDP without a unicast address"};
  auto address = SocketAddress::parse(connection->c_address, static_cast<uint16_t>(line->m_port));
  if (!address) return std::move(address).error().within("SDP");
  if (address->family() != local.rtp.family())
    return {Code::unsupported, "the peer's address family is not ours"};
  out.rtp = *address;
  read_attributes(line, out);
  return out;
}

// Returns the peer's token without blanks and control characters, which could start a new line.
std::string token(const char* text) {
  std::string out;
  for (const char* c = text; c != nullptr && *c != '\0' && out.size() < 64; ++c)
    if (*c > ' ' && *c < 0x7F) out.push_back(*c);
  return out.empty() ? "x" : out;
}

OfferedLine repeat(const sdp_media_t* line, const std::string& protocol) {
  OfferedLine out;
  out.type = token(line->m_type_name);
  out.protocol = token(protocol.c_str());
  const auto add = [&out](const std::string& format) {
    if (out.formats.size() < kMaxFormatsText) out.formats += (out.formats.empty() ? "" : " ") + format;
  };
  for (const sdp_rtpmap_t* map = line->m_rtpmaps; map != nullptr; map = map->rm_next)
    add(std::to_string(static_cast<unsigned>(map->rm_pt)));
  for (const sdp_list_t* format = line->m_format; format != nullptr; format = format->l_next)
    add(token(format->l_text));
  if (out.formats.empty()) out.formats = "0";
  return out;
}

}  // namespace

Result<RemoteMedia> parse_answer(const LocalMedia& offer, std::string_view text,
                                 const AgreedSecurity& previous) {
  PB_TRY_VALUE(const Parsed parsed, parse(text));
  // An answer repeats the lines of the offer in their order, and our offer has one.
  const sdp_media_t* line = parsed.session()->sdp_media;
  if (line == nullptr) return {Code::unsupported, "the SDP has no audio line"};
  return read_line(offer, line, parsed.protocols.front(), previous, nullptr);
}

Result<RemoteOffer> parse_offer(const LocalMedia& local, std::string_view text,
                                const AgreedSecurity& previous) {
  PB_TRY_VALUE(const Parsed parsed, parse(text));
  RemoteOffer out;
  out.types = local.types;
  Error refused{Code::unsupported, "the SDP has no audio line"};
  bool accepted = false;
  for (const sdp_media_t* line = parsed.session()->sdp_media; line != nullptr; line = line->m_next) {
    if (out.lines.size() == kMaxMediaLines) return {Code::invalid, "SDP of too many media lines"};
    const std::string& protocol = parsed.protocols[out.lines.size()];
    out.lines.push_back(repeat(line, protocol));
    if (accepted || line->m_type != sdp_media_audio) continue;
    auto media = read_line(local, line, protocol, previous, &out.types);
    if (!media) {
      refused = std::move(media).error();
      continue;
    }
    out.media = *std::move(media);
    out.lines.back().accepted = accepted = true;
  }
  if (!accepted) return refused;
  return out;
}

}  // namespace patchbay::lib
