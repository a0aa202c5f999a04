// Reads and checks the digest credentials of a telephone (RFC 7616, RFC 8760). All that they contain is
// untrusted. Pure functions, any thread.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace patchbay::sip_trunk {

struct DigestCredentials {
  std::string username;
  std::string realm;
  std::string nonce;
  std::string uri;
  std::string response;           // lower-case hexadecimal
  std::string algorithm = "MD5";  // or "SHA-256"
  std::string cnonce;
  std::string nc;      // 8 hexadecimal digits
  uint32_t count = 0;  // the value of nc
};

// Parses the value of an Authorization header: Digest with qop=auth, MD5 or SHA-256. Code::unsupported:
// another scheme, algorithm or qop. Code::invalid: malformed, or a parameter is missing or comes twice.
Result<DigestCredentials> parse_digest_credentials(std::string_view value);

// Returns whether the response was computed with the password that `ha1` (lower-case hexadecimal) belongs to,
// for a request with this method. Compares in constant time.
bool proves(const DigestCredentials& credentials, std::string_view method, std::string_view ha1);

// Returns the host of a SIP URI in lower case, without port and brackets; empty if it is no SIP URI.
std::string host_of_sip_uri(std::string_view uri);

}  // namespace patchbay::sip_trunk
