// NameValues: an ordered list of names with values: headers, parameters of a path or a query. Keeps the form
// in which a message carries it, so a lookup parses and copies nothing.
//
//   request.headers.text("idempotency-key")         "" when it is absent
//   request.query.integer("days", 7)
//   for (const auto& [name, value] : request.params) ...
//   response.headers.add("Retry-After", "30");
//
// In a message it is one string: name, NUL, value, NUL, for each pair. Neither can contain NUL.
#pragma once

#include <locale.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "message.h"

namespace patchbay {
namespace detail {

// Returns whether the text is a number as JSON writes it; leading zeros are accepted.
inline bool is_number(std::string_view text) noexcept {
  const auto skip = [&text](std::string_view any_of) {
    const bool found = !text.empty() && any_of.find(text.front()) != std::string_view::npos;
    if (found) text.remove_prefix(1);
    return found;
  };
  const auto skip_digits = [&text] {
    const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count > 0;
  };
  skip("-");
  if (!skip_digits() || (skip(".") && !skip_digits())) return false;
  if (skip("eE")) {
    skip("+-");
    if (!skip_digits()) return false;
  }
  return text.empty();
}

// Not the process' locale, whose decimal separator may be a comma.
inline locale_t c_locale() noexcept {
  static const locale_t locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

}  // namespace detail

class NameValues {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;

  NameValues() = default;
  NameValues(std::initializer_list<Pair> pairs) {
    for (const auto& [name, value] : pairs) add(name, value);
  }

  // Cuts off name and value at a NUL. A name may be added several times.
  NameValues& add(std::string_view name, std::string_view value) {
    std::string pair;  // because both may be views into wire_
    append(pair, name), append(pair, value);
    wire_ += pair;
    return *this;
  }

  bool empty() const noexcept { return wire_.empty(); }
  size_t size() const noexcept {
    size_t count = 0;
    for (auto at = begin(); at != end(); ++at) ++count;
    return count;
  }

  // The first value of that name; valid until this object is changed or destroyed.
  std::optional<std::string_view> find(std::string_view name) const noexcept {
    for (const auto& [key, value] : *this)
      if (key == name) return value;
    return std::nullopt;
  }
  bool has(std::string_view name) const noexcept { return find(name).has_value(); }
  std::string_view text(std::string_view name, std::string_view fallback = {}) const noexcept {
    return find(name).value_or(fallback);
  }
  // Returns the fallback also for a value that is not a whole number or does not fit.
  int64_t integer(std::string_view name, int64_t fallback = 0) const noexcept {
    const std::string_view written = text(name);
    int64_t value = 0;
    const auto read = std::from_chars(written.data(), written.data() + written.size(), value);
    return read.ec == std::errc() && read.ptr == written.data() + written.size() ? value : fallback;
  }
  // Returns the fallback also for a value that is not a JSON number or too large for a double.
  double number(std::string_view name, double fallback = 0) const {
    const std::string written(text(name));
    if (!detail::is_number(written)) return fallback;
    const double value = ::strtod_l(written.c_str(), nullptr, detail::c_locale());
    return std::isfinite(value) ? value : fallback;
  }
  bool boolean(std::string_view name, bool fallback = false) const noexcept {
    const std::string_view written = text(name);
    return written == "true" || (written != "false" && fallback);
  }

  // Iterates over the pairs, in order.
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    Pair operator*() const noexcept {
      const std::string_view name = rest_.substr(0, rest_.find('\0'));
      const std::string_view after = rest_.substr(std::min(name.size() + 1, rest_.size()));
      return {name, after.substr(0, after.find('\0'))};
    }
    Iterator& operator++() noexcept {
      const auto [name, value] = **this;
      rest_.remove_prefix(std::min(name.size() + value.size() + 2, rest_.size()));
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
      return a.rest_.size() == b.rest_.size();
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) noexcept { return !(a == b); }

   private:
    std::string_view rest_;
  };
  Iterator begin() const noexcept { return Iterator(wire_); }
  Iterator end() const noexcept { return Iterator({}); }

  friend bool operator==(const NameValues& a, const NameValues& b) noexcept { return a.wire_ == b.wire_; }
  friend bool operator!=(const NameValues& a, const NameValues& b) noexcept { return !(a == b); }

 private:
  friend struct detail::Wire<NameValues>;
  static void append(std::string& to, std::string_view text) {
    to.append(text.substr(0, text.find('\0'))).push_back('\0');
  }

  std::string wire_;
};

namespace detail {
template <>
struct Wire<NameValues> {
  static constexpr uint32_t kind = PB_FIELD_STR, size = 16;
  static void put(char* to, const NameValues& from) { Wire<std::string>::put(to, from.wire_); }
  static void get(const char* from, NameValues& to) { Wire<std::string>::get(from, to.wire_); }
};
}  // namespace detail

}  // namespace patchbay
