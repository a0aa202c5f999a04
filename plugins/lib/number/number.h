// Parses and normalises telephone numbers: numbers to dial, entries of a whitelist, patterns of routes. Pure
// functions, any thread. Input is untrusted: anything but ASCII digits, one leading '+' (or "00") and the
// separators named below is an error, so that a normalised number needs no escaping in a SIP URI.
#pragma once

#include <patchbay/result.h>

#include <optional>
#include <string>
#include <string_view>

namespace patchbay::lib {

// Parses a number to dial: `+`, then 7 to 15 digits, the first not 0. Removes spaces, dots, dashes,
// slashes and brackets, and reads a leading "00" as '+'. Refuses "(0)" in an international number, and a
// spreadsheet's "123.0" or "123.00" (a single digit after a dot at the end, or zeros after the only
// separator), because another person would be dialled.
Result<std::string> parse_phone(std::string_view text);

// Parses any complete number: a phone number, or an extension of up to 20 digits without '+'.
Result<std::string> normalise_number(std::string_view text);

// Returns the caller's number from the user part of From in an INVITE; nullopt if it is withheld or not a
// number.
std::optional<std::string> caller_number(std::string_view sip_user);

// One column of a route. The three factory functions define what each column may hold. Normalises its value
// once, so that matching is a comparison.
class NumberPattern {
 public:
  // A complete number, `anonymous` or `*`.
  static Result<NumberPattern> did(std::string_view text);
  // A complete number, a prefix ending in `*`, or `anonymous`.
  static Result<NumberPattern> from_number(std::string_view text);
  // A complete number, a prefix ending in `*`, or `global`.
  static Result<NumberPattern> match(std::string_view text);

  // `number` is normalised; nullopt: a call without caller ID.
  bool matches(const std::optional<std::string>& number) const noexcept;

  // The pattern in one spelling: a number or prefix without separators, `anonymous` or `*`.
  std::string text() const;

  // Returns whether both match the same numbers.
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
