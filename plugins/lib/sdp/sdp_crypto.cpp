// a=crypto (RFC 4568 section 9), such as "1 AES_CM_128_HMAC_SHA1_80
// inline:d0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj|2^20".
#include <openssl/crypto.h>
#include <patchbay/base64.h>
#include <patchbay/text.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sdp/sdp_security.h"

namespace patchbay::lib {
namespace {

constexpr uint32_t kMaxTag = 999'999'999;  // nine digits
constexpr std::string_view kInline = "inline:";

// Cuts the text up to the next blank.
std::string_view next_word(std::string_view& text) {
  text = trim(text);
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::optional<uint32_t> tag_of(std::string_view text) {
  uint32_t tag = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), tag);
  if (error != std::errc{} || end != text.data() + text.size() || tag > kMaxTag) return std::nullopt;
  return tag;
}

// Whether it is a parameter that changes nothing for us: the window that the peer recommends.
bool is_harmless(std::string_view parameter) {
  return parameter.size() >= 4 && equals_ignoring_case(parameter.substr(0, 4), "WSH=");
}

}  // namespace

Result<CryptoLine> parse_crypto(std::string_view value) {
  const Error invalid{Code::invalid, "SDP with a bad crypto line"};
  const auto tag = tag_of(next_word(value));
  const std::string_view suite = next_word(value);
  std::string_view parameters = next_word(value);
  if (!tag || suite.empty() || parameters.empty()) return invalid;
  const auto profile = srtp_profile_named(suite);
  if (!profile) return Error{Code::unsupported, "an SRTP suite that is not supported"};
  if (parameters.find(';') != std::string_view::npos)
    return Error{Code::unsupported, "several SRTP keys in one line"};
  if (parameters.size() < kInline.size() ||
      !equals_ignoring_case(parameters.substr(0, kInline.size()), kInline))
    return invalid;
  parameters.remove_prefix(kInline.size());
  // After the key: a lifetime, which a call does not reach, and MKI, "1:4".
  const size_t bar = std::min(parameters.find('|'), parameters.size());
  if (parameters.find(':', bar) != std::string_view::npos) return Error{Code::unsupported, "SRTP with MKI"};
  for (std::string_view one = next_word(value); !one.empty(); one = next_word(value))
    if (!is_harmless(one)) return Error{Code::unsupported, "an SRTP parameter that is not supported"};
  auto raw = from_base64(parameters.substr(0, bar));
  if (!raw) return invalid;
  auto key = MasterKey::from(*profile, *raw);
  OPENSSL_cleanse(raw->data(), raw->size());
  if (!key) return std::move(key).error();
  return CryptoLine{*tag, *key};
}

std::string to_text(const CryptoLine& line) {
  std::string text =
      std::to_string(line.tag) + " " + std::string(info_of(line.key.profile()).name) + " inline:";
  append_base64(text, line.key.secret());
  return text;
}

}  // namespace patchbay::lib
