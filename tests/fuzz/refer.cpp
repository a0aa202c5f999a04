// What a far end can put into a transfer: Replaces, Refer-To, and the sipfrag of its NOTIFY. What is read can
// be sent on as it is.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "dialogs/refer_to.h"
#include "dialogs/replaces.h"
#include "dialogs/sipfrag.h"
#include "number/number.h"

namespace {

using namespace patchbay;

void check(const sip_trunk::Replaces& replaces) {
  const std::string text = text_of(replaces);
  const auto again = sip_trunk::read_replaces(text);
  if (!again || !(*again == replaces)) std::abort();
  const bool is_safe = std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!is_safe || text.find_first_of("\",") != std::string::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto replaces = sip_trunk::read_replaces(text)) check(*replaces);
  if (const auto target = sip_trunk::read_refer_to(text)) {
    const auto number = lib::normalise_number(target->number);
    if (!number || *number != target->number) std::abort();
    if (target->number.find_first_not_of("+0123456789") != std::string::npos) std::abort();
    if (target->replaces) check(*target->replaces);
  }
  const int status = sip_trunk::read_sipfrag(text).status;
  if (status != 0 && (status < 100 || status > 699)) std::abort();
  return 0;
}
