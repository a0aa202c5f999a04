#include "observe/redact.h"

#include <algorithm>
#include <array>
#include <mutex>

namespace patchbay::core::observe {
namespace {

constexpr std::string_view kRedacted = "[redacted]";
constexpr std::array<std::string_view, 9> kSecretNames = {
    "apikey", "password", "passwd", "secret", "token", "authorization", "cookie", "credential", "privatekey"};

}  // namespace

bool Redactor::add(std::string_view secret) {
  if (secret.size() < kShortest) return false;
  const std::unique_lock lock(mutex_);
  auto& list = secrets_[std::string(secret.substr(0, kShortest))];
  for (Secret& known : list)
    if (known.value == secret) return ++known.uses, true;
  const auto shorter = [&](const Secret& other) { return other.value.size() < secret.size(); };
  list.insert(std::find_if(list.begin(), list.end(), shorter), {std::string(secret), 1});
  return true;
}

void Redactor::remove(std::string_view secret) {
  if (secret.size() < kShortest) return;
  const std::unique_lock lock(mutex_);
  const auto found = secrets_.find(std::string(secret.substr(0, kShortest)));
  if (found == secrets_.end()) return;
  auto& list = found->second;
  const auto known =
      std::find_if(list.begin(), list.end(), [&](const Secret& s) { return s.value == secret; });
  if (known == list.end() || --known->uses > 0) return;
  list.erase(known);
  if (list.empty()) secrets_.erase(found);
}

std::string Redactor::apply(std::string_view text) const {
  const std::shared_lock lock(mutex_);
  std::string out;
  out.reserve(text.size());
  std::string prefix;
  size_t at = 0;
  while (!secrets_.empty() && at + kShortest <= text.size()) {
    prefix.assign(text.substr(at, kShortest));  // fits the small string: no allocation
    const auto found = secrets_.find(prefix);
    size_t length = 0;
    if (found != secrets_.end())
      for (const Secret& secret : found->second)
        if (length == 0 && text.substr(at, secret.value.size()) == secret.value) length = secret.value.size();
    if (length > 0) {
      out += kRedacted;
      at += length;
    } else {
      out += text[at++];
    }
  }
  return out += text.substr(at);
}

bool Redactor::is_secret_name(std::string_view name) {
  std::string letters;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c + 32);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return std::any_of(kSecretNames.begin(), kSecretNames.end(), [&](std::string_view end) {
    return letters.size() >= end.size() && letters.compare(letters.size() - end.size(), end.size(), end) == 0;
  });
}

}  // namespace patchbay::core::observe
