// An accepted number is valid in a SIP URI, and normalising it again does not change it.
#include "number/number.h"

#include <cstdlib>
#include <string_view>

using namespace patchbay::lib;

namespace {

void check_safe(const std::string& number) {
  for (size_t i = 0; i < number.size(); ++i)
    if (!(number[i] >= '0' && number[i] <= '9') && !(i == 0 && number[i] == '+')) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto phone = parse_phone(text)) {
    check_safe(*phone);
    auto again = parse_phone(*phone);
    if (!again || *again != *phone || normalise_number(text).value_or("") != *phone) std::abort();
  }
  if (auto whole = normalise_number(text)) {
    check_safe(*whole);
    auto pattern = NumberPattern::did(text);
    if (!pattern || !pattern->matches(*whole)) std::abort();
  }
  (void)NumberPattern::from_number(text);
  (void)NumberPattern::match(text);
  return 0;
}
