#include "sdp/sdp_security.h"

#include <patchbay/text.h>

#include <algorithm>
#include <array>
#include <utility>

namespace patchbay::lib {
namespace {

struct RtpProtocol {
  std::string_view name;
  bool is_secure;
  bool is_dtls;
};
constexpr std::array<RtpProtocol, 6> kRtpProtocols = {{{"RTP/AVP", false, false},
                                                       {"RTP/AVPF", false, false},
                                                       {"RTP/SAVP", true, false},
                                                       {"RTP/SAVPF", true, false},
                                                       {"UDP/TLS/RTP/SAVP", true, true},
                                                       {"UDP/TLS/RTP/SAVPF", true, true}}};

const RtpProtocol* protocol_named(std::string_view name) {
  for (const RtpProtocol& one : kRtpProtocols)
    if (equals_ignoring_case(one.name, name)) return &one;
  return nullptr;
}

std::vector<Fingerprint> usable_fingerprints(const SecurityAttributes& peer) {
  std::vector<Fingerprint> usable;
  for (const std::string_view text : peer.fingerprints)
    if (auto fingerprint = parse_fingerprint(text)) usable.push_back(*std::move(fingerprint));
  return usable;
}

// Sets DTLS with the role that the peer leaves to us: the one before, because another role would need a new
// handshake (RFC 5763 section 6.6); otherwise the client's. In an answer actpass is wrong, and means the
// same.
Result<AgreedSecurity> agree_on_dtls(const SecurityAttributes& peer, const AgreedSecurity& previous) {
  AgreedSecurity agreed;
  agreed.is_dtls = true;
  agreed.fingerprints = usable_fingerprints(peer);
  const auto setup = peer.setup.empty() ? DtlsSetup::actpass : parse_setup(peer.setup);
  if (!setup) return Error{Code::unsupported, "the peer's a=setup is not supported"};
  agreed.setup = *setup == DtlsSetup::active ? DtlsSetup::passive : DtlsSetup::active;
  const bool is_same_peer = previous.is_dtls && previous.fingerprints == agreed.fingerprints;
  if (*setup == DtlsSetup::actpass && is_same_peer) agreed.setup = previous.setup;
  return agreed;
}

Error in_the_clear() {
  return {Code::unsupported, "the peer does not encrypt the audio, and srtp is required"};
}

}  // namespace

bool is_rtp_protocol(std::string_view protocol) { return protocol_named(protocol) != nullptr; }

std::optional<DtlsSetup> parse_setup(std::string_view value) {
  for (const DtlsSetup setup : {DtlsSetup::actpass, DtlsSetup::active, DtlsSetup::passive})
    if (equals_ignoring_case(trim(value), to_text(setup))) return setup;
  return std::nullopt;
}

const char* to_text(DtlsSetup setup) {
  switch (setup) {
    case DtlsSetup::active:
      return "active";
    case DtlsSetup::passive:
      return "passive";
    case DtlsSetup::actpass:
      break;
  }
  return "actpass";
}

void keep_agreed(LocalSecurity& local, const AgreedSecurity& agreed) {
  if (!agreed.is_secure()) return;
  local.protocol = agreed.protocol;
  local.keying = agreed.is_dtls ? SrtpKeying::dtls : SrtpKeying::sdes;
  if (!agreed.is_sdes) return;
  uint32_t tag = 0;
  for (CryptoLine& line : local.offered_keys) {
    tag = std::max(tag, line.tag);
    if (line.key.profile() != agreed.sent->key.profile()) continue;
    line.key = agreed.sent->key;
    return;
  }
  local.offered_keys.push_back({tag + 1, agreed.sent->key});
}

void replace_used_key(LocalSecurity& local, const MasterKey& used) {
  auto& lines = local.offered_keys;
  const auto line =
      std::find_if(lines.begin(), lines.end(), [&](const CryptoLine& one) { return one.key == used; });
  if (line == lines.end()) return;
  const auto fresh = MasterKey::random(used.profile());
  if (fresh)
    line->key = *fresh;
  else
    lines.erase(line);
}

std::string offered_protocol(const LocalSecurity& local) {
  if (!local.protocol.empty()) return local.protocol;
  if (local.policy != SrtpPolicy::required) return "RTP/AVP";
  return local.keying == SrtpKeying::sdes ? "RTP/SAVP" : "UDP/TLS/RTP/SAVP";
}

std::string offered_attributes(const LocalSecurity& local) {
  std::string out;
  if (local.policy == SrtpPolicy::off) return out;
  if (local.keying == SrtpKeying::dtls)
    return "a=fingerprint:" + to_text(local.fingerprint) + "\r\na=setup:actpass\r\na=rtcp-mux\r\n";
  for (const CryptoLine& line : local.offered_keys) out += "a=crypto:" + to_text(line) + "\r\n";
  return out;
}

Result<AgreedSecurity> read_answered_security(const LocalSecurity& local, std::string_view protocol,
                                              const SecurityAttributes& peer,
                                              const AgreedSecurity& previous) {
  const RtpProtocol* const known = protocol_named(protocol);
  if (known == nullptr) return Error{Code::unsupported, "the audio is not RTP"};
  if (local.policy == SrtpPolicy::off) {
    if (known->is_secure) return Error{Code::unsupported, "the peer encrypts the audio, and srtp is off"};
    return AgreedSecurity{};
  }
  if (local.keying == SrtpKeying::dtls) {
    if (!usable_fingerprints(peer).empty()) return agree_on_dtls(peer, previous);
  } else {
    for (const std::string_view text : peer.crypto) {
      auto chosen = parse_crypto(text);
      if (!chosen) continue;
      // The tag and suite of one of our lines; others would mean that the peer did not read our offer.
      for (const CryptoLine& ours : local.offered_keys)
        if (ours.tag == chosen->tag && ours.key.profile() == chosen->key.profile()) {
          AgreedSecurity agreed;
          agreed.is_sdes = true;
          agreed.sent = ours;
          agreed.received = *std::move(chosen);
          return agreed;
        }
    }
  }
  if (local.policy == SrtpPolicy::required || known->is_secure) return in_the_clear();
  return AgreedSecurity{};
}

Result<AgreedSecurity> read_offered_security(const LocalSecurity& local, std::string_view protocol,
                                             const SecurityAttributes& peer, const AgreedSecurity& previous) {
  const RtpProtocol* const known = protocol_named(protocol);
  if (known == nullptr) return Error{Code::unsupported, "the audio is not RTP"};
  if (local.policy == SrtpPolicy::off) {
    if (known->is_secure) return Error{Code::unsupported, "the peer encrypts the audio, and srtp is off"};
    return AgreedSecurity{};
  }
  for (const std::string_view text : known->is_dtls ? std::vector<std::string_view>() : peer.crypto) {
    auto theirs = parse_crypto(text);
    if (!theirs) continue;
    const SrtpProfile profile = theirs->key.profile();
    AgreedSecurity agreed;
    agreed.is_sdes = true;
    // The same key as before, so that packets under way stay valid and no index is used twice.
    if (previous.sent && previous.sent->key.profile() == profile) {
      agreed.sent = CryptoLine{theirs->tag, previous.sent->key};
    } else {
      PB_TRY_VALUE(const MasterKey key, MasterKey::random(profile));
      agreed.sent = CryptoLine{theirs->tag, key};
    }
    agreed.received = *std::move(theirs);
    return agreed;
  }
  if (!usable_fingerprints(peer).empty()) return agree_on_dtls(peer, previous);
  if (known->is_secure) return Error{Code::unsupported, "no way to encrypt the audio in common"};
  if (local.policy == SrtpPolicy::required) return in_the_clear();
  return AgreedSecurity{};
}

std::string answered_attributes(const LocalSecurity& local, const AgreedSecurity& agreed) {
  if (agreed.is_sdes) return "a=crypto:" + to_text(*agreed.sent) + "\r\n";
  if (!agreed.is_dtls) return {};
  return "a=fingerprint:" + to_text(local.fingerprint) + "\r\na=setup:" + to_text(agreed.setup) + "\r\n";
}

}  // namespace patchbay::lib
