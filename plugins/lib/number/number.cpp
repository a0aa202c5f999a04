#include "number/number.h"

#include <patchbay/text.h>

#include <algorithm>

namespace patchbay::lib {
namespace {

constexpr size_t kMaxText = 64;  // longer than any number with its separators
constexpr size_t kMinPhoneDigits = 7;
constexpr size_t kMaxPhoneDigits = 15;
constexpr size_t kMaxExtensionDigits = 20;
constexpr std::string_view kSeparators = " .-()[]/";

// Returns whether the text looks like a decimal fraction: it ends in a dot and a single digit, as a
// spreadsheet appends, or in a dot and zeros and has no other separator.
bool is_decimal(std::string_view text) {
  const size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) return false;
  const std::string_view whole = text.substr(text[0] == '+' ? 1 : 0, dot - (text[0] == '+' ? 1 : 0));
  const std::string_view fraction = text.substr(dot + 1);
  if (fraction.size() == 1) return is_digit(fraction[0]) && is_digit(text[dot - 1]);
  return fraction.find_first_not_of('0') == std::string_view::npos &&
         std::all_of(whole.begin(), whole.end(), is_digit);
}

// Returns whether removing the separators may make another number: "(0)" in an international number is
// dialled only inside the country, and a spreadsheet appends ".0" or ".00".
bool is_ambiguous(std::string_view text, std::string_view digits) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (is_decimal(text)) return true;
  if (digits.empty() || digits[0] != '+') return false;
  std::string compact;
  for (char c : text)
    if (c != ' ') compact += c == '[' ? '(' : c == ']' ? ')' : c;
  return compact.find("(0)") != std::string::npos;
}

// Returns the digits after an optional '+', with "00" turned into '+'; nullopt if there is any other
// character.
std::optional<std::string> strip(std::string_view text) {
  if (text.size() > kMaxText) return std::nullopt;
  std::string out;
  for (char c : text) {
    if (is_digit(c) || (c == '+' && out.empty())) {
      out.push_back(c);
    } else if (kSeparators.find(c) == std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (out.size() >= 2 && out[0] == '0' && out[1] == '0') out.replace(0, 2, "+");
  if (is_ambiguous(text, out)) return std::nullopt;
  return out;
}

bool is_international(std::string_view number, size_t min_digits) {
  return number.size() > min_digits && number.size() <= kMaxPhoneDigits + 1 && number[0] == '+' &&
         number[1] != '0';
}

bool is_extension(std::string_view number) {
  return !number.empty() && number.size() <= kMaxExtensionDigits && number[0] != '+';
}

}  // namespace

Result<std::string> parse_phone(std::string_view text) {
  auto number = strip(text);
  if (!number || !is_international(*number, kMinPhoneDigits))
    return {Code::invalid, "a phone number is + and 7 to 15 digits"};
  return *std::move(number);
}

Result<std::string> normalise_number(std::string_view text) {
  auto number = strip(text);
  if (!number || !(is_international(*number, 1) || is_extension(*number)))
    return {Code::invalid, "a number is + and up to 15 digits, or an extension of up to 20 digits"};
  return *std::move(number);
}

std::optional<std::string> caller_number(std::string_view sip_user) {
  auto number = normalise_number(sip_user);
  if (!number) return std::nullopt;
  return *std::move(number);
}

Result<NumberPattern> NumberPattern::prefix_or_whole(std::string_view text, const char* field) {
  if (text.empty() || text.back() != '*') {
    auto whole = normalise_number(text);
    if (!whole) return std::move(whole).error().within(field);
    return NumberPattern(Kind::whole, *std::move(whole));
  }
  text.remove_suffix(1);
  auto prefix = strip(text);
  if (!prefix || prefix->size() > kMaxExtensionDigits || prefix->rfind("+0", 0) == 0)
    return {Code::invalid, std::string(field) + ": a prefix is digits behind an optional +, then *"};
  if (prefix->empty()) return NumberPattern(Kind::everything, {});
  return NumberPattern(Kind::prefix, *std::move(prefix));
}

Result<NumberPattern> NumberPattern::did(std::string_view text) {
  if (text == "*") return NumberPattern(Kind::everything, {});
  if (text == "anonymous") return NumberPattern(Kind::anonymous, {});
  auto whole = normalise_number(text);
  if (!whole) return std::move(whole).error().within("did");
  return NumberPattern(Kind::whole, *std::move(whole));
}

Result<NumberPattern> NumberPattern::from_number(std::string_view text) {
  if (text == "anonymous") return NumberPattern(Kind::anonymous, {});
  return prefix_or_whole(text, "fromNumber");
}

Result<NumberPattern> NumberPattern::match(std::string_view text) {
  if (text == "global") return NumberPattern(Kind::everything, {});
  return prefix_or_whole(text, "match");
}

std::string NumberPattern::text() const {
  switch (kind_) {
    case Kind::everything:
      return "*";
    case Kind::anonymous:
      return "anonymous";
    case Kind::whole:
      return digits_;
    case Kind::prefix:
      return digits_ + "*";
  }
  return {};
}

bool NumberPattern::matches(const std::optional<std::string>& number) const noexcept {
  switch (kind_) {
    case Kind::everything:
      return true;
    case Kind::anonymous:
      return !number;
    case Kind::whole:
      return number && *number == digits_;
    case Kind::prefix:
      return number && number->compare(0, digits_.size(), digits_) == 0;
  }
  return false;
}

}  // namespace patchbay::lib
