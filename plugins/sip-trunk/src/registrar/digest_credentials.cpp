#include "registrar/digest_credentials.h"

#include <openssl/evp.h>
#include <patchbay/hex.h>
#include <patchbay/text.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "crypto/digest.h"
#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {
namespace {

constexpr size_t kMd5Digits = 32, kSha256Digits = 64, kCountDigits = 8;

// One "name=value" after the other, separated by commas; values are tokens or quoted strings.
class ParameterReader {
 public:
  explicit ParameterReader(std::string_view text) : rest_(text) {}

  bool at_end() {
    while (!rest_.empty() && (is_blank(rest_.front()) || rest_.front() == ',')) rest_.remove_prefix(1);
    return rest_.empty();
  }
  // False: malformed.
  bool next(std::string& name, std::string& value) {
    const size_t equals = rest_.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    name = to_lower(trim(rest_.substr(0, equals)));
    rest_.remove_prefix(equals + 1);
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    value.clear();
    const bool is_complete = !rest_.empty() && rest_.front() == '"' ? read_quoted(value) : read_token(value);
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    return is_complete && (rest_.empty() || rest_.front() == ',');
  }

 private:
  bool read_quoted(std::string& value) {
    for (rest_.remove_prefix(1); !rest_.empty(); rest_.remove_prefix(1)) {
      char c = rest_.front();
      if (c == '"') {
        rest_.remove_prefix(1);
        return true;
      }
      if (c == '\\') {
        rest_.remove_prefix(1);
        if (rest_.empty()) return false;
        c = rest_.front();
      }
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
      value += c;
    }
    return false;
  }
  bool read_token(std::string& value) {
    while (!rest_.empty() && rest_.front() != ',' && !is_blank(rest_.front())) {
      if (rest_.front() == '"' || static_cast<unsigned char>(rest_.front()) <= 0x20) return false;
      value += rest_.front();
      rest_.remove_prefix(1);
    }
    return !value.empty();
  }

  std::string_view rest_;
};

bool is_lower_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::string hash_hex(const std::string& algorithm, const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  const EVP_MD* kind = algorithm == "MD5" ? EVP_md5() : EVP_sha256();
  if (EVP_Digest(text.data(), text.size(), digest, &size, kind, nullptr) != 1) return {};
  return to_hex({reinterpret_cast<const char*>(digest), size});
}

Status check(DigestCredentials& found, const std::string& qop) {
  if (qop.empty() || !equals_ignoring_case(qop, "auth")) return {Code::unsupported, "qop must be auth"};
  if (equals_ignoring_case(found.algorithm, "MD5")) {
    found.algorithm = "MD5";
  } else if (equals_ignoring_case(found.algorithm, "SHA-256")) {
    found.algorithm = "SHA-256";
  } else {
    return {Code::unsupported, "algorithm must be MD5 or SHA-256"};
  }
  for (char& c : found.response) c = lower(c);
  for (char& c : found.nc) c = lower(c);
  const size_t digits = found.algorithm == "MD5" ? kMd5Digits : kSha256Digits;
  if (found.username.empty() || found.realm.empty() || found.nonce.empty() || found.uri.empty() ||
      found.cnonce.empty())
    return {Code::invalid, "a parameter is missing"};
  if (found.response.size() != digits || !is_lower_hex(found.response))
    return {Code::invalid, "response must be hexadecimal"};
  if (found.nc.size() != kCountDigits || !is_lower_hex(found.nc))
    return {Code::invalid, "nc must have 8 hexadecimal digits"};
  found.count = static_cast<uint32_t>(std::strtoul(found.nc.c_str(), nullptr, 16));
  return {};
}

}  // namespace

Result<DigestCredentials> parse_digest_credentials(std::string_view value) {
  constexpr std::string_view kScheme = "digest";
  while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
  if (value.size() > kMaxCredentialsBytes) return {Code::invalid, "too long"};
  if (value.size() <= kScheme.size() || !equals_ignoring_case(value.substr(0, kScheme.size()), kScheme) ||
      !is_blank(value[kScheme.size()]))
    return {Code::unsupported, "the scheme must be Digest"};
  DigestCredentials found;
  std::string qop, algorithm;
  const std::array<std::pair<std::string_view, std::string*>, 9> known{{{"username", &found.username},
                                                                        {"realm", &found.realm},
                                                                        {"nonce", &found.nonce},
                                                                        {"uri", &found.uri},
                                                                        {"response", &found.response},
                                                                        {"cnonce", &found.cnonce},
                                                                        {"nc", &found.nc},
                                                                        {"qop", &qop},
                                                                        {"algorithm", &algorithm}}};
  ParameterReader reader(value.substr(kScheme.size()));
  std::string name, text;
  while (!reader.at_end()) {
    if (!reader.next(name, text)) return {Code::invalid, "malformed"};
    for (const auto& [known_name, target] : known) {
      if (name != known_name) continue;
      if (!target->empty()) return {Code::invalid, "a parameter comes twice"};
      *target = text;
    }
  }
  if (!algorithm.empty()) found.algorithm = algorithm;
  PB_TRY(check(found, qop));
  return found;
}

bool proves(const DigestCredentials& credentials, std::string_view method, std::string_view ha1) {
  const std::string ha2 = hash_hex(credentials.algorithm, std::string(method) + ":" + credentials.uri);
  const std::string expected =
      hash_hex(credentials.algorithm, std::string(ha1) + ":" + credentials.nonce + ":" + credentials.nc +
                                          ":" + credentials.cnonce + ":auth:" + ha2);
  return !ha1.empty() && !expected.empty() && lib::equal_constant_time(expected, credentials.response);
}

std::string host_of_sip_uri(std::string_view uri) {
  const size_t colon = uri.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view scheme = uri.substr(0, colon);
  if (!equals_ignoring_case(scheme, "sip") && !equals_ignoring_case(scheme, "sips")) return {};
  uri.remove_prefix(colon + 1);
  uri = uri.substr(0, uri.find_first_of(";?"));
  if (const size_t at = uri.rfind('@'); at != std::string_view::npos) uri.remove_prefix(at + 1);
  if (!uri.empty() && uri.front() == '[') {
    const size_t close = uri.find(']');
    if (close == std::string_view::npos) return {};
    uri = uri.substr(1, close - 1);
  } else {
    uri = uri.substr(0, uri.find(':'));
  }
  return to_lower(uri);
}

}  // namespace patchbay::sip_trunk
