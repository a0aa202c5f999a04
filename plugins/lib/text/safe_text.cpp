#include "text/safe_text.h"

#include <patchbay/hex.h>
#include <patchbay/utf8.h>

#include <algorithm>
#include <cstdint>

namespace patchbay::lib {
namespace {

// Returns how many bytes at the end of `text` may be the start of an incomplete character.
size_t unfinished(std::string_view text) {
  for (size_t count = 1; count <= std::min<size_t>(3, text.size()); ++count) {
    const auto byte = static_cast<unsigned char>(text[text.size() - count]);
    if (!starts_character(text[text.size() - count])) continue;
    const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return length > count ? count : 0;
  }
  return 0;
}

}  // namespace

std::string valid_text(std::string_view text) {
  std::string out = valid_utf8(text);
  for (size_t at = 0; (at = out.find('\0', at)) != std::string::npos;)
    out.replace(at, 1, kReplacementCharacter);
  return out;
}

std::string printable(std::string_view text, size_t limit) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (out.size() >= limit) return out + "…";
    const size_t start = at;
    const uint32_t code = next_code_point(text, at);
    if (code == kInvalidCodePoint)
      out += '?';
    else if (code < 0x20 || code == 0x7F)
      append_hex(out += "\\x", static_cast<unsigned char>(code));
    else
      out += text.substr(start, at - start);
  }
  return out;
}

std::string TextFragments::take(std::string_view fragment) {
  std::string whole = std::move(rest_);
  whole += fragment;
  const size_t kept = unfinished(whole);
  rest_ = whole.substr(whole.size() - kept);
  whole.resize(whole.size() - kept);
  return valid_text(whole);
}

std::string redact_secret(std::string_view text, std::string_view secret) {
  std::string out;
  const std::string_view beginning = secret.substr(0, kMinSecretBytes);
  if (beginning.size() == kMinSecretBytes) {
    for (size_t at = 0; (at = text.find(beginning)) != std::string_view::npos;) {
      out.append(text.substr(0, at)).append("***");
      text.remove_prefix(at);
      const auto end = std::mismatch(text.begin(), text.end(), secret.begin(), secret.end()).first;
      text.remove_prefix(static_cast<size_t>(end - text.begin()));
    }
  }
  return out.append(text);
}

}  // namespace patchbay::lib
