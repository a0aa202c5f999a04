// The one place that reads telephone numbers: what a caller may dial, what a whitelist holds, what a route
// matches. Pure functions, any thread. Input is untrusted: everything but ASCII digits, one leading '+' (or
// "00") and the separators named below is an error, so a normalised number can stand in a SIP URI without
// escaping.
#pragma once

#include <patchbay/result.h>

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::lib {

// The number to dial: `+`, then 7 to 15 digits, the first not 0. Spaces, dots, dashes and brackets are
// removed, a leading "00" is read as '+'. An error, too: "(0)" in an international number, and a
// spreadsheet's "123.0" or "123.00" (a single digit behind a dot at the end, or zeros behind the only
// separator), since another person would be dialled.
Result<std::string> parse_phone(std::string_view text);

// Any whole number: a phone number, or an extension of up to 20 digits without '+'. Slashes are removed too.
Result<std::string> normalise_number(std::string_view text);

// The caller of an INVITE by the user part of its From: nothing when it withheld its number or is no number
// at all.
std::optional<std::string> caller_number(std::string_view sip_user);

// One column of a route. What a column may hold differs: see the three makers. Values are normalised once
// here, so matching is a comparison.
class NumberPattern {
 public:
  // A whole number, `anonymous` or `*`.
  static Result<NumberPattern> did(std::string_view text);
  // A whole number, a prefix ending in `*`, or `anonymous`.
  static Result<NumberPattern> from_number(std::string_view text);
  // A whole number, a prefix ending in `*`, or `global`.
  static Result<NumberPattern> match(std::string_view text);

  // `number` is normalised already; nullopt is a call without caller ID.
  bool matches(const std::optional<std::string>& number) const noexcept;

  // True for `*` and `global`.
  bool is_catchall() const noexcept { return kind_ == Kind::everything; }

  // Whether both match the same numbers.
  friend bool operator==(const NumberPattern& a, const NumberPattern& b) noexcept {
    return a.kind_ == b.kind_ && a.digits_ == b.digits_;
  }

 private:
  enum class Kind { whole, prefix, anonymous, everything };
  NumberPattern(Kind kind, std::string digits) : kind_(kind), digits_(std::move(digits)) {}
  static Result<NumberPattern> prefix_or_whole(std::string_view text, const char* field);

  Kind kind_;
  std::string digits_;
};

}  // namespace patchbay::lib
