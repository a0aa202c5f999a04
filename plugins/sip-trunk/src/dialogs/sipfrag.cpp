#include "dialogs/sipfrag.h"

#include <patchbay/text.h>

#include "stack/sip_limits.h"

namespace patchbay::sip_trunk {

ReferStep read_sipfrag(std::string_view body) {
  ReferStep step{ReferStep::Kind::reported, 0, {}};
  constexpr std::string_view kVersion = "SIP/2.0 ";
  constexpr size_t kHead = kVersion.size() + 3;
  if (body.size() < kHead || body.substr(0, kVersion.size()) != kVersion) return step;
  int status = 0;
  for (const char digit : body.substr(kVersion.size(), 3)) {
    if (!is_digit(digit)) return step;
    status = status * 10 + (digit - '0');
  }
  std::string_view rest = body.substr(kHead);
  if (status < 100 || status > 699 || (!rest.empty() && is_digit(rest.front()))) return step;
  step.status = status;
  rest = rest.substr(0, rest.find_first_of("\r\n"));
  if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  step.text = printable_ascii(rest, kMaxShownBytes);
  return step;
}

}  // namespace patchbay::sip_trunk
