#include "observe/redactor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <mutex>

#include "observe/limits.h"
#include "observe/secret_encodings.h"
#include "patchbay/looks_random.h"
#include "patchbay/text.h"

namespace patchbay::core::observe {
namespace {

constexpr std::string_view kRedacted = "[redacted]";
constexpr std::array<std::string_view, 9> kSecretNames = {
    "apikey", "password", "passwd", "secret", "token", "authorization", "cookie", "credential", "privatekey"};

uint64_t beginning(std::string_view text) noexcept {
  uint64_t bytes = 0;
  std::memcpy(&bytes, text.data(), kMinRedactedBytes);
  return bytes;
}

size_t common(std::string_view a, std::string_view b) noexcept {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

// The first two octets as a number.
size_t pair_at(std::string_view text) noexcept {
  return static_cast<size_t>(static_cast<unsigned char>(text[0])) << 8 | static_cast<unsigned char>(text[1]);
}

// Compares letters and digits only, in any case.
bool ends_with_letters(std::string_view name, std::string_view end) noexcept {
  size_t left = end.size();
  for (size_t at = name.size(); at > 0 && left > 0; --at) {
    if (!is_alphanumeric(name[at - 1])) continue;
    if (lower(name[at - 1]) != end[--left]) return false;
  }
  return left == 0;
}

bool is_accepted(std::string_view secret, SecretFrom from) noexcept {
  return secret.size() >= kMinRedactedBytes && (from == SecretFrom::config || looks_random(secret));
}

}  // namespace

void Redactor::Set::add(std::string value) {
  pairs_.set(pair_at(value));
  ++beginnings_[beginning(value)];
  ++values_[std::move(value)];
}

void Redactor::Set::remove(const std::string& value) {
  const auto found = values_.find(value);
  if (found == values_.end()) return;
  const auto begins = beginnings_.find(beginning(value));
  if (--begins->second == 0) beginnings_.erase(begins);
  if (--found->second == 0) values_.erase(found);
}

// Returns the size of the longest value that `text` begins with, or 0. Takes the greatest value that sorts up
// to `text`: either it is the match, or no match is longer than the prefix that the two share, so the search
// goes on up to that prefix.
size_t Redactor::Set::match(std::string_view text) const {
  for (std::string_view upto = text; upto.size() >= kMinRedactedBytes;) {
    auto next = values_.upper_bound(upto);
    if (next == values_.begin()) return 0;
    const std::string& value = std::prev(next)->first;
    const size_t same = common(value, text);
    if (same == value.size()) return same;
    upto = text.substr(0, same);
  }
  return 0;
}

std::string Redactor::Set::apply(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  size_t kept = 0;  // so much of the text is in `out`
  for (size_t at = 0; !values_.empty() && at + kMinRedactedBytes <= text.size();) {
    const std::string_view rest = text.substr(at);
    const bool may_match = pairs_[pair_at(rest)] && beginnings_.count(beginning(rest)) != 0;
    const size_t size = may_match ? match(rest) : 0;
    if (size > 0) {
      out.append(text, kept, at - kept).append(kRedacted);
      kept = at += size;
    } else {
      ++at;
    }
  }
  return out.append(text, kept);
}

bool Redactor::add(std::string_view secret, SecretFrom from) {
  if (!is_accepted(secret, from)) return false;
  const auto forms = encoded_forms(secret, kMinRedactedBytes);
  const std::unique_lock lock(mutex_);
  for (const std::string& form : forms) {
    all_.add(form);
    if (from == SecretFrom::config) of_config_.add(form);
  }
  return true;
}

void Redactor::remove(std::string_view secret, SecretFrom from) {
  if (!is_accepted(secret, from)) return;
  const auto forms = encoded_forms(secret, kMinRedactedBytes);
  const std::unique_lock lock(mutex_);
  for (const std::string& form : forms) {
    all_.remove(form);
    if (from == SecretFrom::config) of_config_.remove(form);
  }
}

std::string Redactor::value(std::string_view text) const {
  const std::shared_lock lock(mutex_);
  return all_.apply(text);
}

std::string Redactor::sentence(std::string_view text) const {
  const std::shared_lock lock(mutex_);
  return of_config_.apply(text);
}

bool Redactor::is_secret_name(std::string_view name) {
  return std::any_of(kSecretNames.begin(), kSecretNames.end(),
                     [&](std::string_view end) { return ends_with_letters(name, end); });
}

}  // namespace patchbay::core::observe
