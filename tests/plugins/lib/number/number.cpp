#include "number/number.h"

#include <doctest/doctest.h>

using namespace patchbay::lib;
using patchbay::Result;

namespace {

// Compares as the whitelist does: both are complete numbers, and equal once they are normalised.
bool same_number(std::string_view a, std::string_view b) {
  const auto left = normalise_number(a);
  const auto right = normalise_number(b);
  return left && right && *left == *right;
}

}  // namespace

TEST_CASE("a phone number is normalised to E.164") {
  const char* same[] = {"+493012345678",     "00493012345678",     "+49 30 12345678",    "+49-30-1234-5678",
                        "+49.30.12345678",   "+49 (30) 12345678",  "+49[30]12345678",    "00 49 30 12345678",
                        "0-0 49 3012345678", "  +493012345678   ", "(00)49 30 12345678", "+49 30/12345678"};
  for (const char* text : same) {
    CAPTURE(text);
    auto phone = parse_phone(text);
    REQUIRE(phone);
    CHECK(*phone == "+493012345678");
  }
}

TEST_CASE("the bounds of a phone number are 7 and 15 digits") {
  CHECK(parse_phone("+1234567"));
  CHECK_FALSE(parse_phone("+123456"));
  CHECK(parse_phone("+123456789012345"));
  CHECK_FALSE(parse_phone("+1234567890123456"));
}

TEST_CASE("text that is not a phone number is refused") {
  using namespace std::string_view_literals;
  const std::string_view bad[] = {""sv,
                                  "+"sv,
                                  "00"sv,
                                  "493012345678"sv,
                                  "+0493012345678"sv,
                                  "000493012345678"sv,
                                  "++493012345678"sv,
                                  "49+3012345678"sv,
                                  "tel:+493012345678"sv,
                                  "sip:+493012345678@evil"sv,
                                  "+493012345678@evil"sv,
                                  "+493012345678;phone-context=+1"sv,
                                  "%2B493012345678"sv,
                                  "+493012345678\r\nX: y"sv,
                                  "+493012345678\n"sv,
                                  "+493012345678\t"sv,
                                  "+4930123456\0"
                                  "78"sv,
                                  "+49301234567\u0668"sv,
                                  "\uFF0B493012345678"sv,
                                  "+49\u00A03012345678"sv,
                                  "+493012345678*"sv,
                                  "+493012345678#"sv,
                                  "+49301234567a"sv,
                                  "+493012345678,1"sv,
                                  "anonymous"sv,
                                  "*"sv};
  for (auto text : bad) {
    CAPTURE(text);
    CHECK_FALSE(parse_phone(text));
    CHECK_FALSE(same_number(text, "+493012345678"));
  }
  CHECK_FALSE(parse_phone(std::string(100000, ' ') + "+493012345678"));
}

TEST_CASE("whitelist numbers match only as a whole") {
  CHECK(same_number("+493012345678", "0049 30/123 456 78"));
  CHECK(same_number("100", "1-00"));
  CHECK_FALSE(same_number("+493012345678", "+49301234567"));
  CHECK_FALSE(same_number("+493012345678", "493012345678"));
  CHECK_FALSE(same_number("+49*", "+493012345678"));
  CHECK_FALSE(same_number("", ""));
}

TEST_CASE("patterns match by the rule of their column") {
  struct Row {
    Result<NumberPattern> pattern;
    std::optional<std::string> number;
    bool matches;
  };
  const Row rows[] = {
      {NumberPattern::did("*"), "+4930123456", true},
      {NumberPattern::did("*"), std::nullopt, true},
      {NumberPattern::did("anonymous"), std::nullopt, true},
      {NumberPattern::did("anonymous"), "100", false},
      {NumberPattern::did("0049 30 123456"), "+4930123456", true},
      {NumberPattern::did("100"), "1000", false},
      {NumberPattern::from_number("0049*"), "+4930123456", true},
      {NumberPattern::from_number("+49 30*"), "+4930123456", true},
      {NumberPattern::from_number("+4930*"), "+4989123456", false},
      {NumberPattern::from_number("+4930*"), "+49", false},
      {NumberPattern::from_number("+4930*"), std::nullopt, false},
      {NumberPattern::from_number("anonymous"), std::nullopt, true},
      {NumberPattern::match("global"), "+1", true},
      {NumberPattern::match("*"), "+1", true},
      {NumberPattern::match("00*"), "+4930123456", true},
      {NumberPattern::match("+*"), "100", false},
      {NumberPattern::match("0*"), "030123456", true},
      {NumberPattern::match("+4930123456"), "+4930123456", true},
      {NumberPattern::match("+4930123456"), "+49301234567", false},
  };
  for (const auto& row : rows) {
    REQUIRE(row.pattern);
    CHECK(row.pattern.value().matches(row.number) == row.matches);
  }
}

TEST_CASE("patterns that their column does not allow are refused") {
  CHECK_FALSE(NumberPattern::did("+49*"));
  CHECK_FALSE(NumberPattern::did("global"));
  CHECK_FALSE(NumberPattern::did(""));
  CHECK_FALSE(NumberPattern::from_number("global"));
  CHECK_FALSE(NumberPattern::from_number("*49"));
  CHECK_FALSE(NumberPattern::from_number("+49**"));
  CHECK_FALSE(NumberPattern::match("anonymous"));
  CHECK_FALSE(NumberPattern::match("+0*"));
  CHECK_FALSE(NumberPattern::match("+49;x*"));
}

TEST_CASE("a caller without a valid number has none") {
  CHECK(caller_number("004930123456") == "+4930123456");
  CHECK_FALSE(caller_number("anonymous"));
  CHECK_FALSE(caller_number("alice"));
  CHECK_FALSE(caller_number(""));
}

TEST_CASE("notations that would dial another number are refused") {
  for (const char* text :
       {"+1(0)4155550100", "+49 (0) 30 123456", "0049(0)30123456", "+44 [0] 20 7946 0000", "+14155550100.0",
        "+14155550100.5", "14155550100.0 ", "+14155550100.00", "0014155550100.000"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(parse_phone(text));
    CHECK_FALSE(normalise_number(text));
    CHECK_FALSE(NumberPattern::match(text));
  }
  CHECK(*parse_phone("+1.415.555.0100") == "+14155550100");
  CHECK(*parse_phone("+1.415.555.0000") == "+14155550000");
  CHECK(*parse_phone("+33.1.40.20.00.00") == "+33140200000");
  CHECK(*parse_phone("+1 415 555.0000") == "+14155550000");
  CHECK(*parse_phone("+49 (30) 123456") == "+4930123456");
  CHECK(*normalise_number("(0) 30 123") == "030123");
}
