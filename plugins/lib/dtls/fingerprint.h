// Fingerprints of certificates as in SDP (RFC 8122): "sha-256 4A:AD:...". Pure functions, any thread.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <string_view>

using X509 = struct x509_st;

namespace patchbay::lib {

struct Fingerprint {
  enum class Hash : uint8_t { sha256, sha384, sha512 };
  Hash hash = Hash::sha256;
  std::string digest;  // raw bytes

  bool operator==(const Fingerprint&) const = default;
};

// Parses the value of a=fingerprint; both parts ignore case. Code::unsupported: another hash, such as sha-1.
// Code::invalid: not a fingerprint.
Result<Fingerprint> parse_fingerprint(std::string_view text);
std::string to_text(const Fingerprint& fingerprint);

// Code::unavailable: the cryptographic library failed.
Result<Fingerprint> fingerprint_of(const X509& certificate, Fingerprint::Hash hash);

}  // namespace patchbay::lib
