// Disguised forms of a telephone number, as toll fraud tries them: prefixes, other digits, parameters, URIs,
// header injection.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace patchbay::test {

// At least 500 different texts. Each names `number`, alone or beside `listed`, and none is a spelling of
// `listed`. Both are + and digits.
inline std::vector<std::string> disguised_forms(const std::string& number, const std::string& listed) {
  const std::string digits = number.substr(1);
  std::vector<std::string> cores = {"+" + digits, "00" + digits, digits};
  // Each digit, or the last one only, from another script.
  const std::vector<std::string> zeros = {"\xD9\xA0",          // Arabic-Indic
                                          "\xDB\xB0",          // extended Arabic-Indic
                                          "\xE0\xA5\xA6",      // Devanagari
                                          "\xE0\xB9\x90",      // Thai
                                          "\xEF\xBC\x90",      // full width
                                          "\xF0\x9D\x9F\x8E",  // mathematical bold
                                          "\xE2\x82\x80"};     // subscripts
  for (const std::string& zero : zeros) {
    const auto translate = [&](size_t from) {
      std::string out = "+" + digits.substr(0, from);
      for (char digit : digits.substr(from)) {
        out += zero;
        out.back() = static_cast<char>(out.back() + (digit - '0'));
      }
      return out;
    };
    cores.push_back(translate(0));
    cores.push_back(translate(digits.size() - 1));
  }
  // Something between the digits, and in place of the plus sign.
  for (const char* between : {" ",
                              ".",
                              "-",
                              "/",
                              ",",
                              "(",
                              "[",
                              "\t",
                              "\r\n",
                              "\n ",
                              "\xC2\xA0",
                              "\xE2\x80\x8B",
                              "\xE2\x80\x91",
                              "\xC2\xAD",
                              "%20",
                              "%2D",
                              "#",
                              "*",
                              "w",
                              "p",
                              "&",
                              "\\",
                              "'",
                              "_",
                              "~",
                              "(0)",
                              "\xE2\x80\xAE"})
    cores.push_back(number.substr(0, 5) + between + number.substr(5));
  for (const char* plus : {"%2B", "%2b", "\xEF\xBC\x8B", "\xE2\x81\xBA", "++", "+0", "+00", "00+", "000", "0",
                           "011", "9", "*31#", "#31#", "%00", " +", "\t+", "\r\n+", "\xEF\xBB\xBF+"})
    cores.push_back(plus + digits);

  const std::vector<std::string> prefixes = {"",
                                             "tel:",
                                             "TEL:",
                                             "sip:",
                                             "sips:",
                                             "<sip:",
                                             "\"x\" <sip:",
                                             "tel:" + listed + ";x=",
                                             listed + ",",
                                             listed + "@",
                                             listed + ";phone-context=",
                                             listed + "\r\nTo: <sip:",
                                             listed + " "};
  const std::vector<std::string> suffixes = {"",
                                             ";phone-context=+49",
                                             ";phone-context=" + listed,
                                             ";ext=1;isub=2",
                                             ";user=phone",
                                             "@127.0.0.1",
                                             "%40127.0.0.1",
                                             "@" + listed,
                                             "@[::1];transport=tcp",
                                             "?Replaces=x",
                                             ">",
                                             "\r\nRoute: <sip:127.0.0.1>",
                                             "\r\n\r\nINVITE sip:x@127.0.0.1 SIP/2.0",
                                             ",",
                                             "," + listed,
                                             " "};
  std::set<std::string> seen;
  std::vector<std::string> forms;
  const auto add = [&](std::string form) {
    if (seen.insert(form).second) forms.push_back(std::move(form));
  };
  for (const std::string& core : cores) add(core);
  for (const std::string& prefix : prefixes)
    for (const std::string& suffix : suffixes)
      for (size_t i = 0; i < 3; ++i) add(prefix + cores[i] + suffix);
  return forms;
}

}  // namespace patchbay::test
