#include "dtls/fingerprint.h"

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <patchbay/hex.h>
#include <patchbay/text.h>

#include <array>

namespace patchbay::lib {
namespace {

struct HashInfo {
  Fingerprint::Hash hash;
  std::string_view name;
  size_t bytes;
  const EVP_MD* (*digest)();
};

constexpr std::array<HashInfo, 3> kHashes = {{{Fingerprint::Hash::sha256, "sha-256", 32, &EVP_sha256},
                                              {Fingerprint::Hash::sha384, "sha-384", 48, &EVP_sha384},
                                              {Fingerprint::Hash::sha512, "sha-512", 64, &EVP_sha512}}};

const HashInfo& info_of(Fingerprint::Hash hash) { return kHashes[static_cast<size_t>(hash)]; }

}  // namespace

Result<Fingerprint> parse_fingerprint(std::string_view text) {
  const size_t space = text.find(' ');
  if (space == std::string_view::npos) return Error{Code::invalid, "a fingerprint has a hash and its digits"};
  const std::string_view name = text.substr(0, space);
  const std::string_view digits = trim(text.substr(space));
  for (const HashInfo& info : kHashes) {
    if (!equals_ignoring_case(name, info.name)) continue;
    if (digits.size() != info.bytes * 3 - 1)
      return Error{Code::invalid, "a fingerprint has too few or too many digits"};
    Fingerprint fingerprint{info.hash, {}};
    for (size_t at = 0; at < digits.size(); at += 3) {
      const auto byte = from_hex(digits.substr(at, 2));
      if (!byte || (at + 2 < digits.size() && digits[at + 2] != ':'))
        return Error{Code::invalid, "a fingerprint has pairs of hexadecimal digits with colons between"};
      fingerprint.digest += *byte;
    }
    return fingerprint;
  }
  return Error{Code::unsupported, "the hash of a fingerprint is not sha-256, sha-384 or sha-512"};
}

std::string to_text(const Fingerprint& fingerprint) {
  std::string text(info_of(fingerprint.hash).name);
  char separator = ' ';
  for (const char byte : fingerprint.digest) {
    text += separator;
    const std::string digits = to_hex({&byte, 1});
    for (const char digit : digits) text += static_cast<char>(digit >= 'a' ? digit - 'a' + 'A' : digit);
    separator = ':';
  }
  return text;
}

Result<Fingerprint> fingerprint_of(const X509& certificate, Fingerprint::Hash hash) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (X509_digest(&certificate, info_of(hash).digest(), digest.data(), &size) != 1)
    return Error{Code::unavailable, "a certificate cannot be hashed"};
  return Fingerprint{hash, std::string(reinterpret_cast<const char*>(digest.data()), size)};
}

}  // namespace patchbay::lib
