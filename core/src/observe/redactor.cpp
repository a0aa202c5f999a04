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

bool is_accepted(std::string_view secret, SecretFrom from) noexcept {
  return secret.size() >= kMinRedactedBytes && (from == SecretFrom::config || looks_random(secret));
}

}  // namespace

void Redactor::Set::add(std::string value) {
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
  size_t at = 0;
  while (!values_.empty() && at + kMinRedactedBytes <= text.size()) {
    const std::string_view rest = text.substr(at);
    const size_t size = beginnings_.count(beginning(rest)) != 0 ? match(rest) : 0;
    if (size > 0) {
      out += kRedacted;
      at += size;
    } else {
      out += text[at++];
    }
  }
  return out += text.substr(at);
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
  std::string letters;
  for (const char c : name)
    if (is_alphanumeric(c)) letters += lower(c);
  return std::any_of(kSecretNames.begin(), kSecretNames.end(), [&](std::string_view end) {
    return letters.size() >= end.size() && letters.compare(letters.size() - end.size(), end.size(), end) == 0;
  });
}

}  // namespace patchbay::core::observe
