#include "read_trunk.h"

#include <patchbay/text.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "rtp/address.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

// Reads "name", "name:port", "192.0.2.1:5080", "2001:db8::1" or "[2001:db8::1]:5080".
Result<TrunkHost> read_host(const std::string& text) {
  TrunkHost host;
  const bool is_bare_v6 = lib::SocketAddress::parse(text, 0).ok();
  const size_t colon = is_bare_v6 ? std::string::npos : text.rfind(':');
  const bool has_port = colon != std::string::npos && text.find(']', colon) == std::string::npos;
  host.name = has_port ? text.substr(0, colon) : text;
  if (host.name.size() > 2 && host.name.front() == '[' && host.name.back() == ']')
    host.name = host.name.substr(1, host.name.size() - 2);
  const std::string port = has_port ? text.substr(colon + 1) : "";
  const bool are_digits = port.size() <= 5 && std::all_of(port.begin(), port.end(), is_digit);
  const long number = are_digits && !port.empty() ? std::stol(port) : 0;
  if (host.name.empty() || host.name.find(':') == 0 || (has_port && (number < 1 || number > 65535)))
    return {Code::invalid, "must be a host with an optional port, such as sip2.carrier.example:5080"};
  host.port = static_cast<uint16_t>(number);
  return host;
}

Result<TrunkMedia> read_media(JsonView entry) {
  PB_TRY_VALUE(TrunkMedia media, read_codecs(entry["codecs"]));
  media.suppress_silence = entry["silenceSuppression"].boolean();
  if (media.suppress_silence && !media.comfort_noise)
    return {Code::invalid,
            "silenceSuppression needs CN in codecs, for example [\"PCMA\", \"CN\", \"telephone-event\"]"};
  return media;
}

}  // namespace

Result<TrunkMedia> read_codecs(JsonView names) {
  TrunkMedia media;
  media.codecs.clear();
  media.events = false;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names.at(i).text();
    const auto codec = lib::codec_named(name);
    if (codec && std::find(media.codecs.begin(), media.codecs.end(), *codec) == media.codecs.end())
      media.codecs.push_back(*codec);
    media.events = media.events || name == "telephone-event";
    media.comfort_noise = media.comfort_noise || name == "CN";
  }
  if (media.codecs.empty())
    return {Code::invalid,
            "codecs: at least one of opus, G722, PCMA and PCMU, for example [\"PCMA\", \"telephone-event\"]"};
  return media;
}

void read_encryption(JsonView entry, TrunkAccess& access) {
  const std::string_view srtp = entry["srtp"].text();
  access.srtp = srtp == "required"   ? lib::SrtpPolicy::required
                : srtp == "optional" ? lib::SrtpPolicy::optional
                                     : lib::SrtpPolicy::off;
  access.srtp_keying = entry["srtpKeys"].text() == "dtls" ? lib::SrtpKeying::dtls : lib::SrtpKeying::sdes;
}

Result<TrunkAccess> read_trunk(JsonView entry) {
  TrunkAccess trunk;
  trunk.host = entry.text("host", "");
  trunk.port = static_cast<uint16_t>(entry.integer("port", 0));
  const std::string_view transport = entry["transport"].text();
  trunk.transport = transport == "tcp"   ? Transport::tcp
                    : transport == "tls" ? Transport::tls
                                         : Transport::udp;
  trunk.is_transport_open = transport == "auto";
  trunk.probe_sec = entry["probeSec"].integer();
  trunk.session_sec = entry["sessionTimerSec"].integer();
  if (trunk.session_sec != 0 && trunk.session_sec < kMinSessionSec)
    return {Code::invalid, "sessionTimerSec must be 0 or 90 to 86400, such as 1800"};
  trunk.offers_100rel = entry["reliableRinging"].text() == "on";
  const JsonView others = entry["otherHosts"];
  for (size_t i = 0; i < others.size(); ++i) {
    auto host = read_host(std::string(others.at(i).text()));
    if (!host) return std::move(host).error().within("otherHosts[" + std::to_string(i) + "]");
    trunk.other_hosts.push_back(*std::move(host));
  }
  trunk.username = entry.text("username", "");
  trunk.password = entry.text("password", "");
  trunk.realm = entry.text("realm", "");
  trunk.from_domain = entry.text("fromDomain", "");
  trunk.caller_id = entry.text("callerId", "");
  trunk.asserted_id = entry.text("assertedId", "");
  trunk.accepts_refer = entry.text("acceptRefer", "off") == "on";
  trunk.hides_caller = entry["hideCallerId"].boolean();
  trunk.registers = entry["register"].boolean();
  trunk.register_sec = entry["registerSec"].integer();
  const JsonView sources = entry["sources"];
  for (size_t i = 0; i < sources.size(); ++i) {
    auto range = AddressRange::parse(std::string(sources.at(i).text()));
    if (!range) return std::move(range).error().within("sources[" + std::to_string(i) + "]");
    trunk.sources.push_back(*std::move(range));
  }
  if (trunk.registers && trunk.username.empty())
    return {Code::invalid, "username is missing: register needs the user that the trunk knows"};
  read_encryption(entry, trunk);
  trunk.tls_files = {std::string(entry.text("tlsCert", "")), std::string(entry.text("tlsKey", "")),
                     std::string(entry.text("tlsCaFile", ""))};
  if (trunk.tls_files.certificate.empty() != trunk.tls_files.key.empty())
    return {Code::invalid, "tlsCert and tlsKey: set both or none"};
  if (trunk.tls_files != TrunkTlsFiles{} && trunk.transport != Transport::tls)
    return {Code::invalid, "tlsCert, tlsKey and tlsCaFile need transport: tls"};
  trunk.limit = {entry["callsPerSecond"].number(), entry["maxCalls"].integer()};
  PB_TRY_VALUE(trunk.media, read_media(entry));
  if (!trunk.username.empty() && trunk.realm.empty())
    return {Code::invalid,
            "realm is missing: name the realm that the trunk's challenges carry (your provider's "
            "documentation or a refused call's log has it), since the password is used for no other"};
  return trunk;
}

}  // namespace patchbay::sip_trunk
