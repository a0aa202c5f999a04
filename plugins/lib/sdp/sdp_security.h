// How an audio stream is encrypted, in SDP: keys in the SDP itself (SDES, RFC 4568), or keys from a DTLS
// handshake (RFC 5763). Pure functions, any thread.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dtls/fingerprint.h"
#include "srtp/master_key.h"

namespace patchbay::lib {

enum class SrtpPolicy : uint8_t {
  off,
  optional,  // best effort: RTP/AVP with the attributes of SRTP (RFC 8643)
  required,
};

// How we offer SRTP; both kinds are accepted in offers of the peer.
enum class SrtpKeying : uint8_t { sdes, dtls };

// One a=crypto line. Its key is a secret: the text must not be logged.
struct CryptoLine {
  uint32_t tag = 1;
  MasterKey key;
};

// Parses the value of a=crypto, without the name. Code::unsupported: a suite, MKI or parameter that we do not
// have, so that another line may be used. Code::invalid: not such a line.
Result<CryptoLine> parse_crypto(std::string_view value);
// "1 AES_CM_128_HMAC_SHA1_80 inline:..."
std::string to_text(const CryptoLine& line);

enum class DtlsSetup : uint8_t { actpass, active, passive };
// Nullopt: another value, such as holdconn.
std::optional<DtlsSetup> parse_setup(std::string_view value);
const char* to_text(DtlsSetup setup);

// What we offer and accept.
struct LocalSecurity {
  SrtpPolicy policy = SrtpPolicy::off;
  SrtpKeying keying = SrtpKeying::sdes;
  std::vector<CryptoLine>
      offered_keys;         // what we send with, if the peer chooses the line; in order of preference
  Fingerprint fingerprint;  // of our certificate
  // Of our offers; empty: chosen by policy and keying. Offers within a call repeat the agreed protocol.
  std::string protocol{};
};

// What both sides agreed on. `is_sdes` and `is_dtls` are never both set; neither: RTP in the clear.
struct AgreedSecurity {
  bool is_sdes = false;
  bool is_dtls = false;
  std::optional<CryptoLine> sent;         // SDES: our key
  std::optional<CryptoLine> received;     // SDES: the peer's key
  std::vector<Fingerprint> fingerprints;  // DTLS: of the peer
  std::string protocol{};                 // of the media line
  DtlsSetup setup = DtlsSetup::active;    // DTLS: our role

  bool is_secure() const noexcept { return is_sdes || is_dtls; }
};

// A media line's attributes about security, as the peer sends them.
struct SecurityAttributes {
  std::vector<std::string_view> crypto;
  std::vector<std::string_view> fingerprints;
  std::string_view setup;
};

// Makes later offers those of the same security: its kind, its protocol and our key.
void keep_agreed(LocalSecurity& local, const AgreedSecurity& agreed);
// Replaces the offered key by a new one if it is `used`: a key that has encrypted packets and whose indices
// are forgotten, because an index must never be used twice. Otherwise a no-op.
void replace_used_key(LocalSecurity& local, const MasterKey& used);

// The protocol of our offer's media line: "RTP/AVP", "RTP/SAVP", "UDP/TLS/RTP/SAVP".
std::string offered_protocol(const LocalSecurity& local);
// Attribute lines of our offer.
std::string offered_attributes(const LocalSecurity& local);

// Whether sofia-sip must read a media line of this protocol as RTP/AVP.
bool is_rtp_protocol(std::string_view protocol);

// Decides from an answer to our offer. `previous`: what was agreed on before, whose role in DTLS we keep if
// the peer leaves it to us. Code::unsupported: the peer does not do what we require.
Result<AgreedSecurity> read_answered_security(const LocalSecurity& local, std::string_view protocol,
                                              const SecurityAttributes& peer,
                                              const AgreedSecurity& previous = {});
// Decides from an offer, likewise. For SDES makes our key, unless `previous` has one for the same suite.
Result<AgreedSecurity> read_offered_security(const LocalSecurity& local, std::string_view protocol,
                                             const SecurityAttributes& peer, const AgreedSecurity& previous);
// Attribute lines of our answer to that offer.
std::string answered_attributes(const LocalSecurity& local, const AgreedSecurity& agreed);

}  // namespace patchbay::lib
