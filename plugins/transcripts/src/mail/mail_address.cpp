#include "mail/mail_address.h"

#include <patchbay/text.h>

#include <algorithm>

namespace patchbay::transcripts {
namespace {

constexpr size_t kMaxLocalPart = 64;
constexpr size_t kMaxHostName = 253;
constexpr size_t kMaxLabel = 63;

// RFC 5322 3.2.3.
bool is_atom_character(char c) {
  return is_alphanumeric(c) || std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) != std::string_view::npos;
}

// Whether the parts between dots are not empty and pass the test.
template <class Test>
bool all_parts(std::string_view text, Test test) {
  if (text.empty() || text.back() == '.') return false;
  while (!text.empty()) {
    const std::string_view part = take_until('.', text);
    if (part.empty() || !test(part)) return false;
  }
  return true;
}

bool is_label(std::string_view label) {
  return label.size() <= kMaxLabel && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), [](char c) { return is_alphanumeric(c) || c == '-'; });
}

}  // namespace

bool is_mail_address(std::string_view text) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos) return false;
  const std::string_view local = text.substr(0, at), host = text.substr(at + 1);
  return local.size() <= kMaxLocalPart && host.size() <= kMaxHostName &&
         all_parts(local,
                   [](std::string_view part) {
                     return std::all_of(part.begin(), part.end(), is_atom_character);
                   }) &&
         all_parts(host, is_label);
}

}  // namespace patchbay::transcripts
