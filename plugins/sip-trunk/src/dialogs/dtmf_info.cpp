#include "dialogs/dtmf_info.h"

#include <patchbay/text.h>

#include <algorithm>

namespace patchbay::sip_trunk {
namespace {

constexpr std::string_view kInfoDigits = "0123456789*#ABCD";  // the index is the event code of RFC 4733

// "5", "*", "a", or an event code of two digits: "10" is the star.
std::optional<char> digit_of_signal(std::string_view signal) {
  if (signal.size() == 2 && signal[0] == '1' && signal[1] >= '0' && signal[1] <= '5')
    return kInfoDigits[static_cast<size_t>(10 + signal[1] - '0')];
  if (signal.size() != 1) return std::nullopt;
  const char upper =
      signal[0] >= 'a' && signal[0] <= 'd' ? static_cast<char>(signal[0] - 'a' + 'A') : signal[0];
  if (kInfoDigits.find(upper) == std::string_view::npos) return std::nullopt;
  return upper;
}

// Returns the value of the first line "Signal=..."; empty if there is none.
std::string_view signal_line(std::string_view body) {
  while (!body.empty()) {
    const size_t end = std::min(body.find_first_of("\r\n"), body.size());
    const std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    const size_t equals = line.find('=');
    if (equals != std::string_view::npos && equals_ignoring_case(trim(line.substr(0, equals)), "Signal"))
      return trim(line.substr(equals + 1));
  }
  return {};
}

}  // namespace

std::optional<char> digit_of_info(std::string_view content_type, std::string_view body) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  const bool is_relay = equals_ignoring_case(type, "application/dtmf-relay");
  if (!is_relay && !equals_ignoring_case(type, "application/dtmf")) return std::nullopt;
  const std::string_view signal = signal_line(body);
  if (is_relay || !signal.empty()) return digit_of_signal(signal);
  while (!body.empty() && (body.back() == '\r' || body.back() == '\n')) body.remove_suffix(1);
  return digit_of_signal(trim(body));
}

}  // namespace patchbay::sip_trunk
